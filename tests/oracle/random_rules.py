# SPDX-License-Identifier: Apache-2.0
"""Random rules of every kind that there is, drawn from the fields of their classes.

A field is drawn by its name, so that a new rule whose fields have the usual names needs no line
here. One with a name that is not known yet fails loudly and says what to add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.hosts import Health
from moorage.model.rule import Rule, Strength, When
from moorage.rules.registry import registry
from tests.oracle.choices import Choices

Drawer = Callable[[Choices, Fleet], Any]


def some_rules(choices: Choices, fleet: Fleet) -> tuple[Rule, ...]:
    """Draw a few rules of any kind, each with a name of its own."""
    kinds = list(registry())
    return tuple(
        some_rule(choices, fleet, choices.one_of(kinds), f"rule {i}")
        for i in range(1, choices.number(0, 4) + 1)
    )


def some_rule(choices: Choices, fleet: Fleet, kind: str, name: str) -> Rule:
    """Draw a rule of one kind that binds guests and hosts of a fleet."""
    return drawn(choices, fleet, registry()[kind], name)


def drawn(choices: Choices, fleet: Fleet, cls: type[Rule], name: str) -> Rule:
    """Draw a rule of a class, known or new, from the fields that it has."""
    common = _common(choices, cls)
    own = {
        field.name: _value(choices, fleet, cls.kind, field)
        for field in fields(cls)
        if field.name not in COMMON and (field.default is MISSING or choices.chance(60))
    }
    return cls(name=name, **common, **_consistent(cls.kind, own))


COMMON = {field.name for field in fields(Rule)}


def _common(choices: Choices, cls: type[Rule]) -> dict[str, Any]:
    """Strength and time; mostly what is usual for the kind."""
    drawn: dict[str, Any] = {}
    if choices.chance(20):
        drawn["strength"] = choices.one_of(list(Strength))
    if choices.chance(35):
        drawn["when"] = choices.one_of(list(When))
    if choices.chance(40 if cls.always_where_enforced else 10):
        drawn["origin"] = choices.one_of(("pve", "nova", "elsewhere"))
    return drawn


def _value(choices: Choices, fleet: Fleet, kind: str, field: Field[Any]) -> Any:
    drawer = DRAWERS.get(f"{kind}.{field.name}") or DRAWERS.get(f"{field.name}: {field.type}")
    if drawer is None:
        raise LookupError(f"say in DRAWERS how to draw {kind}.{field.name}: {field.type}")
    return drawer(choices, fleet)


def _guests(choices: Choices, fleet: Fleet) -> tuple[str, ...]:
    return tuple(choices.some_of(list(fleet.guests), 1))


def _hosts(choices: Choices, fleet: Fleet) -> tuple[str, ...]:
    return tuple(choices.some_of(list(fleet.hosts), 1))


def _host_sets(choices: Choices, fleet: Fleet) -> tuple[tuple[str, ...], ...]:
    return tuple(_hosts(choices, fleet) for _ in range(choices.number(1, 3)))


def _groups(choices: Choices, fleet: Fleet) -> tuple[tuple[str, ...], ...]:
    """Two or three groups that share no guest."""
    groups: list[list[str]] = [[] for _ in range(choices.number(2, 3))]
    for guest in fleet.guests:
        if choices.chance(80):
            choices.one_of(groups).append(guest)
    return tuple(tuple(group) for group in groups)


def _verdicts(choices: Choices, _fleet: Fleet) -> tuple[Health, ...]:
    return tuple(choices.some_of(list(Health), 0, 2))


def _priorities(choices: Choices, fleet: Fleet) -> FrozenMap[str, int]:
    return FrozenMap({host: choices.number(-2, 5) for host in _hosts(choices, fleet)})


def _limits(choices: Choices, fleet: Fleet) -> FrozenMap[str, int]:
    resources = choices.some_of(list(fleet.resources))
    return FrozenMap({resource: choices.number(0, 15) for resource in resources})


def _at_most(choices: Choices, _fleet: Fleet) -> int:
    return choices.number(1, 4)


DRAWERS: dict[str, Drawer] = {
    "guests: tuple[str, ...]": _guests,
    "to: tuple[str, ...]": _guests,
    "hosts: tuple[str, ...]": _hosts,
    "exempt: tuple[str, ...]": _hosts,
    "hosts: FrozenMap[str, int]": _priorities,
    "parts: tuple[tuple[str, ...], ...]": _host_sets,
    "groups: tuple[tuple[str, ...], ...]": _groups,
    "domain: str": lambda choices, _: choices.one_of(("host", "rack", "zone")),
    "resource: str": lambda choices, fleet: choices.one_of(list(fleet.resources)),
    "project: str": lambda choices, _: choices.one_of(("blue", "red")),
    "at_most: int": _at_most,
    "at_most: int | None": _at_most,
    "max_skew: int | None": lambda choices, _: choices.number(1, 2),
    "min_domains: int | None": lambda choices, _: choices.number(1, 3),
    "lose: int": lambda choices, _: choices.number(1, 2),
    "each: bool": lambda choices, _: choices.chance(50),
    "max_heartbeat_age_s: int | None": lambda choices, _: choices.number(0, 120),
    "limits: FrozenMap[str, int]": _limits,
    "admit: tuple[Health, ...]": _verdicts,
    "drain: tuple[Health, ...]": _verdicts,
    "group_capacity.at_most": lambda choices, _: choices.number(0, 15),
}


def _consistent(kind: str, own: dict[str, Any]) -> dict[str, Any]:
    """Health: no verdict is admitted and drained at once."""
    if kind == "health" and "drain" in own:
        admitted = own.get("admit", (Health.NOMINAL,))
        own["drain"] = tuple(h for h in own["drain"] if h not in admitted)
    return own
