# SPDX-License-Identifier: Apache-2.0
"""Who belongs to the hosts that balance: by rules alone, so that moves don't change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moorage.goals.measures import open_hosts
from moorage.problem.problem import NOWHERE, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Residents:
    """Which hosts balance, and whom they balance.

    Attributes:
        open: hosts that newcomers may come onto, as far as nobody in particular is meant.
        counted: guests that are, or will have to be, on open hosts.
        staying: guests on other hosts that nothing drives away.
        fixed: the only host where a guest can be, or NOWHERE if it has a choice.
        start: where each guest is now.
    """

    open: Flags
    counted: Flags
    staying: Flags
    fixed: Indices
    start: Indices

    def fixed_load(self, amounts: Ints) -> Ints:
        """What each host has of guests that can be nowhere else."""
        return self._on(self.fixed, self.counted & (self.fixed != NOWHERE), amounts)

    def staying_load(self, amounts: Ints) -> Ints:
        """What each closed host has of guests that stay."""
        return self._on(self.start, self.staying, amounts)

    def _on(self, hosts: Indices, which: Flags, amounts: Ints) -> Ints:
        found = np.zeros(len(self.open), dtype=np.int64)
        np.add.at(found, hosts[which], amounts[which])
        return found


def residents(problem: Problem) -> Residents:
    """Sort the guests of a problem with at least one host."""
    rules, start, admits = problem.restrictions, problem.start, open_hosts(problem)
    placed = start != NOWHERE
    on_open = placed & admits[np.maximum(start, 0)]
    width = rules.open.sum(axis=1)[rules.row_of]
    # Nobody is driven onto a host by being stuck: such a guest stays where it is.
    driven = (rules.must_leave & ~rules.is_stuck) | (~placed & (width > 0))
    driven &= _fitting(problem, driven)
    only = rules.open.argmax(axis=1).astype(np.int32)[rules.row_of]
    fixed = np.where(driven & (width == 1), only, NOWHERE).astype(np.int32)
    fixed = np.where(placed & rules.is_stuck, start, fixed)
    return Residents(
        open=admits,
        counted=on_open | driven,
        staying=placed & ~on_open & ~driven,
        fixed=fixed,
        start=start,
    )


def _fitting(problem: Problem, which: Flags) -> Flags:
    """Whether each guest of *which* is small enough for some host that is open to it.

    One that fits nowhere weighs on no host, and must not raise what hosts should have.
    """
    rows, open_to = problem.restrictions.row_of, problem.restrictions.open
    known: dict[tuple[int, bytes], bool] = {}
    found = np.zeros(len(which), dtype=np.bool_)
    for guest in np.flatnonzero(which).tolist():
        key = (int(rows[guest]), problem.demand[guest].tobytes())
        if key not in known:
            taken = problem.demand[guest]
            fits = ((taken <= problem.usable) | (taken == 0)).all(axis=1)
            known[key] = bool((fits & open_to[rows[guest]]).any())
        found[guest] = known[key]
    return found
