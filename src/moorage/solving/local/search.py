# SPDX-License-Identifier: Apache-2.0
"""Local search over placements: quick to start, and better the longer it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.limits import Budget, Clock
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier
from moorage.solving.local import layout
from moorage.solving.local.annealing import Annealing, is_about_moves
from moorage.solving.local.assembling import Assembly
from moorage.solving.local.columns import placed
from moorage.solving.local.judging import Judge
from moorage.solving.local.leaving import leavers
from moorage.solving.local.rows import UNLIMITED, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Ints = NDArray[np.int64]

POLISH_STEPS: Final = 20_000_000
"""A descent tries at most so many shifts and swaps."""
REPAIR_TRIES: Final = 400
DRAINS: Final = 5
"""Times that hosts are looked through for such as can be emptied."""
MANY: Final = 100_000
"""Guests from which on hosts are evened out in one way only, for the time it takes."""


def never(_placement: Indices) -> bool:
    """Say that nothing is good enough yet."""
    return False


class LocalSearch:
    """Follows all tiers at once, move by move. What it returns is admissible.

    A placement that isn't admissible counts as if nothing had moved.
    """

    def __init__(
        self, problem: Problem, tiers: tuple[Tier, ...], budget: Budget | None = None, seed: int = 1
    ) -> None:
        self.problem = problem
        self.tiers = tiers
        self.assembly = Assembly(problem, tiers, budget or Budget(), Rows.of(problem))
        self.judge = Judge(self.assembly)
        mixed = (seed * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64
        self._state.random[0] = mixed or 1

    def values(self, placement: Indices) -> tuple[int, ...]:
        """The value of each tier under *placement*."""
        return self.judge.values(placement)

    def is_admissible(self, placement: Indices) -> bool:
        """Whether *placement* breaks no must-rule worse than it stood at the start."""
        return self.judge.is_admissible(placement)

    def construct(self, placement: Indices) -> Indices:
        """Give hosts to guests without one, repair what is broken, even out what is uneven."""
        given = self._load(placement)
        if not len(self.problem.guests):
            return given
        from moorage.solving.local.kernel.entries import heal

        handle, gathered = self.assembly.handle, self.assembly.gathered
        heal(handle, REPAIR_TRIES, gathered, False)
        self._empty_hosts()
        healed = self._state.guests.host.copy()
        self._even_out(refill=False)
        if len(healed) < MANY and self._uneven():
            plain, energy = self._state.guests.host.copy(), int(self._state.num[layout.ENERGY])
            self._go_to(healed)
            self._even_out(refill=True)
            if self._state.num[layout.ENERGY] >= energy:
                self._go_to(plain)
        return self._better(given)

    def _empty_hosts(self) -> None:
        """Empty as many hosts as possible where each that is in use costs.

        Hosts with least on them go first, or those that hold least: the better one counts.
        """
        from moorage.solving.local.kernel.entries import drain

        hosts = self._state.hosts
        if not hosts.used.any():
            return
        limited = hosts.cap[:-1] < UNLIMITED
        most = np.where(limited, hosts.cap[:-1], 0).max(axis=0, initial=1)
        room = np.where(limited, hosts.cap[:-1] / most, 0.0).sum(axis=1)
        healed, found = self._state.guests.host.copy(), []
        for by_room in (False, True):
            self._go_to(healed)
            for _ in range(DRAINS):
                in_use = np.flatnonzero(hosts.count[:-1] > 0)
                load = np.where(limited, hosts.load[:-1] / most, 0.0).sum(axis=1)
                keys = (load, room) if by_room else (room, load)
                order = np.lexsort([key[in_use] for key in keys])
                drain(self.assembly.handle, in_use[order].astype(np.int32))
                if (hosts.count[:-1] > 0).sum() == len(in_use):
                    break
            found.append((int(self._state.num[layout.ENERGY]), self._state.guests.host.copy()))
        self._go_to(min(found, key=lambda each: each[0])[1])

    def _even_out(self, *, refill: bool) -> None:
        """Bring guests from hosts that have too much to those that have too little."""
        from moorage.solving.local.kernel.entries import heal, level

        handle, gathered = self.assembly.handle, self.assembly.gathered
        heap = np.zeros(len(self.problem.hosts), dtype=np.int64)
        key = heap.copy()
        for column in self._uneven():
            fall = leavers(self._state, column, gathered, refill)
            level(handle, column, fall, heap, key)
        heal(handle, REPAIR_TRIES, gathered, True)

    def improve(
        self,
        placement: Indices,
        clock: Clock,
        effort: float,
        window_s: float = float("inf"),
        is_enough: Callable[[Indices], bool] = never,
        *,
        late: bool = False,
    ) -> Indices:
        """Anneal for so much effort, or so long, or until *is_enough*.

        With *late* it insists on limits late in its course: another chance for another worker.
        What it returns is never worse than *placement*.
        """
        given = self._load(placement)
        if not len(self._state.guests.order) or len(self.problem.hosts) < 2:
            return given
        Annealing(self.assembly, clock, effort, window_s, is_enough, late).run()
        return self._better(given)

    def is_about_moves(self, placement: Indices) -> bool:
        """Whether moves are most of what *placement* pays."""
        self._load(placement)
        return is_about_moves(self.assembly)

    def polish(self, placement: Indices) -> Indices:
        """Descend until no single shift or swap helps, or for as many tries as are allowed."""
        from moorage.solving.local.kernel.entries import descend

        given = self._load(placement)
        if len(self._state.guests.order):
            descend(self.assembly.handle, POLISH_STEPS)
        return self._better(given)

    @property
    def _state(self) -> layout.State:
        return self.assembly.state

    def _go_to(self, hosts: Indices) -> None:
        """Put every guest where *hosts* says, as the kernel numbers them."""
        from moorage.solving.local.kernel.whole import rebuild

        self._state.guests.host[:] = hosts
        rebuild(self.assembly.handle, False)

    def _load(self, placement: Indices) -> Indices:
        """Make *placement* the state, or the start if it isn't admissible."""
        given = np.ascontiguousarray(placement, dtype=np.int32)
        if not self.judge.is_admissible(given):
            given = self.problem.start
        state = self._state
        self._go_to(placed(given, len(self.problem.hosts)))
        state.best[:] = state.guests.host
        state.num[layout.BEST] = state.num[layout.ENERGY]
        state.num[layout.SLACK] = 0
        return given.copy()

    def _better(self, given: Indices) -> Indices:
        """The best that was found, or *given* if the tiers in their order say that is better."""
        state = self._state
        found = state.best.copy()
        found[found == len(self.problem.hosts)] = -1
        if np.array_equal(found, given) or not self.judge.passes_asked(found):
            return given
        return found if self.values(found) < self.values(given) else given

    def _uneven(self) -> list[int]:
        """Columns that cost by levels."""
        hosts = self._state.hosts
        low = set(hosts.edge_column[hosts.edge_sign < 0].tolist())
        return [i for i in np.flatnonzero(hosts.price).tolist() if i in low or not low]
