# SPDX-License-Identifier: Apache-2.0
"""What holds in every admissible placement of a problem: who can't move, what stays taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from moorage.problem.problem import Problem
from moorage.rules.capacity import Capacity
from moorage.rules.placed import Placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Places = NDArray[np.integer[Any]]
    Flags = NDArray[np.bool_]

BOUNDLESS: Final = 2**62
MOST_CELLS: Final = 4_000_000
"""Cells of a comparison of guests with hosts that is made at once."""


@dataclass(frozen=True, eq=False)
class Facts:
    """A problem with what can be said of all its admissible placements.

    A placement is admissible if it makes no must-rule worse than it stood at the start. So a
    guest that has a host keeps one, where `placed` is a must-rule; it never goes to a host that
    is barred to it; and no host takes more than it has, or than stood there at the start.
    """

    problem: Problem

    @cached_property
    def keeps(self) -> bool:
        """Whether a guest that has a host can't lose it."""
        return any(isinstance(rule, Placed) for rule in self.problem.must)

    @cached_property
    def capacity(self) -> str:
        """The name of the rule that binds hosts to what they have; empty for none."""
        names = (rule.label for rule in self.problem.must if isinstance(rule, Capacity))
        return next(names, "")

    @cached_property
    def has_host(self) -> Flags:
        """Whether a guest has a host now."""
        return np.asarray(self.problem.start >= 0)

    @cached_property
    def start_load(self) -> Ints:
        """What running guests take now, [host, resource]."""
        return self.load_of(self.has_host)

    def load_of(self, guests: Flags) -> Ints:
        """What some of the guests take on the hosts where they are now."""
        found = np.zeros_like(self.problem.usable)
        np.add.at(found, self.problem.start[guests], self.problem.demand[guests])
        return found

    @cached_property
    def most(self) -> Ints:
        """What running guests may ever take, [host, resource]."""
        if not self.capacity:
            return np.full_like(self.problem.usable, BOUNDLESS)
        return np.maximum(self.problem.usable, self.start_load)

    @cached_property
    def barred(self) -> Flags:
        """Whether no rule leaves a guest any host but the one that it has."""
        return self.problem.restrictions.is_stuck

    @cached_property
    def _barred_least(self) -> Ints:
        return self._least(self.barred & self.has_host & self.keeps)

    def _least(self, fixed: Flags) -> Ints:
        """What is taken on hosts where these stay; what is held until the end stays anyway."""
        found = self.load_of(fixed)
        held = self.problem.held
        found[:, held] = self.start_load[:, held]
        return found

    @cached_property
    def too_large(self) -> Flags:
        """Whether a guest, not barred everywhere, fits on none of the hosts open to it."""
        found = np.zeros(len(self.problem.guests), dtype=np.bool_)
        if not self.capacity:
            return found
        room = self.most - self._barred_least
        for row in range(len(self.problem.restrictions.open)):
            guests = np.flatnonzero((self.problem.restrictions.row_of == row) & ~self.barred)
            hosts = np.flatnonzero(self.problem.restrictions.open[row])
            found[self._homeless(guests, hosts, room)] = True
        return found

    def _homeless(self, guests: Places, hosts: Places, room: Ints) -> Places:
        """Those of *guests* that fit on none of *hosts* but perhaps their own."""
        demand, start = self.problem.demand, self.problem.start
        order = hosts[np.argsort(-room[hosts].min(axis=1, initial=BOUNDLESS), kind="stable")]
        for roomy in order[:2]:
            if not len(guests):
                break
            fits = (demand[guests] <= room[roomy]).all(axis=1) & (start[guests] != roomy)
            guests = guests[~fits]
        width = max(1, MOST_CELLS // max(1, len(hosts)))
        left = [guests[i : i + width] for i in range(0, len(guests), width)]
        kept = [part[~self._fit_somewhere(part, hosts, room)] for part in left]
        return np.concatenate(kept) if kept else guests

    def _fit_somewhere(self, guests: Places, hosts: Places, room: Ints) -> Flags:
        fits = self.problem.start[guests][:, None] != hosts
        for column in range(room.shape[1]):
            fits &= self.problem.demand[guests, column][:, None] <= room[hosts, column]
        return np.asarray(fits.any(axis=1))

    @cached_property
    def fixed(self) -> Flags:
        """Whether a guest stays on the host that it has."""
        return np.asarray((self.barred | self.too_large) & self.has_host & self.keeps)

    @cached_property
    def absent(self) -> Flags:
        """Whether a guest has no host and finds none."""
        return np.asarray((self.barred | self.too_large) & ~self.has_host)

    @cached_property
    def least(self) -> Ints:
        """What running guests take in every admissible placement, [host, resource]."""
        if not self.keeps:
            return self._least(np.zeros_like(self.has_host))
        return self._least(self.fixed)

    @cached_property
    def may_deviate(self) -> Flags:
        """Whether a guest may break a rule of its own, by its place or by having none."""
        loose = ~self.has_host | self.problem.restrictions.must_leave
        return np.asarray(loose & ~self.fixed & ~self.absent)

    @cached_property
    def must_be_somewhere(self) -> Flags:
        """Whether a guest has a host in every admissible placement."""
        return self.has_host & self.keeps

    @cached_property
    def receives(self) -> Flags:
        """Whether any guest may come onto a host."""
        used = np.unique(self.problem.restrictions.row_of[~self.barred])
        if not len(used):
            return np.zeros(len(self.problem.hosts), dtype=np.bool_)
        return np.asarray(self.problem.restrictions.open[used].any(axis=0))
