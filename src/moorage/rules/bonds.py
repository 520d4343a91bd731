# SPDX-License-Identifier: Apache-2.0
"""Guests bound to each other through chains of together-rules."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from moorage.model.fleet import HOST_DOMAIN
from moorage.model.rule import Rule
from moorage.model.view import in_order
from moorage.rules.together import Together


class Bonds:
    """Which guests have to share a value of a domain, and through which rules.

    Guests together on a host are together in every domain. Guests in *without* bind nobody.
    """

    def __init__(
        self, rules: Iterable[Rule], domain: str, without: Collection[str] = frozenset()
    ) -> None:
        self._rules: dict[str, list[Together]] = {}
        self._without = without
        for rule in rules:
            if isinstance(rule, Together) and rule.is_must and not rule.parts:
                for guest in rule.guests if rule.domain in (domain, HOST_DOMAIN) else ():
                    if guest not in without:
                        self._rules.setdefault(guest, []).append(rule)
        self.groups = self._find_groups()
        self._group_of = {g: i for i, group in enumerate(self.groups) for g in group}

    def group_of(self, guest: str) -> int | None:
        """The number of the group that *guest* is bound in; None if nothing binds it."""
        return self._group_of.get(guest)

    def meetings(self, guests: Iterable[str]) -> list[tuple[str, ...]]:
        """Those of *guests* that are bound to each other: each group of two or more."""
        found: dict[int, list[str]] = {}
        for guest in guests:
            if guest in self._group_of:
                found.setdefault(self._group_of[guest], []).append(guest)
        return [in_order(inside) for inside in found.values() if len(inside) > 1]

    def links(self, guests: tuple[str, ...]) -> tuple[str, ...]:
        """The names of rules that bind all of *guests*."""
        chains = (self.chain(guests[0], g) or [] for g in guests[1:])
        return tuple(dict.fromkeys(name for links in chains for name in links))

    def chain(self, start: str, end: str) -> list[str] | None:
        """The names of the fewest rules that bind *start* to *end*; None if nothing does."""
        reached: dict[str, tuple[str, str] | None] = {start: None}
        queue = deque([start])
        while queue:
            guest = queue.popleft()
            if guest == end:
                return _way_back(reached, end)
            for rule in self._rules.get(guest, ()):
                for other in rule.guests:
                    if other not in reached and other not in self._without:
                        reached[other] = (guest, rule.label)
                        queue.append(other)
        return None

    def _find_groups(self) -> list[tuple[str, ...]]:
        """The bound groups, each once, in the order of their first guest."""
        found: list[tuple[str, ...]] = []
        done: set[str] = set()
        for guest in sorted(self._rules):
            if guest not in done:
                group = self._reach(guest)
                done.update(group)
                found.append(tuple(sorted(group)))
        return found

    def _reach(self, start: str) -> set[str]:
        group, stack = {start}, [start]
        while stack:
            for rule in self._rules.get(stack.pop(), ()):
                fresh = [g for g in rule.guests if g not in group and g not in self._without]
                group.update(fresh)
                stack.extend(fresh)
        return group

    def names(self, group: Iterable[str]) -> list[str]:
        """The names of the rules inside *group*."""
        labels = (r.label for g in group for r in self._rules.get(g, ()))
        return list(dict.fromkeys(labels))


def _way_back(reached: dict[str, tuple[str, str] | None], end: str) -> list[str]:
    names: list[str] = []
    step = reached[end]
    while step is not None:
        names.append(step[1])
        step = reached[step[0]]
    return list(dict.fromkeys(reversed(names)))
