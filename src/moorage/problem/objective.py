# SPDX-License-Identifier: Apache-2.0
"""A goal as one integer sum over hosts and moved guests, which every engine can follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Objective:
    """What is to be made small. With L = what guests on a host have of a dimension, the sum of

    - over levels, hosts, dimensions: price x (max(0, L - high) + max(0, low - L)),
    - over hosts that hold any guest: used_price,
    - over hosts: slot_price x how often slot_shape still fits, taken off,
    - over guests that end on another host than they start on: move_price.

    Attributes:
        amounts: what each guest has of each dimension, [guest, dimension].
        high: above it each unit costs, [level, host, dimension].
        low: below it each unit costs, [level, host, dimension]; 0 never costs.
        price: of a unit past a level, beside those of the levels before, [level, dimension].
        used_price: [host].
        slot_shape: [resource] in the order of the problem's; all zero for none.
        slot_price: [host].
        move_price: [guest].
    """

    amounts: Ints
    high: Ints
    low: Ints
    price: Ints
    used_price: Ints
    slot_shape: Ints
    slot_price: Ints
    move_price: Ints

    def host_values(self, problem: Problem, placement: Indices) -> Ints:
        """What each host costs under *placement*."""
        placed = placement >= 0
        at = placement[placed]
        load = np.zeros((len(problem.hosts), self.amounts.shape[1]), dtype=np.int64)
        np.add.at(load, at, self.amounts[placed])
        past = np.maximum(0, load - self.high) + np.maximum(0, self.low - load)
        found: Ints = (past * self.price[:, None, :]).sum(axis=(0, 2), dtype=np.int64)
        found += self.used_price * (np.bincount(at, minlength=len(found)) > 0)
        if self.slot_shape.any():
            found -= self.slot_price * self.slots(problem, placement)
        return found

    def slots(self, problem: Problem, placement: Indices) -> Ints:
        """How often the shape still fits on each host."""
        placed = placement >= 0
        free = problem.usable.copy()
        np.subtract.at(free, placement[placed], problem.demand[placed])
        wanted = self.slot_shape > 0
        if not wanted.any():
            return np.zeros(len(problem.hosts), dtype=np.int64)
        counts: Ints = (free[:, wanted] // self.slot_shape[wanted]).min(axis=1)
        return np.maximum(0, counts)

    def move_value(self, problem: Problem, placement: Indices) -> int:
        """What the moves to *placement* cost."""
        moved = (placement != problem.start) & (problem.start >= 0)
        return int(self.move_price[moved].sum())

    def value(self, problem: Problem, placement: Indices) -> int:
        """The whole sum under *placement*."""
        hosts = int(self.host_values(problem, placement).sum())
        return hosts + self.move_value(problem, placement)
