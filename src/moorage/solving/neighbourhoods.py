# SPDX-License-Identifier: Apache-2.0
"""Parts of a problem small enough for the exact engine, where something may be won."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moorage.problem import Objective, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Part:
    """Some guests that are free to move, and the hosts that are open to them."""

    free: Flags
    open_hosts: Flags


class Neighbourhoods:
    """Draws parts around hosts that cost, moves that were made, and chance, in turn.

    The same seed draws the same parts.
    """

    def __init__(self, problem: Problem, objective: Objective | None, seed: int) -> None:
        self.problem = problem
        self.objective = objective
        self.random = np.random.default_rng(seed)
        self._turn = 0

    def draw(self, placement: Indices, cells: int) -> Part:
        """Draw a part of about *cells* pairs of a free guest and an open host."""
        kinds = (self._around_costs, self._around_moves, self._by_chance)
        order = kinds[self._turn % len(kinds)](placement)
        self._turn += 1
        return self._fill(placement, order, cells)

    def around(self, placement: Indices, guests: Indices, cells: int) -> Part:
        """A part in which *guests* are free, and the hosts where they are or might go."""
        hosts = [placement[g] for g in guests.tolist() if placement[g] >= 0]
        reach = self._reach(guests)
        order = np.concatenate([np.array(hosts, dtype=np.int64), reach])
        part = self._fill(placement, order, cells)
        part.free[guests] = True
        return part

    def _fill(self, placement: Indices, order: NDArray[np.int64], cells: int) -> Part:
        """Open hosts in *order*, with all their guests, while they stay within *cells*."""
        count = np.bincount(placement[placement >= 0], minlength=len(self.problem.hosts))
        chosen: dict[int, None] = {}
        guests = 0
        for host in order.tolist():
            if host in chosen:
                continue
            if len(chosen) >= 2 and (guests + count[host]) * (len(chosen) + 1) > cells:
                break
            chosen[host] = None
            guests += int(count[host])
        open_hosts = np.zeros(len(self.problem.hosts), dtype=np.bool_)
        open_hosts[list(chosen)] = True
        free = np.where(placement >= 0, open_hosts[np.maximum(placement, 0)], False)
        return Part(free, open_hosts)

    def _costs(self, placement: Indices) -> NDArray[np.int64]:
        if self.objective is None:
            return np.zeros(len(self.problem.hosts), dtype=np.int64)
        return self.objective.level_values(self.objective.loads(placement))

    def _around_costs(self, placement: Indices) -> NDArray[np.int64]:
        """A host that costs, and others in an order that prefers such."""
        costs = self._costs(placement).astype(np.float64)
        if not costs.any():
            return self._by_chance(placement)
        keys = self.random.random(len(costs)) ** (1.0 / (costs / costs.max() + 0.05))
        return np.argsort(-keys, kind="stable")

    def _around_moves(self, placement: Indices) -> NDArray[np.int64]:
        """The two hosts of a move, then those of others that share one of them."""
        start = self.problem.start
        moved = np.flatnonzero((placement != start) & (start >= 0) & (placement >= 0))
        if not len(moved):
            return self._by_chance(placement)
        moved = self.random.permutation(moved)
        first = moved[0]
        ends = np.stack([start[moved], placement[moved]], axis=1)
        touches = np.isin(ends, [start[first], placement[first]]).any(axis=1)
        near = np.concatenate([ends[touches].ravel(), ends[~touches].ravel()])
        return np.concatenate([near.astype(np.int64), self._by_chance(placement)])

    def _by_chance(self, _placement: Indices) -> NDArray[np.int64]:
        return self.random.permutation(len(self.problem.hosts))

    def _reach(self, guests: Indices) -> NDArray[np.int64]:
        """Hosts where *guests* may be, those that most of them may be on first."""
        rows = self.problem.restrictions.row_of[guests]
        votes = self.problem.restrictions.open[rows].sum(axis=0)
        keys = votes + self.random.random(len(votes))
        return np.argsort(-keys, kind="stable")[: int((votes > 0).sum())]
