# SPDX-License-Identifier: Apache-2.0
"""Which services the groups and rules of a fleet make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from moorage.formats.gmrp.words import LOCATION, MOST_SERVICES, NEIGHBORHOOD, NOTE, service_id
from moorage.formats.losses import Losses
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.guests import Guest
from moorage.model.natural import natural_key
from moorage.model.rule import Rule
from moorage.rules.apart import Apart
from moorage.rules.near import Near

_SPREAD: Final = re.compile(r"spread-(s[0-9]+)")
_NEAR: Final = re.compile(r"near-(s[0-9]+)-(s[0-9]+)(?: \([0-9]+\))?")


@dataclass(slots=True)
class Service:
    """Processes that no machine holds two of."""

    guests: tuple[str, ...]
    spread_min: int = 0
    needs: list[int] = field(default_factory=list)
    apart: bool = False


def services_of(fleet: Fleet, guests: Sequence[Guest], losses: Losses) -> list[Service]:
    """Return the services in the order of their numbers; other rules go to *losses*."""
    count, ones = _noted(fleet.notes.get(NOTE))
    groups = _groups(guests, count)
    services = [Service(tuple(members)) for members in groups.values()]
    for number in ones:
        services[number].spread_min = 1
    numbers = {name: number for number, name in enumerate(groups)}
    reader = _RuleReader(services, numbers)
    for rule in fleet.rules:
        if not reader.take(rule):
            losses.add(f"rule {rule.label} ({rule.kind})")
    for name, number in numbers.items():
        if len(services[number].guests) > 1 and not services[number].apart:
            losses.add(f"group {name}, which no rule keeps apart")
    return services


def _noted(note: Any) -> tuple[int, list[int]]:
    """How many services the file had, and which of them had a spread of one."""
    if not isinstance(note, Mapping):
        return 0, []
    count, ones = note.get("services"), note.get("spread_of_one")
    if not isinstance(count, int) or not 0 <= count <= MOST_SERVICES:
        return 0, []
    listed = ones if isinstance(ones, list | tuple) else []
    return count, [n for n in listed if isinstance(n, int) and 0 <= n < count]


def _groups(guests: Sequence[Guest], noted: int) -> dict[str, list[str]]:
    """Return {group: its guests}. A guest without a group is a service of its own."""
    groups: dict[str, list[str]] = {service_id(number): [] for number in range(noted)}
    named = sorted({g.group for g in guests if g.group is not None}, key=natural_key)
    for name in named:
        groups.setdefault(name, [])
    for guest in guests:
        groups.setdefault(guest.group or f"the service of {guest.id}", []).append(guest.id)
    return groups


class _RuleReader:
    """Finds the service that a rule belongs to: by its guests, and if none, by its name."""

    def __init__(self, services: list[Service], numbers: Mapping[str, int]) -> None:
        self.services = services
        self.numbers = numbers
        self.by_guests = {frozenset(s.guests): i for i, s in enumerate(services) if s.guests}

    def take(self, rule: Rule) -> bool:
        """Write *rule* down at its service; False if a model has no number for it."""
        if not rule.is_must:
            return False
        if isinstance(rule, Apart):
            return self._take_apart(rule)
        return isinstance(rule, Near) and self._take_near(rule)

    def _take_apart(self, rule: Apart) -> bool:
        service = self._number(rule.guests, _SPREAD.fullmatch(rule.name), 1)
        if service is None or rule.max_skew is not None:
            return False
        if rule.domain == HOST_DOMAIN and rule.most == 1 and rule.min_domains is None:
            self.services[service].apart = True
            return True
        if rule.domain != LOCATION or rule.at_most is not None:
            return False
        self.services[service].spread_min = rule.min_domains or 0
        return True

    def _take_near(self, rule: Near) -> bool:
        match = _NEAR.fullmatch(rule.name)
        service, needed = self._number(rule.guests, match, 1), self._number(rule.to, match, 2)
        if service is None or needed is None or rule.domain != NEIGHBORHOOD:
            return False
        self.services[service].needs.append(needed)
        return True

    def _number(
        self, guests: tuple[str, ...], match: re.Match[str] | None, group: int
    ) -> int | None:
        if guests:
            return self.by_guests.get(frozenset(guests))
        return None if match is None else self.numbers.get(match.group(group))
