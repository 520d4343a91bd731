# SPDX-License-Identifier: Apache-2.0
"""Breaches that stood at the start: the measure of what got worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from moorage.model.fleet import Fleet
from moorage.model.natural import natural_key
from moorage.model.plan import Violation
from moorage.model.rule import Breach, Rule
from moorage.model.view import View
from moorage.rules.registry import rules_of


class Standing:
    """The must-rules of a fleet, and where they are broken before anything moves."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.must = told_apart(rule for rule in rules_of(fleet) if rule.is_must)
        start = View(fleet, fleet.placement, at_end=True)
        self.breaches = tuple(breaches(self.must, start))
        self._place_of = {rule.label: place for place, rule in enumerate(self.must)}
        self._by_key: dict[tuple[str, str, str, str], Breach] = {b.key: b for b in self.breaches}

    def is_old(self, breach: Breach) -> bool:
        """Whether *breach* stood at the start and is no worse now."""
        return breach.is_no_worse_than(self._by_key.get(breach.key))

    def order_of(self, violation: Violation) -> tuple[object, ...]:
        """Where *violation* stands among others: in time, then as the rules stand."""
        breach, at_s = violation.breach, violation.at_s
        instant = (at_s is None, at_s or 0)
        place = (self._place_of.get(breach.rule, -1), natural_key(breach.where))
        return (*instant, *place, breach.resource, breach.code, breach.guests)

    def judge(self, found: Iterable[Breach], at_s: int | None) -> Iterator[Violation]:
        """Say of each breach whether it is old."""
        for breach in found:
            yield Violation(breach, at_s, pre_existing=self.is_old(breach))


def told_apart(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Number the rules that share a label: old trouble of one excuses no new one of another."""
    seen: Counter[str] = Counter()
    found: list[Rule] = []
    for rule in rules:
        seen[rule.label] += 1
        again = seen[rule.label] > 1
        found.append(replace(rule, name=f"{rule.label} #{seen[rule.label]}") if again else rule)
    return tuple(found)


def breaches(rules: Iterable[Rule], view: View) -> Iterator[Breach]:
    """Find every breach of *rules* in *view*."""
    for rule in rules:
        yield from rule.check(view)


def collisions(fleet: Fleet, view: View) -> list[tuple[Rule, Breach]]:
    """Find every place where a should-rule doesn't hold, with its rule."""
    soft = (rule for rule in rules_of(fleet) if not rule.is_must)
    return [(rule, breach) for rule in soft for breach in rule.check(view)]
