# SPDX-License-Identifier: Apache-2.0
"""The least that has to be taken so that several needs are met at once."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cover:
    """Guests with prices, and needs that those who are taken have to meet together.

    Attributes:
        prices: of each guest, none negative.
        weights: what a guest contributes to each need, [guest, need], none negative.
        needs: how much there has to be of each, all positive.
    """

    prices: Ints
    weights: Ints
    needs: Ints

    def least_price(self, most_nodes: int) -> int:
        """Return a lower bound on the price of any choice that meets all needs.

        It is exact where the search, best first over which guests are taken and which not, ends
        within *most_nodes*. What can't be met at all costs what everything costs.
        """
        return _Search(self).run(most_nodes)


class _Search:
    def __init__(self, cover: Cover) -> None:
        size = cover.weights / cover.needs
        order = np.argsort(cover.prices / np.maximum(size.max(axis=1), 1e-12), kind="stable")
        self.prices = cover.prices[order]
        self.weights = cover.weights[order]
        self.needs = cover.needs
        self.step = max(1, int(np.gcd.reduce(self.prices)) if len(self.prices) else 1)
        count = cover.weights.shape[1]
        self.ranked = [self._ranked(column) for column in range(count)]
        self.alike = self._alike()

    def _ranked(self, column: int) -> Ints:
        """Guests by price for what they contribute to one need, the cheapest first."""
        useful = np.flatnonzero(self.weights[:, column] > 0)
        ratio = self.prices[useful] / self.weights[useful, column]
        return useful[np.argsort(ratio, kind="stable")]

    def _alike(self) -> list[int]:
        """For each guest the first one after it that differs from it."""
        size = len(self.prices)
        following = [size] * size
        for i in range(size - 2, -1, -1):
            same = self.prices[i] == self.prices[i + 1]
            same = same and bool((self.weights[i] == self.weights[i + 1]).all())
            following[i] = following[i + 1] if same else i + 1
        return following

    def _bound(self, first: int, left: Ints) -> int:
        """What the guests from *first* on have to cost to meet what is left of each need."""
        return max((self._one(c, first, int(n)) for c, n in enumerate(left) if n > 0), default=0)

    def _one(self, column: int, first: int, need: int) -> int:
        ranked = self.ranked[column]
        ranked = ranked[ranked >= first]
        total = np.cumsum(self.weights[ranked, column])
        full = int(np.searchsorted(total, need))
        if full >= len(ranked):
            return -1  # can't be met any more
        paid = int(self.prices[ranked[:full]].sum())
        rest = need - (int(total[full - 1]) if full else 0)
        last = ranked[full]
        part = -(-rest * int(self.prices[last]) // int(self.weights[last, column]))
        return max(-(-(paid + part) // self.step) * self.step, self._fewest(column, first, need))

    def _fewest(self, column: int, first: int, need: int) -> int:
        """By number: so many of the largest, at the prices of the cheapest."""
        largest = np.cumsum(np.sort(self.weights[first:, column])[::-1])
        count = int(np.searchsorted(largest, need)) + 1
        return int(np.sort(self.prices[first:])[:count].sum())

    def run(self, most_nodes: int) -> int:
        """Search best first; the price of the best node that is left bounds all others."""
        everything = int(self.prices.sum())
        start = self._bound(0, self.needs)
        if start < 0 or any(self.weights[:, c].sum() < n for c, n in enumerate(self.needs)):
            return everything
        heap: list[tuple[int, int, int, tuple[int, ...]]] = [
            (start, 0, 0, tuple(map(int, self.needs)))
        ]
        for _ in range(most_nodes):
            if not heap:
                return everything
            price, negative_first, paid, left = heapq.heappop(heap)
            if all(n <= 0 for n in left):
                return price
            self._branch(heap, -negative_first, paid, np.array(left, dtype=np.int64))
        return heap[0][0] if heap else everything

    def _branch(
        self, heap: list[tuple[int, int, int, tuple[int, ...]]], first: int, paid: int, left: Ints
    ) -> None:
        """Take the next guest, or pass it over with all that are like it."""
        if first >= len(self.prices):
            return
        taken = left - self.weights[first]
        for following, cost, rest in (
            (first + 1, paid + int(self.prices[first]), taken),
            (self.alike[first], paid, left),
        ):
            open_needs = rest[rest > 0]
            bound = self._bound(following, rest)
            if bound >= 0 and all(
                self.weights[following:, c].sum() >= n for c, n in enumerate(rest) if n > 0
            ):
                assert len(open_needs) == 0 or following < len(self.prices)
                heapq.heappush(heap, (cost + bound, -following, cost, tuple(map(int, rest))))
