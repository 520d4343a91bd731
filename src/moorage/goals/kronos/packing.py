# SPDX-License-Identifier: Apache-2.0
"""Pack: the emptiest hosts are drained first, onto the fullest that stay below their ceilings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from moorage.goals.kronos.policies import Policies
from moorage.goals.options import MILLION
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Admits = Callable[[Indices, int, int], bool]


def pack(problem: Problem, policies: Policies, placement: Indices, admits: Admits) -> None:
    """Drain hosts in *placement* until the budget is spent.

    Only guests that were on a host from the beginning are drained off it. Where some guest finds
    no host, all that left before it go back, because that host isn't freed.
    """
    packer = _Packer(policies, placement, admits)
    original = placement.copy()
    for host in packer.coldest_first():
        if packer.budget <= 0:
            return
        packer.draining[host] = True
        packer.drain(host, np.flatnonzero(original == host))


class _Packer:
    """Where guests are, what hosts have, and which of them are being drained."""

    def __init__(self, policies: Policies, placement: Indices, admits: Admits) -> None:
        self.policies = policies
        self.placement = placement
        self.admits = admits
        self.loads = policies.loads(placement)
        self.budget = policies.budget
        self.draining = np.zeros(len(self.loads), dtype=np.bool_)
        columns = range(len(policies.active))
        self.ceilings = np.stack([policies.ceiling(column) for column in columns], axis=1)

    def combined(self, loads: Ints) -> Ints:
        """How full hosts are, by all policies together."""
        return np.asarray(self.policies.scores(loads) @ self.policies.weights)

    def coldest_first(self) -> list[int]:
        """The hosts that count, the emptiest first; equals in their order."""
        hosts = np.flatnonzero(self.policies.scope)
        order = np.argsort(self.combined(self.loads)[hosts], kind="stable")
        return [int(host) for host in hosts[order]]

    def drain(self, host: int, guests: Indices | Ints) -> None:
        """Move *guests* off *host*, the largest first; all of them, or as far as the budget."""
        own = MILLION * self.policies.amounts[guests] // self.policies.cap[host]
        order = np.argsort(-(own @ self.policies.weights), kind="stable")
        gone: list[int] = []
        for guest in guests[order].tolist():
            if self.budget <= 0:
                return
            target = self._fullest_for(guest)
            if target is None:
                for moved in gone:
                    self._move(moved, host)
                self.budget += len(gone)
                return
            self._move(guest, target)
            self.budget -= 1
            gone.append(guest)

    def _fullest_for(self, guest: int) -> int | None:
        fits = (self.loads + self.policies.amounts[guest] <= self.ceilings).all(axis=1)
        hosts = np.flatnonzero(fits & self.policies.scope & ~self.draining)
        order = np.argsort(-self.combined(self.loads)[hosts], kind="stable")
        found = (int(host) for host in hosts[order])
        return next((host for host in found if self.admits(self.placement, guest, host)), None)

    def _move(self, guest: int, host: int) -> None:
        self.loads[self.placement[guest]] -= self.policies.amounts[guest]
        self.loads[host] += self.policies.amounts[guest]
        self.placement[guest] = host
