# SPDX-License-Identifier: Apache-2.0
"""Prices of load on hosts: convex, piecewise linear, in integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Slopes:
    """What hosts pay for their load of one dimension.

    Attributes:
        high: above it each unit costs, [level, host].
        low: below it each unit costs, [level, host].
        price: of a unit past each level, none negative.
    """

    high: Ints
    low: Ints
    price: Ints

    @property
    def steepest(self) -> int:
        """The price of a unit past all levels."""
        return int(self.price.sum())

    def of(self, hosts: Ints) -> Slopes:
        """The same for some hosts."""
        return Slopes(self.high[:, hosts], self.low[:, hosts], self.price)

    def value(self, loads: Ints) -> Ints:
        """What hosts pay, for loads [host, ...]."""
        shape = (-1,) + (1,) * (loads.ndim - 1)
        found = np.zeros_like(loads)
        for high, low, price in zip(self.high, self.low, self.price, strict=True):
            past = np.maximum(0, loads - high.reshape(shape))
            found += price * (past + np.maximum(0, low.reshape(shape) - loads))
        return found

    def corners(self, phase: Ints, unit: int) -> Ints:
        """Loads where the slope changes, as far as hosts can have them: [host, corner].

        A host's load differs from its *phase* by a multiple of *unit*, so that each corner
        counts with the two possible loads next to it.
        """
        corners = np.concatenate([self.high, self.low]).T
        below = corners - (corners - phase[:, None]) % unit
        return np.concatenate([below, below + unit], axis=1)


def highest(function: Callable[[int], int], least: int, most: int) -> int:
    """The largest value of a concave function of an integer within bounds: by halving."""
    while least < most:
        middle = (least + most) // 2
        if function(middle) < function(middle + 1):
            least = middle + 1
        else:
            most = middle
    return function(least)
