# SPDX-License-Identifier: Apache-2.0
"""Guests that no host can take: each is a breach that remains, by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from moorage.model import reasons
from moorage.model.frozen import FrozenMap
from moorage.model.reasons import Reason
from moorage.problem.bounds.certificate import Cause, Certificate
from moorage.problem.bounds.facts import Facts
from moorage.problem.problem import COLLISION
from moorage.rules.health import HealthGate
from moorage.rules.wording import are, names, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from moorage.model.rule import Rule


def without_host(facts: Facts) -> Iterator[Certificate]:
    """Prove that some guests stay where they may not be, or nowhere."""
    problem = facts.problem
    left = (facts.fixed & problem.restrictions.must_leave) | (facts.absent & facts.keeps)
    for row in np.unique(problem.restrictions.row_of[left]).tolist():
        alike = np.flatnonzero(left & (problem.restrictions.row_of == row))
        barred = alike[facts.barred[alike]]
        if len(barred):
            yield _barred(facts, barred)
        large = alike[~facts.barred[alike]]
        if len(large):
            yield _too_large(facts, large)


def points(facts: Facts, guests: NDArray[np.int64]) -> int:
    """What these guests break of their own rules where they stay, or by having no host."""
    out = ~facts.has_host[guests]
    return int(out.sum()) + int(facts.problem.restrictions.broken_at_start[guests[~out]].sum())


def _barred(facts: Facts, guests: NDArray[np.int64]) -> Certificate:
    problem = facts.problem
    named = tuple(problem.guests[g] for g in guests)
    closing = _closing(facts, named[0])
    everybody = {rule.label: rule for rule, own in closing if not own}
    own = [rule.label for rule, own in closing if own]
    rules = tuple(dict.fromkeys((*own, *everybody)))
    why = f" by {names(rules)}" if rules else "; there is none"
    text = f"{names(named)} {are(named)} barred from every other host{why}"
    if not problem.hosts:
        text = f"{names(named)} can't be anywhere: there is no host"
    cause = _cause(bool(own), list(everybody.values()), bool(problem.hosts))
    return _of_guests(facts, cause, rules, guests, text)


def _closing(facts: Facts, guest: str) -> list[tuple[Rule, bool]]:
    """The rules that bar any host to *guest*, and whether each is about this guest by name."""
    problem = facts.problem
    found: dict[str, tuple[Rule, bool]] = {}
    for rule in problem.must:
        for bar in rule.bars(problem.fleet):
            concerned = bar.guests is None or guest in bar.guests
            if concerned and any(bar.bars(h) for h in problem.hosts):
                found.setdefault(rule.label, (rule, bar.guests is not None))
    return list(found.values())


def _cause(own: bool, closed: list[Rule], any_host: bool) -> Cause:
    if not any_host:
        return Cause.CAPACITY
    if own:
        return Cause.COMBINED if any(isinstance(r, HealthGate) for r in closed) else Cause.PINS
    return Cause.HEALTH


def _too_large(facts: Facts, guests: NDArray[np.int64]) -> Certificate:
    problem = facts.problem
    named = tuple(problem.guests[g] for g in guests)
    row = int(problem.restrictions.row_of[guests[0]])
    hosts = np.flatnonzero(problem.restrictions.open[row])
    largest = problem.demand[guests].max(axis=0)
    roomiest = facts.most[hosts].max(axis=0, initial=0)
    missing = {
        resource: int(want - room)
        for resource, want, room in zip(problem.resources, largest, roomiest, strict=True)
        if want > room
    }
    of_what = f" of {names(tuple(missing))}" if missing else ""
    text = (
        f"{names(named)} {'needs' if len(named) == 1 else 'need'} more{of_what} than any of"
        f" {plural(len(hosts), 'host')} open to {'it' if len(named) == 1 else 'them'} can give"
    )
    rules = (facts.capacity,)
    return _of_guests(facts, Cause.GUEST_TOO_LARGE, rules, guests, text, missing)


def _code(facts: Facts, cause: Cause, guests: NDArray[np.int64], missing: Mapping[str, int]) -> str:
    """The code of the breach that these guests are where they stay; or why none is open."""
    at_home = guests[facts.has_host[guests]]
    if missing:
        return reasons.no_capacity(next(iter(missing)))
    if cause is Cause.HEALTH or not len(facts.problem.hosts):
        return Reason.NO_NODES_ACTIVE
    if not len(at_home):
        return Reason.NOT_PLACED
    first = facts.problem.guests[int(at_home[0])]
    broken = (b.code for b in facts.problem.standing.values() if first in b.guests)
    return next(broken, Reason.PINNED_ELSEWHERE)


def _of_guests(
    facts: Facts,
    cause: Cause,
    rules: tuple[str, ...],
    guests: NDArray[np.int64],
    text: str,
    missing: Mapping[str, int] | None = None,
) -> Certificate:
    return Certificate(
        cause,
        _code(facts, cause, guests, missing or {}),
        rules,
        text,
        severity=points(facts, guests) * COLLISION,
        guests=tuple(facts.problem.guests[g] for g in guests),
        amounts=FrozenMap(missing or {"guests": len(guests)}),
        marks=frozenset(("guest", int(g)) for g in guests),
    )
