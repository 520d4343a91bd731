# SPDX-License-Identifier: Apache-2.0
"""A move while it runs: the stages it still has before it, and one second of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from moorage.drivers.base import Progress, TaskState
from moorage.drivers.simulator.faults import MoveFault

GIVE_UP_AFTER = 3
"""A platform gives up when it has sent this many times what there was to send."""

LONGEST_STOP_MS = 300
"""A guest may stand still for so long, while the last of its memory is sent."""


class Phase(StrEnum):
    """What a stage of a move does."""

    STOP = "stop"
    DISKS = "disks"
    MEMORY = "memory"
    DIRTY = "dirty"
    SWITCH = "switch"
    START = "start"


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a move: so much to copy, or so long to wait."""

    phase: Phase
    left_kib: int = 0
    left_s: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """One move, as the simulated platform keeps it.

    Attributes:
        stages: what is still to do; the first one runs.
        copy_kib: what there was to copy at the start.
        wait_s: what there was to wait at the start.
        waited_s: how much of that is over.
        hot_kib: memory that the guest writes all the time, *hot_kib_s* of it a second.
        cold_kib_s: how fast the rest of its memory turns dirty.
        full_kib_s: the bandwidth of its path when nobody else is on it.
        arrived: the guest runs on the target, whatever *state* says.
        struck_s: when its fault struck.
    """

    id: str
    guest: str
    source: str | None
    target: str
    started_s: int
    stages: tuple[Stage, ...] = ()
    copy_kib: int = 0
    wait_s: int = 0
    waited_s: int = 0
    sent_kib: int = 0
    dirtied_kib: int = 0
    hot_kib: int = 0
    hot_kib_s: int = 0
    cold_kib_s: int = 0
    full_kib_s: int = 1
    state: TaskState = TaskState.RUNNING
    arrived: bool = False
    ended_s: int | None = None
    reason: str = ""
    text: str = ""
    fault: MoveFault | None = None
    struck_s: int | None = None

    @property
    def copies(self) -> bool:
        """Whether it uses the network now."""
        return bool(self.stages) and self.stages[0].left_kib > 0

    @property
    def interrupts(self) -> bool:
        """Whether the guest stands still now: one that is started anew does all the way."""
        return any(s.phase is Phase.START for s in self.stages) or (
            bool(self.stages) and self.stages[0].phase is Phase.SWITCH
        )

    @property
    def percent(self) -> int:
        """How much of it is over; what turns dirty on the way doesn't count."""
        if self.state is TaskState.DONE:
            return 100
        whole = self.copy_kib + self.wait_s * self.full_kib_s
        over = min(self.sent_kib, self.copy_kib) + self.waited_s * self.full_kib_s
        return min(99, 100 * over // whole) if whole else 0

    def ended(self, state: TaskState, at_s: int, reason: str = "", text: str = "") -> Task:
        """Return it as it is once it has ended."""
        return replace(self, state=state, ended_s=at_s, stages=(), reason=reason, text=text)


def one_second(task: Task, kib_s: int) -> Task:
    """Return *task* a second later, when its share of the network is *kib_s*.

    A task whose stages are all over comes back with none.
    """
    first = task.stages[0]
    if first.phase in (Phase.STOP, Phase.START):
        rest = task.stages[1:]
        stages = (replace(first, left_s=first.left_s - 1), *rest) if first.left_s > 1 else rest
        return replace(task, stages=stages, waited_s=task.waited_s + 1)
    return _copy(_dirty(task), kib_s)


def _dirty(task: Task) -> Task:
    """Let the guest write for a second."""
    phase = task.stages[0].phase
    if phase is Phase.MEMORY:
        return replace(task, dirtied_kib=task.dirtied_kib + task.cold_kib_s)
    if phase is Phase.DIRTY:
        dirty = replace(task.stages[0], left_kib=task.stages[0].left_kib + task.cold_kib_s)
        return replace(task, stages=(dirty, *task.stages[1:]))
    return task


def _copy(task: Task, kib_s: int) -> Task:
    """Send up to *kib_s*, through as many stages as that lasts for."""
    budget = kib_s
    while task.stages and task.stages[0].phase not in (Phase.STOP, Phase.START):
        stage = task.stages[0]
        sent = min(budget, stage.left_kib)
        budget -= sent
        task = replace(task, sent_kib=task.sent_kib + sent)
        if sent < stage.left_kib:
            left = replace(stage, left_kib=stage.left_kib - sent)
            return replace(task, stages=(left, *task.stages[1:]))
        task = replace(task, stages=_following(task, kib_s))
    return task


def _following(task: Task, kib_s: int) -> tuple[Stage, ...]:
    """What comes after the first stage, which is over."""
    phase, rest = task.stages[0].phase, task.stages[1:]
    if phase is Phase.MEMORY:
        return (Stage(Phase.DIRTY, task.hot_kib + task.dirtied_kib), *rest)
    if phase is not Phase.DIRTY:
        return rest
    if task.hot_kib_s < kib_s:
        # Each pass over the hot memory is shorter than the one before: a geometric series.
        last = -(-task.hot_kib * task.hot_kib_s // (kib_s - task.hot_kib_s))
        return (Stage(Phase.SWITCH, last), *rest)
    if task.hot_kib * 1000 <= kib_s * LONGEST_STOP_MS:
        return (Stage(Phase.SWITCH, task.hot_kib), *rest)
    return (Stage(Phase.DIRTY, task.hot_kib), *rest)


def gives_up(task: Task) -> bool:
    """Whether a platform would see by now that the move doesn't converge."""
    live = any(stage.phase is Phase.DIRTY for stage in task.stages)
    return live and task.sent_kib > GIVE_UP_AFTER * (task.copy_kib + task.hot_kib)


def progress(task: Task, kib_s: int) -> Progress:
    """Return what the platform tells of *task*, when its share of the network is *kib_s*."""
    return Progress(
        state=task.state,
        percent=task.percent,
        transferred_mib=task.sent_kib // 1024,
        remaining_s=_remaining(task, kib_s),
        reason=task.reason,
        text=task.text,
    )


def _remaining(task: Task, kib_s: int) -> int | None:
    if task.state.is_final:
        return 0
    waits = sum(stage.left_s for stage in task.stages)
    copies = sum(stage.left_kib for stage in task.stages)
    if not copies:
        return max(1, waits)
    if not kib_s:
        return None
    return max(1, waits - (-copies // kib_s))
