# SPDX-License-Identifier: Apache-2.0
"""Reading instances."""

from __future__ import annotations

from typing import Final

from moorage.formats.btrplace.attributes import Traits, read_attributes
from moorage.formats.btrplace.constraints import ConstraintReader
from moorage.formats.btrplace.demands import Demands
from moorage.formats.btrplace.elements import read_mapping
from moorage.formats.btrplace.tally import Tally
from moorage.formats.btrplace.views import Views, read_views
from moorage.formats.cursor import Cursor
from moorage.formats.tree import Tree
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import IDLE, Guest
from moorage.model.hosts import Host
from moorage.model.resources import Resource

GOAL: Final = "few-moves"
OBJECTIVES: Final = ("minimizeMTTR", "minimizeMigrations", "minimizeMTTRMigrationScheduling")
NOTE: Final = "objective"
KEYS: Final = frozenset({"model", "constraints", "objective"})
MODEL_KEYS: Final = frozenset({"mapping", "attributes", "views"})
UNMEASURED: Final = Traits(IDLE, None, None)


def read(tree: Tree) -> Fleet:
    """Return the fleet that an instance, or a model alone, describes.

    Raises:
        BadInput: the document is no instance: a wrong type, a missing key, an element that
            the mapping doesn't have.
    """
    top, tally = Cursor.top(tree), Tally()
    alone = "mapping" in top.mapping()
    model = top if alone else tally.only(top, "the instance", KEYS).required("model")
    tally.only(model, "the model", MODEL_KEYS)
    mapping = read_mapping(model.required("mapping"), tally)
    views = read_views(model.optional("views"), mapping, tally)
    traits = read_attributes(model.optional("attributes"), mapping, tally)
    reader = ConstraintReader(Demands(mapping, views, tally))
    reader.read(None if alone else top.optional("constraints"))
    objective = "" if alone else _objective(top, tally)
    return Fleet(
        hosts=FrozenMap({h: _host(h, reader, views) for h in mapping.nodes.all}),
        guests=FrozenMap({g: _guest(g, reader, views, traits) for g in mapping.vms.all}),
        rules=tuple(reader.rules),
        resources=FrozenMap({name: Resource(name) for name in views.resources}),
        links=views.network.links,
        goal=GoalChoice(GOAL) if objective else None,
        notes=FrozenMap({NOTE: objective}) if objective else EMPTY,
        source=tree.name,
        warnings=tally.lines(),
    )


def _objective(top: Cursor, tally: Tally) -> str:
    """The objective; all of the original's have few and short moves as their optimum."""
    section = top.optional("objective")
    if section is None:
        return ""
    name = section.required("id").name()
    if name not in OBJECTIVES:
        tally.say(f"{section.place}: the unknown objective {name!r} is read as few moves")
    return name


def _host(host: str, reader: ConstraintReader, views: Views) -> Host:
    demands = reader.demands
    capacity = {name: amounts.capacity(host) for name, amounts in views.resources.items()}
    ratios = {r: demands.overbooked.get((host, r)) for r in views.resources}
    return Host(
        id=host,
        capacity=FrozenMap(capacity),
        overcommit_permille=FrozenMap({r: p for r, p in ratios.items() if p is not None}),
        labels=FrozenMap(reader.labels.get(host, {})),
        state=demands.state_of(host),
        bandwidth_mbps=views.network.bandwidths.get(host),
        name=views.names.get(host, ""),
    )


def _guest(guest: str, reader: ConstraintReader, views: Views, traits: dict[str, Traits]) -> Guest:
    demands, known = reader.demands, traits.get(guest, UNMEASURED)
    return Guest(
        id=guest,
        host=demands.host_of(guest),
        demand=FrozenMap({name: demands.given(guest, name) for name in views.resources}),
        stopped=demands.is_stopped(guest),
        load=known.load,
        dirtying=known.dirtying,
        move_duration_s=known.move_duration_s,
        name=views.names.get(guest, ""),
    )
