# SPDX-License-Identifier: Apache-2.0
"""What the gap between the fullest and the emptiest host costs at least, with its moves.

Let all hosts end within a window of scaled loads. Those above its upper edge have to give load
away, and those below its lower edge have to get some, which others give away. What both cost is
known for each edge alone; a window costs its width and at least the larger of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.bounds.facts import Facts
from moorage.problem.objective import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

MOST_EDGES: Final = 2_000
IMPOSSIBLE: Final = 2**60


@dataclass(frozen=True, eq=False)
class _Range:
    """One dimension whose range counts, and the hosts that count in it."""

    facts: Facts
    amounts: Ints
    loads: Ints
    cap: Ints
    scale: int
    weight: int
    costs: Ints
    hosts: Ints

    def bound(self) -> int:
        """The least of width and moves over all windows."""
        scaled = self.scale * self.loads // self.cap
        below, above = int(scaled[self.hosts].min()), int(scaled[self.hosts].max())
        if below == above:
            return 0
        step = max(1, -(-(above - below) // MOST_EDGES))
        edges = np.arange(below, above + step, step, dtype=np.int64)
        # An edge stands for all below the next: an upper one pays for its own width alone.
        upper = self._giving(edges + (step - 1))
        lower = self._taking(edges)
        best = self._narrowest(edges, upper, lower, step)
        # Hosts that don't count may take all, and guests without a host may come onto all.
        outside = np.array([below - 1, above + 1], dtype=np.int64)
        return min(best, int(self._giving(outside[:1])[0]), int(self._taking(outside[1:])[0]))

    def _narrowest(self, edges: Ints, upper: Ints, lower: Ints, step: int) -> int:
        """The least over all windows: one upper edge after another, with all below it."""
        best = IMPOSSIBLE
        for place, edge in enumerate(edges.tolist()):
            widths = np.maximum(0, edge - (edges[: place + 1] + (step - 1)))
            costs = np.maximum(lower[: place + 1], upper[place])
            best = min(best, int((self.weight * widths + costs).min()))
        return best

    def _giving(self, edges: Ints) -> Ints:
        """What it costs at least to bring all hosts down to each upper edge."""
        found = np.zeros_like(edges)
        start = self.facts.problem.start
        for host in self.hosts.tolist():
            most = ((edges + 1) * int(self.cap[host]) - 1) // self.scale
            surplus = np.maximum(0, int(self.loads[host]) - most)
            if surplus.any():
                mine = np.flatnonzero((start == host) & ~self.facts.fixed)
                found += _price(self.amounts[mine], self.costs[mine], surplus)
                np.minimum(found, IMPOSSIBLE, out=found)
        return found

    def _taking(self, edges: Ints) -> Ints:
        """What it costs at least to fill all hosts up to each lower edge, whoever gives."""
        wanted = np.zeros_like(edges)
        for host in self.hosts.tolist():
            least = -(-(edges * int(self.cap[host])) // self.scale)
            wanted += np.maximum(0, least - int(self.loads[host]))
        givers = ~self.facts.fixed & ~self.facts.absent
        costs = np.where(self.facts.has_host, self.costs, 0)[givers]
        return _price(self.amounts[givers], costs, wanted)


def _price(amounts: Ints, costs: Ints, wanted: Ints) -> Ints:
    """What it costs at least that guests who leave have as much as is wanted, in fractions."""
    useful = np.flatnonzero(amounts > 0)
    ranked = useful[np.argsort(costs[useful] / amounts[useful], kind="stable")]
    own, price = amounts[ranked], costs[ranked]
    total = np.concatenate([[0], np.cumsum(own)])
    paid = np.concatenate([[0], np.cumsum(price)])
    if not len(own):
        return np.where(wanted > 0, IMPOSSIBLE, 0)
    full = np.searchsorted(total, wanted, side="right") - 1
    last = np.minimum(full, len(own) - 1)
    rest = np.where(full < len(own), wanted - total[full], 0)
    found = paid[full] + -(-(rest * price[last]) // own[last])
    return np.where(wanted > total[-1], IMPOSSIBLE, np.minimum(found, IMPOSSIBLE))


def range_bound(facts: Facts, objective: Objective, costs: Ints) -> int:
    """Bound the ranges of all dimensions and the moves; what moves cost counts in one of them."""
    hosts = np.flatnonzero(objective.range_over)
    if not objective.has_ranges or not len(hosts) or not facts.keeps:
        return 0
    loads = objective.loads(facts.problem.start)
    best = 0
    for d in np.flatnonzero(objective.range_weight > 0).tolist():
        amounts, scale = objective.amounts[:, d], int(objective.range_scale[d])
        if (amounts < 0).any() or scale <= 0 or _too_large(amounts, costs):
            continue
        cap, weight = objective.range_cap[:, d], int(objective.range_weight[d])
        part = _Range(facts, amounts, loads[:, d], cap, scale, weight, costs, hosts)
        best = max(best, part.bound())
    return best


def _too_large(amounts: Ints, costs: Ints) -> bool:
    """Whether products of amounts and costs may leave 64 bits."""
    return float(amounts.sum()) * float(costs.max(initial=0)) > IMPOSSIBLE
