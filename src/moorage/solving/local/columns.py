# SPDX-License-Identifier: Apache-2.0
"""Sums on hosts, as few as say everything: limits of rules and levels of goals share columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.objective import Objective
from moorage.problem.problem import NOWHERE, Problem
from moorage.solving.local.rows import UNLIMITED, Column, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]


def load_of(column: Column, start: Indices, placement: Indices) -> Ints:
    """What each host has of a column under *placement*."""
    found = column.base.copy()
    placed = placement >= 0
    np.add.at(found, placement[placed], column.amounts[placed])
    if column.held:
        left = (start >= 0) & (placement != start)
        np.add.at(found, start[left], column.amounts[left])
    return found


@dataclass(eq=False)
class Level:
    """Each unit past *at* costs energy: above it, or below it where *sign* is -1."""

    at: Ints
    price: int
    sign: int = 1


@dataclass(eq=False)
class Sum:
    """One column of the kernel."""

    amounts: Ints
    held: bool
    base: Ints
    cap: Ints
    levels: list[Level] = field(default_factory=list)


@dataclass(eq=False)
class Sums:
    """All columns, found again by what they add up."""

    problem: Problem
    found: list[Sum] = field(default_factory=list)
    _known: dict[tuple[bytes, bool, bytes], int] = field(default_factory=dict)

    def number(self, amounts: Ints, held: bool, base: Ints) -> int:
        """The number of the column that adds up *amounts* over *base*."""
        key = (amounts.tobytes(), held, base.tobytes())
        number = self._known.setdefault(key, len(self.found))
        if number == len(self.found):
            unlimited = np.full(len(base), UNLIMITED, dtype=np.int64)
            self.found.append(Sum(np.ascontiguousarray(amounts), held, base.copy(), unlimited))
        return number

    def near(self, amounts: Ints, base: Ints) -> tuple[int, Ints]:
        """A column of these amounts over any base, and how much larger its base is."""
        for number, known in enumerate(self.found):
            if not known.held and np.array_equal(known.amounts, amounts):
                return number, known.base - base
        return self.number(amounts, False, base), np.zeros_like(base)

    def add_rows(self, rows: Rows, repairs: int, should: int) -> None:
        """Take in the limits that rules set on single hosts."""
        for column in rows.columns:
            start = load_of(column, self.problem.start, self.problem.start)
            if not column.amounts.any():
                continue
            here = self.found[self.number(column.amounts, column.held, column.base)]
            if not column.must:
                here.levels.append(Level(column.limit, column.unit * should))
                continue
            here.cap = np.minimum(here.cap, np.maximum(column.limit, start))
            if (start > column.limit).any():
                here.levels.append(Level(column.limit, column.unit * repairs))

    def add_goal(self, goal: Objective, weight: int) -> None:
        """Take in the levels of an objective."""
        for i in range(goal.amounts.shape[1]):
            priced = [k for k in range(len(goal.price)) if goal.price[k, i]]
            if not priced:
                continue
            number, more = self.near(np.ascontiguousarray(goal.amounts[:, i]), goal.base[:, i])
            levels = self.found[number].levels
            for k in priced:
                price = int(goal.price[k, i]) * weight
                high, low = goal.high[k, :, i], goal.low[k, :, i]
                if (high < UNLIMITED).any():
                    levels.append(Level(np.minimum(high, UNLIMITED) + more, price))
                if (low > -UNLIMITED).any() and self._may_lack(number, low + more):
                    levels.append(Level(np.maximum(low, -UNLIMITED) + more, price, -1))

    def _may_lack(self, number: int, low: Ints) -> bool:
        """Whether a host could have less than *low* of a column at all."""
        known = self.found[number]
        negative = bool((known.amounts < 0).any())
        return negative or bool((low > known.base).any())


def placed(placement: Indices, nowhere: int) -> Indices:
    """Return *placement* with the row that stands for nowhere instead of -1."""
    return np.where(placement == NOWHERE, nowhere, placement).astype(np.int32)
