# SPDX-License-Identifier: Apache-2.0
"""The score of a fleet, 0 to 100, whatever its goal: half for rules, half for balance.

    score = 50 x K / (K + S) + 50 x (1 - M)

S is what broken must-rules weigh, in collisions; K = 4 + guests / 100, so that one breach of a
small fleet costs ten points and one of a large fleet shows. M is the part of all memory that lies
on the wrong host: half the sum of |load - target| over open hosts, by the sum of loads; this is
the mean absolute deviation weighted by capacity, brought to 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import Measure, share_of, taken_of
from moorage.goals.residents import residents
from moorage.goals.windows import mean_of
from moorage.model.resources import MEMORY
from moorage.problem.problem import COLLISION, NOWHERE, Problem
from moorage.problem.tiers import severity_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Reals = NDArray[np.float64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]

HALF: Final = 50
FORBEARANCE: Final = 4
GUESTS_PER_BREACH: Final = 100
DIGITS: Final = 2


@dataclass(frozen=True, eq=False)
class Balance:
    """Memory of hosts against what they should have of it.

    Attributes:
        amounts: of each guest.
        target: of each host.
        counts: the hosts that balance.
        total: of all guests that are on those hosts or should be.
    """

    amounts: Ints
    target: Ints
    counts: Flags
    total: int

    def loads(self, placement: Indices) -> Ints:
        """What each host has under *placement*."""
        found = np.zeros(len(self.target), dtype=np.int64)
        placed = placement != NOWHERE
        np.add.at(found, placement[placed], self.amounts[placed])
        return found

    def off(self, hosts: Indices, loads: Ints) -> Ints:
        """How far *loads* are from the targets of *hosts*; nothing for hosts that don't count."""
        known = (hosts != NOWHERE) & self.counts[hosts]
        return np.asarray(np.where(known, np.abs(loads - self.target[hosts]), 0))

    def misplaced(self, placement: Indices) -> Fraction:
        """The part of all memory that lies on the wrong host."""
        if not self.total:
            return Fraction(0)
        off = np.abs(self.loads(placement) - self.target)[self.counts]
        return min(Fraction(1), Fraction(int(off.sum()), 2 * self.total))


def score(problem: Problem, placement: Indices, severity: int | None = None) -> float:
    """Return the score of *placement*, to two decimals.

    Args:
        problem: the fleet.
        placement: host of each guest.
        severity: what it breaks of must-rules, where that is known; else rules are asked.
    """
    broken = severity_of(problem, placement) if severity is None else severity
    rules = Fraction(forbearance(problem), forbearance(problem) + broken)
    misplaced = balance_of(problem).misplaced(placement)
    return float(round(HALF * rules + HALF * (1 - misplaced), DIGITS))


def gains(problem: Problem, placement: Indices, severity: int | None = None) -> Reals:
    """Return what each guest's move adds to the score, to two decimals; 0 for who stays.

    It is the score of *placement* less the score with that guest left where it starts, all
    others moved. Of rules it counts those that look at the guest alone, capacity of hosts, and
    that it has a host at all; rules over several guests would have to be asked guest by guest.
    """
    found = np.zeros(len(problem.guests), dtype=np.float64)
    moved = np.flatnonzero((placement != problem.start) & (placement != NOWHERE))
    if len(moved):
        broken = severity_of(problem, placement) if severity is None else severity
        left = broken + relief(problem, placement, moved)
        patience = float(forbearance(problem))
        rules = HALF * (patience / (patience + broken) - patience / (patience + left))
        found[moved] = np.round(rules + _of_balance(problem, placement, moved), DIGITS) + 0.0
    return found


def forbearance(problem: Problem) -> int:
    """What may be broken until half of the points for rules are gone."""
    return FORBEARANCE * COLLISION + len(problem.guests) * COLLISION // GUESTS_PER_BREACH


def balance_of(problem: Problem) -> Balance:
    """Return what hosts should have of memory: equal shares, or what can't leave them."""
    nothing = np.zeros(len(problem.hosts), dtype=np.int64)
    if not problem.guests or not problem.hosts:
        return Balance(np.zeros(len(problem.guests), dtype=np.int64), nothing, nothing > 0, 0)
    memory = taken_of(problem, MEMORY)
    here = residents(problem)
    fixed = here.fixed_load(memory.amounts)
    mean = mean_of(memory, here, fixed, None)
    target = np.maximum(share_of(memory.room, mean.share), fixed)
    return Balance(memory.amounts, target, here.open, _total(memory, here.counted))


def _total(memory: Measure, counted: Flags) -> int:
    return int(memory.amounts[counted].sum())


def _of_balance(problem: Problem, placement: Indices, moved: NDArray[np.intp]) -> Reals:
    """Points that each of *moved* gains by balance."""
    balance = balance_of(problem)
    if not balance.total:
        return np.zeros(len(moved), dtype=np.float64)
    loads, amounts = balance.loads(placement), balance.amounts[moved]
    source, target = problem.start[moved], placement[moved]
    now = balance.off(source, loads[source]) + balance.off(target, loads[target])
    back = balance.off(source, loads[source] + amounts)
    back += balance.off(target, loads[target] - amounts)
    return np.asarray(HALF * (back - now) / (2 * balance.total))


def relief(problem: Problem, placement: Indices, moved: NDArray[np.intp]) -> Ints:
    """What each of *moved* would break, of severity, that went back to its start."""
    rules, start = problem.restrictions, problem.start[moved]
    found = np.where(start == NOWHERE, 1, rules.broken_at_start[moved]) * COLLISION
    return np.asarray(found + _of_capacity(problem, placement, moved))


def _of_capacity(problem: Problem, placement: Indices, moved: NDArray[np.intp]) -> Ints:
    """What would be over capacity more, on start and target together."""
    loads, demand = _taken(problem, placement, moved), problem.demand[moved]
    source, target = problem.start[moved], placement[moved]
    unit = np.array([problem.unit(resource) for resource in problem.resources], dtype=np.int64)
    # A moved guest still holds some resources where it was: there nothing would change.
    back = demand * ~problem.held
    there = loads[source] - problem.usable[source]
    here = loads[target] - problem.usable[target]
    more = np.maximum(0, there + back) - np.maximum(0, there)
    more[source == NOWHERE] = 0
    less = np.maximum(0, here) - np.maximum(0, here - demand)
    return np.asarray(((more - less) * unit).sum(axis=1))


def _taken(problem: Problem, placement: Indices, moved: NDArray[np.intp]) -> Ints:
    """What is taken of each resource on each host at the end."""
    loads = np.zeros_like(problem.usable)
    placed = placement != NOWHERE
    np.add.at(loads, placement[placed], problem.demand[placed])
    held = moved[problem.start[moved] != NOWHERE]
    np.add.at(loads, problem.start[held], problem.demand[held] * problem.held)
    return loads
