# SPDX-License-Identifier: Apache-2.0
"""What imbalance and the moves against it cost at least: a Lagrangian bound by dimension.

What hosts give away has to arrive on hosts. With a price on each unit that does, each host may
be looked at alone: which residents it sends away, by all sums that they can add up to, and how
much it takes in, by any multiple of a common unit. The sum over hosts is a bound for every such
price; the best price is found by halving, in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.bounds.facts import Facts
from moorage.problem.bounds.shedding import Shedding, shedding
from moorage.problem.bounds.slopes import Slopes, highest
from moorage.problem.objective import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

FINENESS: Final = 256
"""Prices of transfers are looked for in such fractions of one."""
LARGEST: Final = 2**60
MOST_TRIED: Final = 3
"""Dimensions in which the cost of moves is tried: those that could save most by moving."""


@dataclass(frozen=True, eq=False)
class Dimension:
    """One dimension of an objective with levels, and who can change hosts in it.

    Attributes:
        facts: of the problem.
        amounts: what each guest has.
        base: what each host has before any guest.
        slopes: what load costs.
        leave: guests that leave their host in any case.
        arrive: guests without a host that surely get one.
    """

    facts: Facts
    amounts: Ints
    base: Ints
    slopes: Slopes
    leave: Flags
    arrive: Flags

    @cached_property
    def residents(self) -> Flags:
        """Guests that are on a host and may stay there."""
        return np.asarray(self.facts.has_host & ~self.leave)

    @cached_property
    def movable(self) -> Flags:
        """Residents that may leave."""
        return np.asarray(self.residents & ~self.facts.fixed)

    @cached_property
    def wanderers(self) -> Flags:
        """Guests that may come onto a host."""
        return np.asarray(~self.facts.fixed & ~self.facts.absent)

    @cached_property
    def loads(self) -> Ints:
        """What each host has before anybody moves who need not."""
        found = self.base.copy()
        here = self.residents
        np.add.at(found, self.facts.problem.start[here], self.amounts[here])
        return found

    @cached_property
    def surely(self) -> int:
        """What comes onto hosts in any case."""
        return int(self.amounts[self.leave | self.arrive].sum())

    @cached_property
    def perhaps(self) -> Ints:
        """What guests without a host have of which nobody knows whether they get one."""
        loose = ~self.facts.has_host & ~self.arrive & ~self.facts.absent
        return self.amounts[loose]

    def incoming(self, price: int) -> int:
        """What arrivals add to the bound, at a price for each unit that arrives."""
        return price * self.surely + int(np.minimum(0, price * self.perhaps).sum())

    @cached_property
    def unit(self) -> int:
        """What all amounts that may come or go are multiples of."""
        return max(1, int(np.gcd.reduce(self.amounts[self.wanderers], initial=0)))

    @property
    def standing(self) -> int:
        """What levels cost if nobody moves who need not."""
        return int(self.slopes.value(self.loads).sum())

    @cached_property
    def free(self) -> int:
        """The bound where moving costs nothing: how well the total could be spread at best."""
        fixed = self.facts.fixed & self.facts.has_host
        corners = self.slopes.corners(self.loads, self.unit)
        if (self.amounts >= 0).all():
            least = self.base.copy()
            np.add.at(least, self.facts.problem.start[fixed], self.amounts[fixed])
            corners = np.maximum(np.append(corners, least[:, None], axis=1), least[:, None])
            inert = ~self.facts.receives
            corners[inert] = np.minimum(corners[inert], self.loads[inert, None])
        value = self.slopes.value(corners)
        total = int(self.loads.sum())

        def bound(price: int) -> int:
            each = (value - price * corners).min(axis=1)
            return int(each.sum()) + price * total + self.incoming(price)

        return highest(bound, -self.slopes.steepest, self.slopes.steepest)

    def with_moves(self, costs: Ints) -> int:
        """The bound where guests pay for leaving their hosts; amounts must not be negative."""
        movable = np.flatnonzero(self.movable)
        corners = self.slopes.corners(self.loads, self.unit)
        table = shedding(
            self.facts.problem.start[movable].astype(np.int64),
            self.amounts[movable],
            costs[movable],
            self.loads[:, None] - corners,
            self.unit,
        )
        return _Dual(self, table, corners).best()


class _Dual:
    """The bound as a function of the price of transfers, all in fractions of one."""

    def __init__(self, dimension: Dimension, table: Shedding, corners: Ints) -> None:
        self.dimension = dimension
        self.table = table
        self.left = dimension.loads[table.hosts] - table.amounts
        self.values = dimension.slopes.of(table.hosts).value(self.left)
        self.corners = corners
        self.at_corners = dimension.slopes.value(corners)
        self.receives = dimension.facts.receives
        self.fineness = FINENESS
        worst = float(self.values.max(initial=0)) + float(self.at_corners.max(initial=0))
        load = float(np.abs(corners).max(initial=0)) * dimension.slopes.steepest
        while self.fineness > 1 and (worst + load) * self.fineness > LARGEST / 16:
            self.fineness //= 2
        self.fixed_part = (self.values + table.costs.clip(max=LARGEST // 1024)) * self.fineness

    def best(self) -> int:
        most = self.dimension.slopes.steepest * self.fineness
        found = highest(self.bound, -most, most)
        return -(-found // self.fineness)

    def bound(self, price: int) -> int:
        """The sum over hosts, if each unit given away costs *price* and each one taken earns it."""
        staying = self.fixed_part + price * self.table.amounts
        each = np.minimum.reduceat(staying, self.table.firsts)
        # Taking in, each host goes up to the corner where a unit more costs what it earns.
        earned = self.at_corners * self.fineness - price * self.corners
        top = earned.argmin(axis=1)
        rows, hosts = np.arange(len(top)), self.table.hosts
        refilled = staying + price * self.left + earned[rows, top][hosts]
        refilled -= self.values * self.fineness
        refilled[self.left >= self.corners[rows, top][hosts]] = LARGEST
        taking = np.minimum(each, np.minimum.reduceat(refilled, self.table.firsts))
        each = np.where(self.receives, taking, each)
        return int(each.sum()) + self.dimension.incoming(price)


def level_bound(
    facts: Facts, objective: Objective, costs: Ints, leave: Flags, arrive: Flags
) -> tuple[int, int]:
    """Bound levels and moves together; and levels alone, where moves cost nothing.

    The dimensions are looked at one by one. What moves cost may count in one of them only; the
    one in which that helps most is chosen.
    """
    dimensions = [
        Dimension(facts, objective.amounts[:, d], objective.base[:, d], slopes, leave, arrive)
        for d in range(objective.amounts.shape[1])
        if (slopes := _slopes(objective, d)) is not None
    ]
    free = [dimension.free for dimension in dimensions]
    best = alone = sum(free)
    if not costs.any():
        return best, alone
    hope = [d.standing - without for d, without in zip(dimensions, free, strict=True)]
    for place in sorted(range(len(hope)), key=lambda p: -hope[p])[:MOST_TRIED]:
        dimension = dimensions[place]
        largest = float(dimension.amounts.max(initial=0)) * float(costs.max(initial=0))
        if hope[place] > 0 and (dimension.amounts >= 0).all() and largest < LARGEST:
            best = max(best, alone - free[place] + dimension.with_moves(costs))
    return best, alone


def _slopes(objective: Objective, dimension: int) -> Slopes | None:
    price = objective.price[:, dimension]
    if not price.any() or (price < 0).any():
        return None
    return Slopes(objective.high[:, :, dimension], objective.low[:, :, dimension], price)
