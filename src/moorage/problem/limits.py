# SPDX-License-Identifier: Apache-2.0
"""How long a search may take, and how much it may move."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

LEAD: Final = 0.1
"""Of the whole course: a clock that is so far ahead of the work sets the pace."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a target may differ from now; None is no limit. Repairs count too.

    Attributes:
        moves: guests that have a host and end on another.
        memory_mib: what those guests have of memory, together.
    """

    moves: int | None = None
    memory_mib: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search stops.

    Attributes:
        effort: units of deterministic work, about a second of one core each; None is no limit.
        time_s: seconds by the wall clock, from the start of the whole command.
        seed: of every random choice.
        workers: processes or threads; more than one may change the answer from run to run.
    """

    effort: float | None = 1.0
    time_s: float | None = None
    seed: int = 1
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """What a search has reached: for people who watch."""

    phase: str
    done: float
    values: tuple[int, ...] = ()


Watcher = Callable[[Progress], None]


@dataclass(slots=True)
class Clock:
    """Counts effort, looks at the time, and remembers whether the time cut anything short.

    Stages share what effort is left. Where a machine is too slow for all of it they share what the
    time allows, so that the last ones get their part, too.

    Attributes:
        began: when the whole command started, by `time.monotonic`.
        started: when the search did.
    """

    limits: Limits
    began: float = field(default_factory=time.monotonic)
    spent: float = 0.0
    cut: bool = False
    watch: Watcher | None = None
    started: float = field(default_factory=time.monotonic)

    def spend(self, effort: float) -> None:
        """Count work that was done."""
        self.spent += effort

    @property
    def effort_left(self) -> float:
        """Units that may still be spent; a large number where there is no limit."""
        if self.limits.effort is None:
            return 1e9
        left = max(0.0, self.limits.effort - self.spent)
        if self.limits.time_s is None:
            return left
        given = max(1e-9, self.limits.time_s - (self.started - self.began))
        paced = self.limits.effort * self.time_left / given
        if paced < left - LEAD * self.limits.effort:
            self.cut = True
        return min(left, paced) if self.cut else left

    @property
    def done(self) -> float:
        """How much is over by work or by time: for people who watch, so that it cuts nothing."""
        effort, time_s = self.limits.effort, self.limits.time_s
        by_work = 0.0 if effort is None else self.spent / effort
        by_time = 0.0 if time_s is None else 1.0 - self.time_left / time_s
        return min(1.0, max(by_work, by_time))

    @property
    def time_left(self) -> float:
        """Seconds that remain; a large number where there is no limit."""
        if self.limits.time_s is None:
            return 1e9
        return max(0.0, self.limits.time_s - (time.monotonic() - self.began))

    def beside(self) -> Clock:
        """Return a clock for work done at the same time, which counts for nothing here."""
        return Clock(self.limits, began=self.began, spent=self.spent, started=self.started)

    def is_over(self) -> bool:
        """Whether to stop now. A stop by the wall clock is remembered."""
        if self.effort_left <= 0:
            return True
        if self.time_left <= 0:
            self.cut = True
            return True
        return False

    def tell(self, phase: str, done: float, values: tuple[int, ...] = ()) -> None:
        """Tell whoever watches."""
        if self.watch is not None:
            self.watch(Progress(phase, done, values))
