# SPDX-License-Identifier: Apache-2.0
"""The section `views`: resources and names. The network has a module of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from moorage.formats.btrplace.elements import Mapping, Numbered
from moorage.formats.btrplace.network import Network, read_network
from moorage.formats.btrplace.tally import Tally
from moorage.formats.cursor import Cursor

MOST_AMOUNT: Final = 2**53
"""Far more than the 32 bits of the original; sums of it still fit 64 bits."""

RESOURCE_KEYS: Final = frozenset({"id", "rcId", "nodes", "vms", "defCapacity", "defConsumption"})
NAME_KEYS: Final = frozenset({"id", "type", "map"})


@dataclass(slots=True)
class Amounts:
    """One resource: what each host has of it and each guest takes."""

    hosts: dict[str, int]
    guests: dict[str, int]
    of_host: int
    of_guest: int

    def capacity(self, host: str) -> int:
        """How much *host* has."""
        return self.hosts.get(host, self.of_host)

    def demand(self, guest: str) -> int:
        """How much *guest* takes."""
        return self.guests.get(guest, self.of_guest)


@dataclass(slots=True)
class Views:
    """All that the views say."""

    resources: dict[str, Amounts] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    network: Network = field(default_factory=Network)


def read_views(section: Cursor | None, mapping: Mapping, tally: Tally) -> Views:
    """Read all views; one of an unknown kind is skipped."""
    views = Views()
    for view in section.items() if section else ():
        kind = view.required("id").name()
        if kind == "shareableResource":
            _read_resource(view, mapping, views, tally)
        elif kind == "ns":
            _read_names(view, mapping, views, tally)
        elif kind == "net":
            views.network = read_network(view, mapping, tally)
        else:
            tally.say(f"{view.place}: a view of the unknown kind {kind!r} is skipped")
    return views


def _read_resource(view: Cursor, mapping: Mapping, views: Views, tally: Tally) -> None:
    tally.only(view, "views of resources", RESOURCE_KEYS)
    name = view.required("rcId").own_name()
    if name in views.resources:
        view.at("rcId").fail(f"a second view of the resource {name!r}")
    views.resources[name] = Amounts(
        hosts=_amounts(view.optional("nodes"), mapping.nodes),
        guests=_amounts(view.optional("vms"), mapping.vms),
        of_host=_default(view.optional("defCapacity")),
        of_guest=_default(view.optional("defConsumption")),
    )


def _default(cursor: Cursor | None) -> int:
    return 0 if cursor is None else cursor.whole(MOST_AMOUNT)


def _amounts(section: Cursor | None, elements: Numbered) -> dict[str, int]:
    if section is None:
        return {}
    found: dict[str, int] = {}
    for key, value in section.mapping().items():
        element = elements.key(section, key)
        if type(value) is not int or not 0 <= value <= MOST_AMOUNT:
            section.at(key).whole(MOST_AMOUNT)
        found[element] = int(value)
    return found


def _read_names(view: Cursor, mapping: Mapping, views: Views, tally: Tally) -> None:
    tally.only(view, "views of names", NAME_KEYS)
    kind = view.required("type")
    if kind.value not in ("vm", "node"):
        kind.fail(f"names are of type vm or node, not {kind.shown}")
    elements = mapping.vms if kind.value == "vm" else mapping.nodes
    for name, cursor in view.required("map").entries():
        views.names[elements.one(cursor)] = name
