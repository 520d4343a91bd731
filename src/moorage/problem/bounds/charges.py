# SPDX-License-Identifier: Apache-2.0
"""What guests cost by themselves: where they stay, and more if they leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.bounds.facts import BOUNDLESS, Facts
from moorage.problem.objective import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

MOST_PAIRS: Final = 50_000_000


@dataclass(frozen=True, eq=False)
class Charges:
    """Prices of moves, places and pairs, told apart by guest.

    Attributes:
        surely: what all guests cost together, wherever they end.
        leaving: what each guest costs beside that if it ends on another host; never negative.
    """

    surely: int
    leaving: Ints


def charges(facts: Facts, objective: Objective) -> Charges:
    """Bound what each guest pays from below, for staying and for leaving."""
    problem = facts.problem
    count = len(problem.guests)
    at = np.arange(count)
    stay, there = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    if objective.place_price.size:
        placed = np.flatnonzero(facts.has_host)
        stay[placed] = objective.place_price[at[placed], problem.start[placed]]
        there = _elsewhere(facts, objective)
    leave = there + np.where(facts.has_host, objective.move_price + _pairs(facts, objective), 0)
    if not facts.keeps:
        return Charges(int(np.minimum(np.minimum(stay, leave), 0).sum()), np.zeros_like(stay))
    stay = np.where(facts.has_host, stay, 0)
    moves = ~facts.fixed & ~facts.absent
    surely = np.where(moves, np.minimum(stay, leave), stay)
    return Charges(int(surely.sum()), np.where(moves, np.maximum(0, leave - stay), 0))


def _elsewhere(facts: Facts, objective: Objective) -> Ints:
    """The cheapest place of each guest among the hosts open to it, its own left out."""
    restrictions = facts.problem.restrictions
    open_to = restrictions.open[restrictions.row_of]
    placed = np.flatnonzero(facts.has_host)
    open_to[placed, facts.problem.start[placed]] = False
    prices = np.where(open_to, objective.place_price, BOUNDLESS)
    found: Ints = prices.min(axis=1, initial=BOUNDLESS)
    return np.where(found == BOUNDLESS, 0, found)


def _pairs(facts: Facts, objective: Objective) -> Ints:
    """The cheapest way from each guest's host to another, by the price of pairs of hosts."""
    start, hosts = facts.problem.start, len(facts.problem.hosts)
    if not objective.pair_price.size or hosts < 2:
        return np.zeros(len(start), dtype=np.int64)
    rows = facts.problem.restrictions
    if len(rows.open) * hosts * hosts > MOST_PAIRS:
        return _cheapest(objective.pair_price, np.ones(hosts, dtype=np.bool_))[start]
    found = np.zeros(len(start), dtype=np.int64)
    for row in range(len(rows.open)):
        mine = rows.row_of == row
        found[mine] = _cheapest(objective.pair_price, rows.open[row])[start[mine]]
    return found


def _cheapest(prices: Ints, to: Flags) -> Ints:
    """By host: the cheapest other host of some."""
    masked = np.where(to, prices, BOUNDLESS)
    np.fill_diagonal(masked, BOUNDLESS)
    found: Ints = masked.min(axis=1)
    return np.where(found == BOUNDLESS, 0, found)
