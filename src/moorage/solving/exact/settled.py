# SPDX-License-Identifier: Apache-2.0
"""What doesn't change: guests that aren't free, stopped ones, and what was left behind for good."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.problem import NOWHERE, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


class Settled:
    """Sums over what stays as it is, for each host."""

    def __init__(self, problem: Problem, hint: Indices, free: Flags, opened: Flags) -> None:
        self.problem = problem
        self.hint = hint
        self.free = free
        self.opened = opened
        self._loads: dict[str, Ints] = {}
        self._amounts: dict[str, Ints] = {}

    @cached_property
    def fixed(self) -> Indices:
        """The guests that aren't free and have a host."""
        return np.flatnonzero(~self.free & (self.hint != NOWHERE)).astype(np.int32)

    @cached_property
    def counts(self) -> list[int]:
        """How many guests that aren't free are on each host."""
        size = len(self.problem.hosts)
        found: list[int] = np.bincount(self.hint[self.fixed], minlength=size).tolist()
        return found

    def amounts(self, resource: str) -> Ints:
        """What each guest takes of *resource*."""
        known = self._amounts.get(resource)
        if known is None:
            problem = self.problem
            if resource in problem.resources:
                known = problem.demand[:, problem.resources.index(resource)]
            else:
                fleet = problem.fleet
                rows = (fleet.demand_of(guest).get(resource, 0) for guest in problem.guests)
                known = np.fromiter(rows, dtype=np.int64, count=len(problem.guests))
            self._amounts[resource] = known
        return known

    def devices(self, device: str) -> list[int]:
        """How many devices of a kind each guest needs."""
        guests = self.problem.fleet.guests
        return [guests[guest].devices.get(device, 0) for guest in self.problem.guests]

    def load(self, host: int, resource: str) -> int:
        """What is taken of *resource* on *host* whatever free guests do."""
        known = self._loads.get(resource)
        if known is None:
            known = self._loads[resource] = self._load(resource)
        return int(known[host])

    def _load(self, resource: str) -> Ints:
        problem, amounts = self.problem, self.amounts(resource)
        found = np.zeros(len(problem.hosts), dtype=np.int64)
        np.add.at(found, self.hint[self.fixed], amounts[self.fixed])
        if resource in problem.fleet.held_until_end:
            left = problem.start != NOWHERE
            here = np.maximum(problem.start, 0)
            left &= np.where(self.free, ~self.opened[here], self.hint != problem.start)
            np.add.at(found, problem.start[left], amounts[left])
        for guest in problem.fleet.guests.values():
            if guest.stopped and guest.host in problem.host_index:
                taken = problem.fleet.demand_of(guest.id).get(resource, 0)
                found[problem.host_index[guest.host]] += taken
        return found

    def pooled(self, resource: str) -> int:
        """What of a shared pool is taken whatever free guests do."""
        problem, fleet = self.problem, self.problem.fleet
        stopped = sum(
            fleet.demand_of(guest.id).get(resource, 0)
            for guest in fleet.guests.values()
            if guest.stopped and guest.host in problem.host_index
        )
        return stopped + int(self.amounts(resource)[self.fixed].sum())

    def moved(self) -> Flags:
        """Which guests that aren't free are elsewhere than they started."""
        start = self.problem.start
        found: Flags = ~self.free & (start != NOWHERE)
        found &= (self.hint != NOWHERE) & (self.hint != start)
        return found


def column(values: Sequence[int] | Ints, examples: Sequence[int]) -> tuple[int, ...]:
    """Pick what the *examples* have."""
    return tuple(int(values[guest]) for guest in examples)
