# SPDX-License-Identifier: Apache-2.0
"""What it costs hosts to give load away: exact where amounts are multiples of a coarse unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

NEVER: Final = 2**60
"""The cost of an amount that no residents add up to."""
MOST_STEPS: Final = 300_000_000
"""Cells of all tables, times the residents that fill them."""
MOST_CELLS: Final = 3_000_000
MOST_WIDTH: Final = 4096
"""Where amounts are that fine, splitting residents loses next to nothing."""


@dataclass(frozen=True, eq=False)
class Shedding:
    """Amounts that hosts may give away, with what that costs at least.

    Attributes:
        amounts: of each choice; the first of each host is nothing.
        costs: of each choice.
        hosts: whose choice it is, in order.
        firsts: the place of each host's first choice.
    """

    amounts: Ints
    costs: Ints
    hosts: Ints
    firsts: Ints


def shedding(hosts: Ints, amounts: Ints, costs: Ints, useful: Ints, unit: int) -> Shedding:
    """Tabulate what giving load away costs each host.

    Exact, by all sums of residents, where the tables stay small. Else residents are split at
    will, the cheapest by amount first: then the corners of that convex cost are given, and what
    the useful amounts cost between two of them.

    Args:
        hosts: where each resident is that may leave.
        amounts: what each has, none negative, each a multiple of *unit*.
        costs: of moving each.
        useful: [host, choice], where else than at those corners a best amount may lie; no host
            wishes to give away more than the largest, and the size of one resident.
        unit: of all amounts.
    """
    count = len(useful)
    order = np.argsort(hosts, kind="stable")
    hosts, amounts, costs = hosts[order], amounts[order], costs[order]
    ends = np.searchsorted(hosts, np.arange(count + 1))
    largest = np.zeros(count, dtype=np.int64)
    total = np.zeros(count, dtype=np.int64)
    np.maximum.at(largest, hosts, amounts)
    np.add.at(total, hosts, amounts)
    reach = np.minimum(total, np.maximum(useful.max(axis=1, initial=0), 0) + largest) // unit
    width = int(reach.max(initial=0)) + 1
    cells, steps = int((reach + 1).sum()), int((reach[hosts] + 1).sum())
    if width > MOST_WIDTH or cells > MOST_CELLS or steps > MOST_STEPS:
        return _split(ends, amounts, costs, np.clip(useful, 0, total[:, None]))
    known: list[tuple[Ints, Ints]] = []
    for host in range(count):
        table = np.full(int(reach[host]) + 1, NEVER, dtype=np.int64)
        table[0] = 0
        for place in range(ends[host], ends[host + 1]):
            step = int(amounts[place]) // unit
            if 0 < step < len(table):
                np.minimum(table[step:], table[:-step] + costs[place], out=table[step:])
        sums = np.flatnonzero(table < NEVER)
        known.append((sums * unit, table[sums]))
    return _gathered(known)


def _gathered(known: list[tuple[Ints, Ints]]) -> Shedding:
    """One row of choices after another."""
    sizes = np.array([len(sums) for sums, _ in known], dtype=np.int64)
    return Shedding(
        np.concatenate([sums for sums, _ in known]),
        np.concatenate([costs for _, costs in known]),
        np.repeat(np.arange(len(known)), sizes),
        np.cumsum(sizes) - sizes,
    )


def _split(ends: Ints, amounts: Ints, costs: Ints, useful: Ints) -> Shedding:
    """Residents in the order of what they cost by amount, each taken whole or in part."""
    known: list[tuple[Ints, Ints]] = []
    for host, wishes in enumerate(useful):
        mine = slice(ends[host], ends[host + 1])
        own, price = amounts[mine], costs[mine]
        ranked = np.argsort(price / np.maximum(own, 1), kind="stable")
        ranked = ranked[own[ranked] > 0]
        own, price = own[ranked], price[ranked]
        total = np.concatenate([[0], np.cumsum(own)])
        paid = np.concatenate([[0], np.cumsum(price)])
        between = np.zeros_like(wishes)
        if len(own):
            full = np.searchsorted(total[1:], wishes, side="right")
            last = np.minimum(full, len(own) - 1)
            between = paid[full] + (wishes - total[full]) * price[last] // own[last]
        known.append((np.concatenate([total, wishes]), np.concatenate([paid, between])))
    return _gathered(known)
