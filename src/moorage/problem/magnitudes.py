# SPDX-License-Identifier: Apache-2.0
"""Holds fleets to 64 bits: refuses amounts that no engine could add up.

Whatever is larger than any real fleet is refused by name, before anything is computed from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final

from moorage.model.errors import TooLarge
from moorage.model.fleet import Fleet
from moorage.model.hosts import Host
from moorage.model.rule import Rule

LARGEST_SUM: Final = 2**62
"""Of any resource over all guests, so that no sum in an engine can leave 64 bits."""
MOST_AMOUNT: Final = 2**44
LARGEST_ROOM: Final = 2**61
"""Of any resource over all hosts, so that room and demand can be added and taken off."""
POINT: Final = 2**20
"""More than a point of a must-rule weighs among repairs."""
MOST_DEVICES: Final = LARGEST_SUM // POINT
"""Over all guests: each device that is missing is a point."""
LARGEST_PRICE: Final = 2**60
"""Of all that one rule may cost."""
MILLICORES: Final = 1000


def checked_totals(fleet: Fleet) -> Mapping[str, int]:
    """Return what all guests together take of each resource, in a fleet that can be counted.

    Raises:
        TooLarge: some amount, or all of them together, could leave 64 bits.
    """
    totals = _of_guests(fleet)
    _of_hosts(fleet)
    for rule in fleet.rules:
        _of_rule(rule)
    return totals


def _of_guests(fleet: Fleet) -> dict[str, int]:
    demands: dict[str, int] = {}
    devices: dict[str, int] = {}
    for guest in fleet.guests.values():
        _count(guest.id, fleet.demand_of(guest.id), demands)
        _count(guest.id, guest.devices, devices)
    for totals, most in ((demands, LARGEST_SUM), (devices, MOST_DEVICES)):
        for name, total in totals.items():
            if total > most:
                raise _all_together("guests", "take", name)
    return demands


def _count(guest: str, taken: Mapping[str, int], totals: dict[str, int]) -> None:
    for name, amount in taken.items():
        if amount > MOST_AMOUNT:
            raise TooLarge(
                f"{guest} takes {amount} of {name}; at most {MOST_AMOUNT} can be planned for",
                place=f"guests.{guest}.{name}",
                hint=f"measure {name} in a larger unit",
            )
        totals[name] = totals.get(name, 0) + amount


def _of_hosts(fleet: Fleet) -> None:
    rooms: Counter[str] = Counter()
    for host in fleet.hosts.values():
        rooms.update(dict(_rooms(host)))
    rooms.update({r.id: r.shared_total or 0 for r in fleet.resources.values()})
    for name, total in rooms.items():
        if total > LARGEST_ROOM:
            raise _all_together("hosts", "give", name)


def _rooms(host: Host) -> Iterator[tuple[str, int]]:
    for resource, capacity in host.capacity.items():
        yield resource, max(abs(capacity), host.usable(resource))
    yield from host.devices.items()
    yield "cores", MILLICORES * (host.cores or 0)


def _all_together(who: str, verb: str, name: str) -> TooLarge:
    return TooLarge(
        f"all {who} together {verb} more {name} than 64 bits hold",
        place=who,
        hint=f"measure {name} in a larger unit",
    )


def _of_rule(rule: Rule) -> None:
    for name, number in _numbers(rule):
        if abs(number) > LARGEST_PRICE:
            raise TooLarge(
                f"{name} of {rule.label} is {number}; at most {LARGEST_PRICE} can be counted",
                place=f"rules.{rule.label}.{name}",
                hint="leave it out where nothing is limited, or use a smaller number",
            )


def _numbers(rule: Rule) -> Iterator[tuple[str, int]]:
    """All whole numbers that a rule was given, with their names."""
    for field in fields(rule):
        value = getattr(rule, field.name)
        if isinstance(value, int):
            yield field.name, value
        elif isinstance(value, Mapping):
            yield from ((f"{field.name}.{k}", v) for k, v in value.items() if isinstance(v, int))


def refuse_dear(rule: Rule, amount: int, price: int | None = None) -> None:
    """Refuse a rule of which *amount* may be broken, each point at its weight or *price*.

    Raises:
        TooLarge: no engine could add that up.
    """
    usual = POINT if rule.is_must else rule.weight
    if amount * (usual if price is None else price) > LARGEST_PRICE:
        raise TooLarge(
            f"what {rule.label} may cost is more than 64 bits hold",
            place=f"rules.{rule.label}",
            hint="use a smaller weight, or measure resources in larger units",
        )
