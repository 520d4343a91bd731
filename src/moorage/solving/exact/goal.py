# SPDX-License-Identifier: Apache-2.0
"""A goal on the exact model: every term of `Objective`, in integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from moorage.model.compiled import Term
from moorage.problem.objective import Objective
from moorage.problem.problem import NOWHERE
from moorage.solving.exact.loads import Column
from moorage.solving.exact.model import Model
from moorage.solving.exact.settled import column
from moorage.solving.exact.sheet import Flat, Values, add_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


def want_loads(model: Model, objective: Objective) -> None:
    """Have variables for the loads that *objective* looks at more than once."""
    seen = (objective.price > 0).any(axis=0) | (objective.range_weight > 0)
    for dimension in np.flatnonzero(seen).tolist():
        model.loads.want(column(objective.amounts[:, dimension], model.examples))


def goal_term(model: Model, objective: Objective) -> Term:
    """Post *objective* and return its value."""
    return _Goal(model, objective).term()


class _Goal:
    """One objective over a model."""

    def __init__(self, model: Model, objective: Objective) -> None:
        self.model = model
        self.sheet = model.sheet
        self.objective = objective
        hint = np.where(model.settled.free, NOWHERE, model.settled.hint)
        self.fixed_loads = objective.loads(hint)
        self.closed = [h for h in range(len(model.problem.hosts)) if h not in model.is_open]

    def term(self) -> Term:
        """The sum of all of it."""
        parts = [self.objective.constant, self._levels(), self._ranges(), self._used()]
        parts += [self._slots(), self._places(), self._moves(), self._groups()]
        return add_up(parts)

    # --- loads -----------------------------------------------------------------------------

    def _levels(self) -> Term:
        objective = self.objective
        costs = objective.level_values(self.fixed_loads)[self.closed]
        parts: list[Term] = [int(costs.sum())]
        for dimension in np.flatnonzero((objective.price != 0).any(axis=0)).tolist():
            amounts = column(objective.amounts[:, dimension], self.model.examples)
            parts += [self._level(h, dimension, amounts) for h in self.model.open_hosts]
        return add_up(parts)

    def _level(self, host: int, dimension: int, amounts: Column) -> Term:
        """The cost of a load: convex, so that the largest of its tangents over integers is it."""
        unit, load = self.model.loads.scaled(host, amounts)
        base = int(self.fixed_loads[host, dimension])
        objective = self.objective
        high = objective.high[:, host, dimension].tolist()
        low = objective.low[:, host, dimension].tolist()
        price = objective.price[:, dimension].tolist()

        def cost(units: int) -> int:
            at = base + unit * units
            levels = zip(price, high, low, strict=True)
            return sum(p * (max(0, at - h) + max(0, lo - at)) for p, h, lo in levels)

        kinks = {(k - base) // unit + more for k in (*high, *low) for more in (0, 1)}
        return self._convex(load, cost, kinks)

    def _convex(self, load: Term, cost: Callable[[int], int], kinks: Iterable[int]) -> Term:
        flat = Flat(load)
        least, most = self.sheet.bounds_of(flat)
        points = sorted({least, most, *(k for k in kinks if least < k < most)})
        values = [cost(point) for point in points]
        if not any(values) or len(points) == 1:
            return values[0]
        found = self.sheet.variable(min(values), max(values), lambda known: cost(flat.value(known)))
        slope = None
        for left, right, at, to in zip(points, points[1:], values, values[1:], strict=False):
            steeper = (to - at) // (right - left)
            if steeper != slope and (steeper or at):
                self.sheet.model.add(found >= steeper * load + (at - steeper * left))
            slope = steeper
        return found

    def _ranges(self) -> Term:
        objective = self.objective
        parts = []
        for dimension in np.flatnonzero(objective.range_weight).tolist():
            weight = int(objective.range_weight[dimension])
            parts.append(weight * self._range(dimension))
        return add_up(parts)

    def _range(self, dimension: int) -> Term:
        """Largest less smallest of floor(scale x load / cap), without dividing anything."""
        objective = self.objective
        scale = int(objective.range_scale[dimension])
        scaled: list[tuple[Flat, Term, int]] = []
        amounts = column(objective.amounts[:, dimension], self.model.examples)
        for host in np.flatnonzero(objective.range_over).tolist():
            load: Term = int(self.fixed_loads[host, dimension])
            if host in self.model.is_open:
                unit, term = self.model.loads.scaled(host, amounts)
                load = unit * term + load
            scaled.append((Flat(load), load, int(objective.range_cap[host, dimension])))
        if not scaled:
            return 0
        spans = [
            tuple(scale * end // cap for end in self.sheet.bounds_of(flat))
            for flat, _, cap in scaled
        ]
        lows, highs = [s[0] for s in spans], [s[1] for s in spans]

        def shares(values: Values) -> list[int]:
            return [scale * flat.value(values) // cap for flat, _, cap in scaled]

        top = self.sheet.variable(max(lows), max(highs), lambda v: max(shares(v)))
        bottom = self.sheet.variable(min(lows), min(highs), lambda v: min(shares(v)))
        for _, load, cap in scaled:
            self.sheet.model.add(scale * load <= cap * top + (cap - 1))
            self.sheet.model.add(scale * load >= cap * bottom)
        return top - bottom

    # --- hosts -----------------------------------------------------------------------------

    def _used(self) -> Term:
        prices, names = self.objective.used_price, self.model.problem.hosts
        return add_up(
            [int(prices[h]) * self.model.used(names[h]) for h in np.flatnonzero(prices).tolist()]
        )

    def _slots(self) -> Term:
        objective, problem = self.objective, self.model.problem
        shape = {r: int(n) for r, n in enumerate(objective.slot_shape.tolist()) if n > 0}
        if not shape:
            return 0
        priced = np.flatnonzero(objective.slot_price).tolist()
        hint = np.where(self.model.settled.free, NOWHERE, self.model.settled.hint)
        free = problem.usable.copy()
        placed = hint != NOWHERE
        np.subtract.at(free, hint[placed], problem.demand[placed])
        columns = {r: column(problem.demand[:, r], self.model.examples) for r in shape}
        parts = []
        for host in priced:
            left = {r: int(free[host, r]) for r in shape}
            taken: dict[int, Term] = dict.fromkeys(shape, 0)
            if host in self.model.is_open:
                taken = {r: self.model.loads.on(host, columns[r]) for r in shape}
            slots = self._slots_of([(left[r] - taken[r], shape[r]) for r in shape])
            parts.append(-int(objective.slot_price[host]) * slots)
        return add_up(parts)

    def _slots_of(self, rooms: Sequence[tuple[Term, int]]) -> Term:
        """How often a shape still fits into *rooms*: (what is left, what one takes)."""
        flats = [(Flat(room), size) for room, size in rooms]
        spans = [self.sheet.bounds_of(flat) for flat, _ in flats]
        most = min(high // size for (_, high), (_, size) in zip(spans, rooms, strict=True))
        if most <= 0:
            return 0

        def recipe(values: Values) -> int:
            return max(0, min(flat.value(values) // size for flat, size in flats))

        found = self.sheet.variable(0, most, recipe)
        any_ = self.sheet.variable(0, 1, lambda values: int(recipe(values) > 0))
        self.sheet.model.add(found <= most * any_)
        for (room, size), (low, _) in zip(rooms, spans, strict=True):
            slack = max(0, -low)
            self.sheet.model.add(size * found <= room + slack * (1 - any_))
        return found

    # --- guests ----------------------------------------------------------------------------

    def _places(self) -> Term:
        prices = self.objective.place_price
        if not prices.size:
            return 0
        fixed = self.model.settled.fixed
        parts: list[Term] = [int(prices[fixed, self.model.settled.hint[fixed]].sum())]
        for spots in self.model.spots:
            row = prices[spots.kind.example].tolist()
            parts += [row[h] * count for h, count in spots.settled.items()]
            parts += [row[h] * variable for h, variable in spots.comes.items()]
            parts += [-row[h] * variable for h, variable in spots.leaves.items()]
        return add_up(parts)

    def _moves(self) -> Term:
        prices = self.objective.move_price
        parts = [self.model.moves(prices.tolist())] if prices.any() else []
        return add_up([*parts, self._pairs()])

    def _pairs(self) -> Term:
        """What is paid for pairs of hosts: all guests of a kind start on the same one."""
        prices, start = self.objective.pair_price, self.model.problem.start
        if not prices.size:
            return 0
        moved = self.model.settled.moved()
        fixed = prices[start[moved], self.model.settled.hint[moved]].sum()
        parts: list[Term] = [int(fixed)]
        for spots in self.model.spots:
            home = int(start[spots.kind.example])
            if home == NOWHERE:
                continue
            row = prices[home].tolist()
            if spots.homeless:
                parts += [row[h] * count for h, count in spots.settled.items()]
            parts += [row[h] * var for h, var in spots.comes.items() if h != home]
        return add_up(parts)

    def _groups(self) -> Term:
        price, groups = self.objective.group_price, self.objective.group_of
        if not price:
            return 0
        gone = self.model.settled.moved()
        sums: dict[int, list[Term]] = {}
        for guest in gone.nonzero()[0].tolist():
            sums.setdefault(int(groups[guest]), []).append(1)
        for spots in self.model.spots:
            pairs, constant = spots.moved()
            terms = [factor * variable for variable, factor in pairs]
            sums.setdefault(int(groups[spots.kind.example]), []).extend([*terms, constant])
        counts = [add_up(terms) for group, terms in sums.items() if group >= 0]
        return price * self.sheet.extreme([0, *counts], +1)
