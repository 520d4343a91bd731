# SPDX-License-Identifier: Apache-2.0
"""A goal as one integer sum over hosts and moved guests, which every engine can follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Objective:
    """What is to be made small: a sum of the following terms.

    With L = base + what guests on a host have of a dimension:

    - over levels, hosts, dimensions: price x (max(0, L - high) + max(0, low - L)),
    - over dimensions: range_weight x (max - min of floor(range_scale x L / range_cap)), over the
      hosts that range_over names,
    - over hosts that hold any guest: used_price,
    - over hosts: slot_price x how often slot_shape still fits, taken off,
    - over guests: place_price of the host where they end,
    - over guests that end on another host than they start on: move_price, and pair_price of
      the two hosts,
    - group_price x the largest number of guests moved in any one group,
    - a constant.

    A guest without a host has no part in any of them; one that starts without a host never
    counts as moved.

    Attributes:
        amounts: what each guest has of each dimension, [guest, dimension]; may be negative.
        base: what a host has of it before any guest, [host, dimension].
        high: above it each unit costs, [level, host, dimension].
        low: below it each unit costs, [level, host, dimension].
        price: of a unit past a level, beside those of the levels before, [level, dimension].
        range_weight: [dimension]; 0 leaves it out.
        range_scale: [dimension].
        range_cap: [host, dimension], positive.
        range_over: the hosts that count in ranges, [host].
        used_price: [host].
        slot_shape: [resource] in the order of the problem's; all zero for none.
        slot_price: [host].
        place_price: [guest, host], or of no size at all for none.
        move_price: [guest].
        pair_price: [host, host] from start to end, or of no size at all for none.
        group_of: number of each guest's group, or -1, [guest].
        group_price: of the largest number of guests moved in one group.
        constant: added, so that the sum is a number that others know.
    """

    amounts: Ints
    base: Ints
    high: Ints
    low: Ints
    price: Ints
    range_weight: Ints
    range_scale: Ints
    range_cap: Ints
    range_over: Flags
    used_price: Ints
    slot_shape: Ints
    slot_price: Ints
    place_price: Ints
    move_price: Ints
    pair_price: Ints
    group_of: Indices
    group_price: int = 0
    constant: int = 0

    @property
    def has_ranges(self) -> bool:
        """Whether any dimension counts by its range."""
        return bool(self.range_weight.any())

    def loads(self, placement: Indices) -> Ints:
        """What each host has of each dimension under *placement*."""
        found = self.base.copy()
        placed = placement >= 0
        np.add.at(found, placement[placed], self.amounts[placed])
        return found

    def level_values(self, loads: Ints) -> Ints:
        """What each host pays for levels that *loads* pass."""
        past = np.maximum(0, loads - self.high) + np.maximum(0, self.low - loads)
        found: Ints = (past * self.price[:, None, :]).sum(axis=(0, 2), dtype=np.int64)
        return found

    def range_values(self, loads: Ints) -> Ints:
        """The weighted range of each dimension."""
        if not self.has_ranges or not self.range_over.any():
            return np.zeros_like(self.range_weight)
        scaled = (self.range_scale * loads // self.range_cap)[self.range_over]
        found: Ints = self.range_weight * (scaled.max(axis=0) - scaled.min(axis=0))
        return found

    def slots(self, problem: Problem, placement: Indices) -> Ints:
        """How often the shape still fits on each host."""
        wanted = self.slot_shape > 0
        if not wanted.any():
            return np.zeros(len(problem.hosts), dtype=np.int64)
        free = problem.usable.copy()
        placed = placement >= 0
        np.subtract.at(free, placement[placed], problem.demand[placed])
        counts: Ints = (free[:, wanted] // self.slot_shape[wanted]).min(axis=1)
        return np.maximum(0, counts)

    def move_value(self, problem: Problem, placement: Indices) -> int:
        """What the moves to *placement* cost."""
        start = problem.start
        moved = (placement != start) & (start >= 0) & (placement >= 0)
        found = int(self.move_price[moved].sum())
        if self.pair_price.size:
            found += int(self.pair_price[start[moved], placement[moved]].sum())
        grouped = moved & (self.group_of >= 0)
        if self.group_price and grouped.any():
            found += self.group_price * int(np.bincount(self.group_of[grouped]).max())
        return found

    def value(self, problem: Problem, placement: Indices) -> int:
        """The whole sum under *placement*."""
        placed = np.flatnonzero(placement >= 0)
        loads = self.loads(placement)
        found = int(self.level_values(loads).sum()) + int(self.range_values(loads).sum())
        used = np.bincount(placement[placed], minlength=len(problem.hosts)) > 0
        found += int(self.used_price[used].sum())
        found -= int((self.slot_price * self.slots(problem, placement)).sum())
        if self.place_price.size:
            found += int(self.place_price[placed, placement[placed]].sum())
        return found + self.move_value(problem, placement) + self.constant


def plain(problem: Problem, dimensions: int = 0, levels: int = 0) -> dict[str, Any]:
    """Return the fields of an objective in which nothing costs anything, to be filled in."""
    guests, hosts = len(problem.guests), len(problem.hosts)

    def none(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return {
        "amounts": none(guests, dimensions),
        "base": none(hosts, dimensions),
        "high": none(levels, hosts, dimensions),
        "low": none(levels, hosts, dimensions),
        "price": none(levels, dimensions),
        "range_weight": none(dimensions),
        "range_scale": none(dimensions),
        "range_cap": none(hosts, dimensions) + 1,
        "range_over": np.ones(hosts, dtype=np.bool_),
        "used_price": none(hosts),
        "slot_shape": none(len(problem.resources)),
        "slot_price": none(hosts),
        "place_price": none(0, 0),
        "move_price": none(guests),
        "pair_price": none(0, 0),
        "group_of": np.full(guests, -1, dtype=np.int32),
    }
