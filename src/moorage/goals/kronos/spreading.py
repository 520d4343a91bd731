# SPDX-License-Identifier: Apache-2.0
"""Spread: each round makes the one move that improves the combined imbalance most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moorage.goals.kronos.policies import Policies
from moorage.goals.options import MILLION
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]
    Admits = Callable[[Indices, int, int], bool]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Moves that might be made: each guest's way from source to target."""

    guests: Ints
    sources: Ints
    targets: Ints

    def only(self, which: Flags | Ints) -> Pairs:
        """Return some of them."""
        return Pairs(self.guests[which], self.sources[which], self.targets[which])


def spread(problem: Problem, policies: Policies, placement: Indices, admits: Admits) -> None:
    """Move guests in *placement* until all is well, the budget is spent, or nothing improves."""
    loads = policies.loads(placement)
    for _ in range(policies.budget):
        if (policies.imbalance(loads) <= policies.thresholds).all():
            return
        pairs = improving(problem, policies, placement, loads)
        moves = zip(pairs.guests.tolist(), pairs.targets.tolist(), strict=True)
        move = next(((g, h) for g, h in moves if admits(placement, g, h)), None)
        if move is None:
            return
        guest, host = move
        loads[placement[guest]] -= policies.amounts[guest]
        loads[host] += policies.amounts[guest]
        placement[guest] = host


def improving(problem: Problem, policies: Policies, placement: Indices, loads: Ints) -> Pairs:
    """Return the moves that would improve the whole and hurt no policy, the best first.

    A move hurts a policy that is worse after it and above its threshold. Equals go by source,
    guest, target.
    """
    pairs = candidates(problem, policies, placement, loads)
    old = policies.imbalance(loads)
    new = imbalance_after(policies, pairs, loads)
    hurts = ((new > old) & (new > policies.thresholds)).any(axis=1)
    gain = (old - new) @ policies.weights
    good = ~hurts & (gain > 0)
    pairs, gain = pairs.only(good), gain[good]
    return pairs.only(np.lexsort((pairs.targets, pairs.guests, pairs.sources, -gain)))


def candidates(problem: Problem, policies: Policies, placement: Indices, loads: Ints) -> Pairs:
    """Return moves off a fullest host or onto an emptiest one of some policy.

    No other move makes any range smaller, so that none is missed.
    """
    scores = policies.scores(loads)
    scope = policies.scope
    inside = scores[scope]
    full = scope & (scores == inside.max(axis=0)).any(axis=1)
    empty = scope & (scores == inside.min(axis=0)).any(axis=1)
    movable = np.flatnonzero((placement >= 0) & ~problem.restrictions.is_stuck)
    movable = movable[scope[placement[movable]]]
    leaving = movable[full[placement[movable]]]
    staying = movable[~full[placement[movable]]]
    everywhere, coldest = np.flatnonzero(scope), np.flatnonzero(empty)
    guests = np.concatenate([np.repeat(leaving, len(everywhere)), np.repeat(staying, len(coldest))])
    targets = np.concatenate([np.tile(everywhere, len(leaving)), np.tile(coldest, len(staying))])
    found = Pairs(guests, placement[guests].astype(np.int64), targets)
    rules = problem.restrictions
    may = rules.open[rules.row_of[guests], targets] | (targets == rules.start[guests])
    return found.only(may & (found.targets != found.sources))


def imbalance_after(policies: Policies, pairs: Pairs, loads: Ints) -> Ints:
    """Return the imbalance of each policy after each move by itself, [move, policy]."""
    amounts, cap = policies.amounts[pairs.guests], policies.cap
    left = MILLION * (loads[pairs.sources] - amounts) // cap[pairs.sources]
    joined = MILLION * (loads[pairs.targets] + amounts) // cap[pairs.targets]
    scores = policies.scores(loads)
    found = np.empty((len(pairs.guests), len(policies.active)), dtype=np.int64)
    for column in range(found.shape[1]):
        one = np.where(policies.scope, scores[:, column], -1)
        other = np.where(policies.scope, -scores[:, column], -(2**62))
        top = _largest_of_others(one, pairs)
        low = -_largest_of_others(other, pairs)
        highest = np.maximum(np.maximum(left[:, column], joined[:, column]), top)
        lowest = np.minimum(np.minimum(left[:, column], joined[:, column]), low)
        found[:, column] = highest - lowest
    return found


def _largest_of_others(values: Ints, pairs: Pairs) -> Ints:
    """Return the largest of *values* beside those of the two hosts of each move."""
    order = np.argsort(-values, kind="stable")[:3]
    ranked = [int(host) for host in order]
    lowest = np.full(len(pairs.guests), -(2**62), dtype=np.int64)
    for host in reversed(ranked):
        apart = (pairs.sources != host) & (pairs.targets != host)
        lowest = np.where(apart, values[host], lowest)
    return lowest
