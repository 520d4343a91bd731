# SPDX-License-Identifier: Apache-2.0
"""When the walk is hot, and what it costs to take too much: the course of one annealing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from moorage.problem.limits import LEAD, Clock
from moorage.solving.local import layout
from moorage.solving.local.assembling import Assembly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]

STEPS_PER_EFFORT: Final = 16_000_000
CHUNK: Final = 50_000
DESCENT: Final = 0.05
QUENCH: Final = 0.1
LARGE_QUENCH: Final = 0.25
"""Many needless moves are left to take back: they hold room where they began."""
HEAT: Final = 0.018
"""Of the largest guest: measured on machine reassignment, where it matters much."""
MOSTLY: Final = 0.2
"""Of all that is paid: moves are a thousandth in machine reassignment, and nearly all of what a
balanced fleet pays."""
LOOKS: Final = 40
"""How often it is asked whether the best is good enough, at most."""
LEAST_S: Final = 1e-9
"""Of a window: the time may be over just before the search begins."""
STALE: Final = 0.3
"""Of a descent: where so much of it has won less than one in STALE_GAIN, it has come to its end."""
STALE_CHUNKS: Final = 6
STALE_GAIN: Final = 5_000
SECONDS: Final = (0.05, 0.3, 0.9)
"""Of all proposals are about guests that are moved already, and those left at their home: fewer
where most are moved, more where homes have so many guests that there is much to choose from."""
DESCENDING_SECONDS: Final = 0.8
"""The same where all is about who moves."""
MANY_AT_HOME: Final = 50
COOLING: Final = 1e-3
RAMP: Final = 200.0
HARDENING: Final = 0.85
DEAREST: Final = 30 * RAMP
PRESSING: Final = (0.1, 0.5)
PRESSURE: Final = 30.0
"""Limits grow dearer by so much in a tenth of the course for as long as one is exceeded: a large
guest that is too much where it is finds another host while it is hot, or never. Where all do find
one in the end, more is won by those that press late: one worker in two does."""
LARGE: Final = 10_000
"""From so many guests on only those are moved that are large enough to matter at a heat."""


def is_about_moves(assembly: Assembly) -> bool:
    """Whether moves are most of what is paid.

    Then any heat moves guests for no reason, and all the search has to do after it is to send
    them home: a descent across plains is better from the start.
    """
    guests, num = assembly.state.guests, assembly.state.num
    moved = guests.moved[: num[layout.MOVED]]
    return int(guests.move[moved].sum()) > MOSTLY * abs(int(num[layout.ENERGY]))


@dataclass(eq=False)
class Annealing:
    """Descent, annealing with limits that grow dear, and a last quench."""

    assembly: Assembly
    clock: Clock
    effort: float
    window_s: float
    is_enough: Callable[[Indices], bool]
    late: bool = False
    total: int = field(init=False)
    done: int = field(default=0, init=False)
    began: float = field(default_factory=time.monotonic, init=False)
    is_over: bool = field(default=False, init=False)
    pressure: float = field(default=1.0, init=False)
    _outrun: tuple[float, float] | None = field(default=None, init=False)
    _looked: int = field(default=-1, init=False)
    _seen: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        state = self.assembly.state
        self.state = state
        columns = state.hosts.load.shape[1] + state.hosts.edge_column.shape[0]
        self.per_effort = STEPS_PER_EFFORT * 8 // (8 + columns)
        self.total = max(CHUNK, int(min(self.effort, 1e6) * self.per_effort))
        sizes = self.assembly.size[state.guests.order]
        self.sizes: NDArray[np.float64] = -sizes
        self.largest = float(sizes[0])
        self.large = len(sizes) >= LARGE
        self.quench = LARGE_QUENCH if self.large else QUENCH
        hosts = int(state.num[layout.LIMBO])
        _, usual, most = SECONDS
        many = len(sizes) / (MANY_AT_HOME * max(1, hosts))
        self.most_seconds = max(usual, min(most, many))
        ratio = self.total / max(1, len(sizes) * hosts)
        self.heat = HEAT * self.largest * min(1.0, max(1e-3, (ratio - 4.0) / 40.0))
        self._seen = int(state.num[layout.BEST])

    @property
    def fraction(self) -> float:
        """How much of the search is over: by steps, or by the clock once that has outrun them.

        The clock sets the pace for what is left then. Nothing is skipped: what is won while it is
        hot is not won later.
        """
        passed = (time.monotonic() - self.began) / max(LEAST_S, self.window_s)
        done = self.done / self.total
        if self._outrun is None and (self.clock.cut or passed > done + LEAD):
            self.clock.cut = True
            self._outrun = done, passed
        if self._outrun is None:
            return done
        first, since = self._outrun
        if passed >= 1.0:
            return 1.0
        return max(done, first + (1.0 - first) * (passed - since) / (1.0 - since))

    @property
    def seconds(self) -> float:
        """The share of proposals about guests that are moved already."""
        moved = int(self.state.num[layout.MOVED]) / len(self.sizes)
        return min(self.most_seconds, max(SECONDS[0], 1.0 - moved))

    def walk(
        self,
        heat: float,
        hard: bool,
        *,
        swaps: float = 0.5,
        homeward: float = 0.02,
        seconds: float | None = None,
    ) -> None:
        """Make one chunk of proposals."""
        from moorage.solving.local.kernel.entries import walk

        state: Any = self.state
        last = len(state.guests.order)
        if self.large and heat > 0:
            last = max(200, int(np.searchsorted(self.sizes, -10.0 * heat)))
        last = min(last, len(state.guests.order))
        best = int(state.num[layout.BEST])
        state.num[layout.SLACK] = abs(best) // 20000
        chains = 0.02 if hard else 0.0
        gathered = self.assembly.gathered
        if len(gathered):
            chains = max(chains, 0.05)
        seconds = self.seconds if seconds is None else seconds
        walk(
            self.assembly.handle,
            CHUNK,
            float(heat),
            hard,
            last,
            swaps * (1.0 - seconds),
            chains,
            seconds,
            homeward,
            gathered,
        )
        self.done += CHUNK
        self.clock.spend(CHUNK / self.per_effort)

    def run(self) -> None:
        """Run the whole course, or until the clock says stop."""
        while self._goes_on(DESCENT):
            self.walk(0.0, True)
        if is_about_moves(self.assembly):
            self._descend()
            return
        soft = int(self.state.num[layout.REPAIRS]) == 0 and not self.assembly.problem.standing
        self._anneal(soft)
        if self.state.num[layout.OVER] > 0:
            self._return_to_best()
        while self._goes_on(1.0):
            self.walk(0.0, not (soft and self.large), swaps=0.6, homeward=0.06)
        self.reprice(1.0)

    def _descend(self) -> None:
        """Walk without heat until that wins next to nothing any more."""
        before, since = int(self.state.num[layout.BEST]), self.done
        while self._goes_on(1.0):
            self.walk(0.0, True, homeward=0.06, seconds=DESCENDING_SECONDS)
            if self.done - since >= max(STALE_CHUNKS * CHUNK, STALE * self.done):
                best = int(self.state.num[layout.BEST])
                if before - best <= abs(best) // STALE_GAIN:
                    return
                before, since = best, self.done

    def _goes_on(self, until: float) -> bool:
        if not self.is_over:
            self._look()
        return not self.is_over and self.fraction < until and not self.clock.is_over()

    def _look(self) -> None:
        """Stop where the best is good enough; the walk goes on from where it was if it isn't."""
        from moorage.solving.local.kernel.whole import rebuild

        look, best = int(self.fraction * LOOKS), int(self.state.num[layout.BEST])
        if look == self._looked or best >= self._seen:
            return
        self._looked, self._seen = look, best
        here = self.state.guests.host.copy()
        found = self.state.best.copy()
        found[found == self.state.num[layout.LIMBO]] = -1
        self.is_over = self.is_enough(found)
        self.state.guests.host[:] = here
        rebuild(self.assembly.handle, False)

    def _anneal(self, soft: bool) -> None:
        dear, last = 1.0, 0.0
        end = 1.0 - self.quench
        if soft:
            self.reprice(dear)
        while self._goes_on(end):
            f = (self.fraction - DESCENT) / (end - DESCENT)
            price = self._price(f, f - last)
            last = f
            if soft and max(price, dear) > 1.05 * min(price, dear):
                dear = price
                self.reprice(dear)
            hard = not soft or (f > HARDENING and not self.large)
            self.walk(self.heat * COOLING**f, hard)

    def _price(self, f: float, passed: float) -> float:
        """How dear limits are at *f* of the course, *passed* of it after the last time."""
        if f > PRESSING[self.late]:
            sign = 1.0 if self.state.num[layout.OVER] > 0 else -1.0
            self.pressure *= PRESSURE ** min(1.0, sign * 10.0 * passed)
            self.pressure = min(DEAREST, max(1.0, self.pressure))
        if f > HARDENING:
            return DEAREST
        return float(min(DEAREST, self.pressure * RAMP ** (f / HARDENING)))

    def reprice(self, factor: float) -> None:
        """Make it cost more, or less, to take too much."""
        from moorage.solving.local.kernel.whole import rebuild

        hosts, zones = self.state.hosts, self.state.zones
        hosts.dear[:] = (self.assembly.dear[0] * factor).astype(np.int64) + 1
        zones.dear[:] = (self.assembly.dear[1] * factor).astype(np.int64) + 1
        rebuild(self.assembly.handle, False)

    def _return_to_best(self) -> None:
        """Go on from the best admissible placement."""
        from moorage.solving.local.kernel.whole import rebuild

        self.state.guests.host[:] = self.state.best
        rebuild(self.assembly.handle, False)
