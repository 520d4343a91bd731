# SPDX-License-Identifier: Apache-2.0
"""Goals that count gaps between hosts, looked at through windows.

A gap is the business of two hosts: hardly any move changes it, and a search that follows it walks
on a plain. Through a window each host pays for whatever it has outside, so that every move counts.
Which window is best nobody knows beforehand; an estimate of what each costs says where to begin,
and what comes of it where to go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem import Objective, Problem, Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]

BOUNDLESS: Final = 2**60
STEEP: Final = 4
"""A unit outside of the window costs so much more than what it would cost anywhere else."""
GRID: Final = 48
"""Edges on each side of the mean that are estimated."""
FIRST: Final = 5
"""Windows that are tried before the best of them is varied."""

Edges = tuple[tuple[int, int], ...]
"""The lower and the upper edge of each gap that counts, in the objective's scaled loads."""


@dataclass(frozen=True, eq=False)
class Gap:
    """One dimension whose range counts.

    Attributes:
        loads: what each host has now.
        over: the hosts that count.
        fares: what moving each guest costs.
    """

    dimension: int
    weight: int
    scale: int
    cap: Ints
    loads: Ints
    over: Flags
    amounts: Ints
    start: Indices
    fares: Ints

    @property
    def now(self) -> Ints:
        """The measure now of each host that counts."""
        return np.asarray((self.scale * self.loads // self.cap)[self.over])

    def estimates(self) -> list[tuple[int, int]]:
        """Windows around the mean by what they cost about, the cheapest first."""
        now, loads, cap = self.now, self.loads[self.over], self.cap[self.over]
        mean = self.scale * int(loads.sum()) // max(1, int(cap.sum()))
        lower = np.unique(np.linspace(min(int(now.min()), mean), mean, GRID).astype(np.int64))
        upper = np.unique(np.linspace(mean, max(int(now.max()), mean), GRID).astype(np.int64))
        surplus = np.maximum(0, loads - ((upper[:, None] + 1) * cap - 1) // self.scale)
        lacks = np.maximum(0, lower[:, None] * cap // self.scale - loads).sum(axis=1)
        rates = self._rates()
        giving, taking = (surplus * rates).sum(axis=1), lacks * float(rates.mean())
        costs = np.maximum(giving[None, :], taking[:, None])
        costs = costs + self.weight * (upper[None, :] - lower[:, None])
        rows, columns = np.unravel_index(np.argsort(costs, axis=None, kind="stable"), costs.shape)
        return [(int(lower[i]), int(upper[j])) for i, j in zip(rows, columns, strict=True)]

    def _rates(self) -> NDArray[np.float64]:
        """What a unit costs about that leaves each host that counts."""
        useful = (self.amounts > 0) & (self.start >= 0)
        start, hosts = self.start[useful], len(self.loads)
        paid = np.bincount(start, self.fares[useful], minlength=hosts)
        has = np.bincount(start, self.amounts[useful], minlength=hosts)
        return np.asarray((paid / np.maximum(has, 1))[self.over])

    def price(self) -> int:
        """What a unit outside of the window costs: more than any way to bring it inside."""
        useful = self.amounts > 0
        dearest = float(np.quantile(self.fares[useful] / self.amounts[useful], 0.9))
        straight = self.weight * self.scale / max(1, int(self.cap[self.over].min()))
        return STEEP * int(max(dearest, straight) + 1)


class Windows:
    """The windows of one goal."""

    def __init__(self, problem: Problem, tiers: tuple[Tier, ...]) -> None:
        self.problem = problem
        self.tiers = tiers
        shown = [i for i, t in enumerate(tiers) if t.shown and t.objective is not None]
        self.place = next((i for i in shown if _has_gaps(tiers[i].objective)), -1)
        found = tiers[self.place].objective if self.place >= 0 else None
        self.gaps = [] if found is None else _gaps(problem, found)

    def __bool__(self) -> bool:
        return bool(self.gaps)

    @property
    def _objective(self) -> Objective:
        found = self.tiers[self.place].objective
        assert found is not None
        return found

    def through(self, edges: Edges) -> tuple[Tier, ...]:
        """Return the tiers up to the goal, with what is outside of a window in place of gaps."""
        goal, hosts = self._objective, len(self.problem.hosts)
        levels, width = goal.price.shape
        high = np.full((levels + 1, hosts, width), BOUNDLESS, dtype=np.int64)
        low = np.full((levels + 1, hosts, width), -BOUNDLESS, dtype=np.int64)
        price = np.zeros((levels + 1, width), dtype=np.int64)
        high[:levels], low[:levels], price[:levels] = goal.high, goal.low, goal.price
        for gap, (below, above) in zip(self.gaps, edges, strict=True):
            d = gap.dimension
            top, bottom = ((above + 1) * gap.cap - 1) // gap.scale, -(-below * gap.cap // gap.scale)
            high[levels, :, d] = np.where(goal.range_over, top, BOUNDLESS)
            low[levels, :, d] = np.where(goal.range_over, bottom, -BOUNDLESS)
            price[levels, d] = gap.price()
        weights = goal.range_weight.copy()
        weights[[gap.dimension for gap in self.gaps]] = 0
        flat = replace(goal, high=high, low=low, price=price, range_weight=weights)
        before = [tier for tier in self.tiers[: self.place] if tier.shown or tier.repairs]
        return (*before, replace(self.tiers[self.place], objective=flat))

    def edges_of(self, placement: Indices) -> Edges:
        """The narrowest window that holds a placement."""
        goal = self._objective
        loads, over = goal.loads(placement), goal.range_over
        found = []
        for gap in self.gaps:
            scaled = (gap.scale * loads[:, gap.dimension] // gap.cap)[over]
            found.append((int(scaled.min()), int(scaled.max())))
        return tuple(found)

    def first(self) -> Iterator[Edges]:
        """Windows to begin with, which differ enough to be worth a look each."""
        ranked = [gap.estimates() for gap in self.gaps]
        chosen: list[list[tuple[int, int]]] = []
        for gap, estimates in zip(self.gaps, ranked, strict=True):
            apart = max(1, int(np.ptp(gap.now)) // 16)
            mine: list[tuple[int, int]] = []
            for below, above in estimates:
                if all(abs(below - b) + abs(above - a) >= apart for b, a in mine):
                    mine.append((below, above))
                if len(mine) == FIRST:
                    break
            chosen.append(mine)
        for number in range(FIRST):
            yield tuple(mine[min(number, len(mine) - 1)] for mine in chosen)

    def around(self, edges: Edges, step: float) -> Iterator[Edges]:
        """Windows a little wider, narrower, higher and lower than one."""
        for place, gap in enumerate(self.gaps):
            below, above = edges[place]
            by = max(1, int(step * max(above - below, int(np.ptp(gap.now)) // 50)))
            for down, up in ((0, -1), (1, 0), (0, 1), (-1, 0), (1, 1), (-1, -1), (1, -1)):
                moved = (below + down * by, above + up * by)
                if moved[0] <= moved[1]:
                    yield (*edges[:place], moved, *edges[place + 1 :])


def _has_gaps(objective: Objective | None) -> bool:
    return objective is not None and objective.has_ranges and bool(objective.range_over.any())


def _gaps(problem: Problem, objective: Objective) -> list[Gap]:
    loads, over = objective.loads(problem.start), objective.range_over
    return [
        Gap(
            dimension=d,
            weight=int(objective.range_weight[d]),
            scale=int(objective.range_scale[d]),
            cap=objective.range_cap[:, d],
            loads=loads[:, d],
            over=over,
            amounts=objective.amounts[:, d],
            start=problem.start,
            fares=objective.move_price,
        )
        for d in np.flatnonzero(objective.range_weight > 0).tolist()
        if (objective.amounts[:, d] >= 0).all() and objective.amounts[:, d].any()
    ]
