# SPDX-License-Identifier: Apache-2.0
"""Groups that can't be as far apart, or as close, as their rules ask: pigeonholes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from moorage.model import reasons
from moorage.model.fleet import HOST_DOMAIN
from moorage.model.frozen import FrozenMap
from moorage.problem.bounds.certificate import Cause, Certificate
from moorage.problem.bounds.facts import Facts
from moorage.problem.problem import COLLISION
from moorage.rules.apart import Apart
from moorage.rules.matching import find_too_many
from moorage.rules.together import Together
from moorage.rules.wording import names, plural

if TYPE_CHECKING:
    from moorage.model.rule import Rule


def crowds(facts: Facts) -> Iterator[Certificate]:
    """Prove of groups that some of their guests can't be where the rule wants them."""
    rules = [rule for rule in facts.problem.must if isinstance(rule, Apart | Together)]
    values = {domain: Values(facts, domain) for domain in {rule.domain for rule in rules}}
    for rule in rules:
        if isinstance(rule, Apart):
            yield from _apart(facts, rule, values[rule.domain])
        elif not rule.parts:
            yield from _together(facts, rule, values[rule.domain])


class Values:
    """The values of one domain that guests may end in, the same for guests of one row."""

    def __init__(self, facts: Facts, domain: str) -> None:
        self.facts = facts
        self.domain = domain
        value_of = facts.problem.fleet.domain_of(domain)
        self.value_of = [value_of.get(host) for host in facts.problem.hosts]
        self.every = frozenset(v for v in self.value_of if v is not None)
        self._rows: dict[int, frozenset[str]] = {}
        self._known: dict[tuple[int, str | None], frozenset[str]] = {}

    def row(self, row: int) -> frozenset[str]:
        """The values of the hosts that a row leaves open."""
        known = self._rows.get(row)
        if known is None:
            hosts = np.flatnonzero(self.facts.problem.restrictions.open[row]).tolist()
            known = frozenset(v for h in hosts if (v := self.value_of[h]) is not None)
            self._rows[row] = known
        return known

    def choices(self, guest: int) -> frozenset[str]:
        """The values where a guest breaks no rule of its own, or stays for want of another."""
        problem = self.facts.problem
        start = int(problem.start[guest])
        own = self.value_of[start] if start >= 0 else None
        here = frozenset() if own is None else frozenset({own})
        if self.facts.fixed[guest]:
            return here
        row = int(problem.restrictions.row_of[guest])
        there = self.row(row)
        if problem.restrictions.must_leave[guest] or own is None or own in there:
            return there
        return self._known.setdefault((row, own), there | here)


def _members(facts: Facts, rule: Apart | Together) -> list[int]:
    """The guests of a group that count, by index: those that get a host at all."""
    index = facts.problem.guest_index
    return [i for g in rule.guests if (i := index.get(g)) is not None and not facts.absent[i]]


def _apart(facts: Facts, rule: Apart, domain: Values) -> Iterator[Certificate]:
    members = _members(facts, rule)
    if rule.most is not None and len(members) > 1:
        choices = {i: domain.choices(i) for i in members}
        if min(map(len, choices.values())) * rule.most < len(members):
            yield from _crowd(facts, rule, rule.most, choices, domain)
    if rule.min_domains is not None and facts.must_be_somewhere[members].all():
        reached = frozenset().union(*(domain.choices(i) for i in members))
        short = min(rule.min_domains, len(members)) - len(reached)
        if short > 0 and not facts.may_deviate[members].any():
            text = (
                f"{rule.label} needs {min(rule.min_domains, len(members))} different"
                f" {rule.domain}s; its guests can reach {len(reached)}"
            )
            yield _certificate(facts, rule, members, short, text, reached, "spread")


def _crowd(
    facts: Facts, rule: Apart, most: int, choices: Mapping[int, frozenset[str]], domain: Values
) -> Iterator[Certificate]:
    guests = facts.problem.guests
    crowd = find_too_many({guests[i]: values for i, values in choices.items()}, most)
    if crowd is None:
        return
    values = frozenset(crowd.values)
    inside = [i for i, reached in choices.items() if reached <= values]
    excess = len(inside) - most * len(values)
    what = plural(len(values), rule.domain)
    text = (
        f"{rule.label} keeps {len(inside)} guests apart ({names([guests[i] for i in inside])})"
        f" that may only be in {what}{f' ({names(crowd.values)})' if values else ''}"
    )
    yield _certificate(facts, rule, inside, excess, text, values, "crowd")


def _together(facts: Facts, rule: Together, domain: Values) -> Iterator[Certificate]:
    members = _members(facts, rule)
    if len(members) < 2:
        return
    choices = [domain.choices(i) for i in members]
    common = frozenset.intersection(*choices)
    if common:
        return
    reached = {v: sum(v in each for each in choices) for each in choices for v in each}
    short = len(members) - max(reached.values(), default=0)
    named = names([facts.problem.guests[i] for i in members])
    text = f"{rule.label} keeps {named} together, but no {rule.domain} is open to all of them"
    yield _certificate(facts, rule, members, short, text, frozenset(reached), "together")


def _certificate(
    facts: Facts,
    rule: Apart | Together,
    members: list[int],
    excess: int,
    text: str,
    values: frozenset[str],
    mark: str,
) -> Certificate:
    problem = facts.problem
    everybody = domain_size(facts, rule.domain)
    return Certificate(
        Cause.DOMAINS if len(values) == everybody else _narrowed(facts, members),
        rule.code if isinstance(rule, Together) else reasons.apart(rule.domain),
        (rule.label, *(r.label for r in _pinning(facts, members))),
        text,
        severity=excess * COLLISION,
        guests=tuple(problem.guests[i] for i in members),
        hosts=tuple(sorted(values)) if rule.domain == HOST_DOMAIN and len(values) <= 20 else (),
        amounts=FrozenMap({"guests": excess}),
        marks=frozenset({(mark, rule.label)}),
        relief=frozenset(i for i in members if facts.may_deviate[i]),
    )


def domain_size(facts: Facts, domain: str) -> int:
    """How many values a domain has."""
    return len(facts.problem.fleet.hosts_in(domain))


def _pinning(facts: Facts, members: list[int]) -> list[Rule]:
    """The rules that name hosts for any of these guests."""
    problem = facts.problem
    named = {problem.guests[i] for i in members}
    found = []
    for rule in problem.must:
        concerned = rule.guests_named(problem.fleet)
        if concerned is None or named.isdisjoint(concerned):
            continue
        bars = [bar for bar in rule.bars(problem.fleet) if bar.guests is not None]
        if any(not named.isdisjoint(bar.guests or ()) for bar in bars):
            found.append(rule)
    return found


def _narrowed(facts: Facts, members: list[int]) -> Cause:
    """What leaves a group fewer values than there are."""
    closed = ~facts.problem.restrictions.open.any(axis=0)
    if _pinning(facts, members):
        return Cause.COMBINED if closed.any() else Cause.PINS
    return Cause.HEALTH if closed.any() else Cause.DOMAINS
