# SPDX-License-Identifier: Apache-2.0
"""How many hosts guests need at least, what those cost, and how many slots can be left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.bounds.facts import BOUNDLESS, Facts
from moorage.problem.objective import Objective
from moorage.rules.apart import Apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]


def used_bound(facts: Facts, prices: Ints, placed: Flags, *, whole: bool) -> int:
    """Bound what hosts in use cost, for guests that surely have a host.

    Args:
        facts: of the problem.
        prices: of each host that holds guests.
        placed: guests that have a host at the end.
        whole: whether all rules hold at the end; else those that stand broken may stay so.
    """
    problem = facts.problem
    gifts = int(np.minimum(prices, 0).sum())
    if not placed.any() or not (prices > 0).any():
        return gifts
    taken = np.unique(problem.start[facts.fixed]) if facts.keeps else np.zeros(0, dtype=np.int64)
    sure = int(np.maximum(prices[taken], 0).sum())
    costs = np.maximum(prices, 0)
    costs[taken] = 0
    room = np.maximum(problem.usable, facts.least) if whole else facts.most
    count = max(1, _domains(facts, placed, whole=whole))
    best = int(np.sort(np.maximum(prices, 0))[:count].sum())
    for column in np.flatnonzero(~problem.held).tolist() if facts.capacity else ():
        demand = problem.demand[placed, column]
        usable = np.maximum(0, room[:, column])
        best = max(best, sure + _bought(costs, usable, int(demand.sum())))
        count = max(count, _pigeonholes(demand, int(usable.max(initial=0))))
    return gifts + max(best, sure, int(np.sort(np.maximum(prices, 0))[:count].sum()))


def _bought(costs: Ints, usable: Ints, wanted: int) -> int:
    """The cheapest hosts, the last in part, that give what those for nothing don't."""
    left = wanted - int(usable[costs == 0].sum())
    buy = np.flatnonzero((costs > 0) & (usable > 0))
    if left <= 0 or not len(buy):
        return 0
    ranked = buy[np.argsort(costs[buy] / usable[buy], kind="stable")]
    by_price = _filled(costs[ranked], usable[ranked], left)
    largest = np.cumsum(np.sort(usable[buy])[::-1])
    count = int(np.searchsorted(largest, left)) + 1
    return max(by_price, int(np.sort(costs[buy])[:count].sum()))


def _filled(costs: Ints, usable: Ints, wanted: int) -> int:
    total = np.cumsum(usable)
    full = int(np.searchsorted(total, wanted))
    paid = int(costs[:full].sum())
    if full >= len(usable):
        return paid
    rest = wanted - (int(total[full - 1]) if full else 0)
    return paid - (-rest * int(costs[full]) // int(usable[full]))


def _pigeonholes(demand: Ints, room: int) -> int:
    """How many hosts of the largest size items need: those over half, and what fits not beside.

    For each size that counts as small: items so large that no small one fits beside them have a
    host each, others over half have one each too, and the rest has to fit into what is left.
    """
    if room <= 0 or room >= BOUNDLESS:
        return 0
    demand = np.sort(demand[demand > 0])
    total = np.concatenate([[0], np.cumsum(demand)])
    half = int(np.searchsorted(demand, room // 2, side="right"))
    best = -(-int(total[-1]) // room)
    for small in np.unique(demand[:half])[:200].tolist() or [0]:
        huge = int(np.searchsorted(demand, room - small, side="right"))
        first = int(np.searchsorted(demand, small, side="left"))
        huge = max(huge, half)
        single, middle = len(demand) - huge, huge - half
        spare = middle * room - int(total[huge] - total[half])
        rest = int(total[half] - total[first]) - spare
        best = max(best, single + middle + max(0, -(-rest // room)))
    return best


def _domains(facts: Facts, placed: Flags, *, whole: bool) -> int:
    """How many hosts groups need that keep apart, by host or by a domain of hosts."""
    problem, best = facts.problem, 0
    standing = {key[0] for key in problem.standing}
    for rule in problem.must:
        if isinstance(rule, Apart) and rule.most and (whole or rule.label not in standing):
            index = problem.guest_index
            members = [i for g in rule.guests if (i := index.get(g)) is not None and placed[i]]
            best = max(best, -(-len(members) // rule.most))
    return best


def slots_bound(facts: Facts, objective: Objective, placed: Flags) -> int:
    """Bound (from below, as they are taken off) what slots are worth, if hosts are well filled."""
    problem, shape = facts.problem, objective.slot_shape
    wanted = np.flatnonzero(shape > 0)
    prices = objective.slot_price
    if not len(wanted) or not prices.any():
        return 0
    least = facts.least[:, wanted]
    least = np.where(problem.held[wanted], 0, least) if facts.keeps else least * 0
    alone = np.maximum(0, (problem.usable[:, wanted] - least) // shape[wanted]).min(axis=1)
    worth = int((np.maximum(prices, 0) * alone).sum())
    for column in wanted.tolist() if facts.capacity else ():
        worth = min(worth, _pooled(facts, prices, alone, placed, column, int(shape[column])))
    return -worth


def _pooled(facts: Facts, prices: Ints, alone: Ints, placed: Flags, column: int, size: int) -> int:
    """What slots are worth at most by all that is free of one resource, the best hosts first."""
    problem = facts.problem
    over = np.maximum(0, facts.start_load[:, column] - problem.usable[:, column])
    free = problem.usable[:, column].sum() + over.sum() - problem.demand[placed, column].sum()
    left = max(0, int(free) // size)
    worth = 0
    for host in np.argsort(-prices, kind="stable").tolist():
        if prices[host] <= 0 or left <= 0:
            break
        count = min(left, int(alone[host]))
        worth += count * int(prices[host])
        left -= count
    return worth
