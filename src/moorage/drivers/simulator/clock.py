# SPDX-License-Identifier: Apache-2.0
"""Time: a simulation goes on second by second, as a pure function of its state."""

from __future__ import annotations

from dataclasses import replace

from moorage.drivers.base import TaskState
from moorage.drivers.simulator.faults import Effect
from moorage.drivers.simulator.journey import shares, stands_still
from moorage.drivers.simulator.state import State
from moorage.drivers.simulator.tasks import Phase, Task, gives_up, one_second
from moorage.model.reasons import Reason


def advance(state: State, seconds: int) -> State:
    """Return *state* so many seconds later. In one go or in many: the outcome is the same."""
    if seconds < 0:
        raise ValueError(f"time does not go back, not even {-seconds} s")
    until_s = state.now_s + seconds
    while state.now_s < until_s:
        state = _second(state) if state.running else replace(state, now_s=until_s)
    return state


def _second(state: State) -> State:
    """One second: what copies gets its share of the network, then what is over ends."""
    share = shares(state)
    state = replace(state, now_s=state.now_s + 1)
    tasks = [_go_on(state, task, share.get(task.id, 0)) for task in state.running]
    return _settle(state, tasks)


def _go_on(state: State, task: Task, kib_s: int) -> Task:
    broken = _broken_by(state, task)
    if broken is not None:
        return task.ended(TaskState.FAILED, state.now_s, *broken)
    if stands_still(task, state.now_s):
        return task
    later = one_second(task, kib_s)
    if _strikes(task, later):
        return _struck(task, later, state.now_s)
    if gives_up(later):
        text = f"{task.guest} writes its memory faster than it can be sent"
        return later.ended(TaskState.FAILED, state.now_s, Reason.DOES_NOT_CONVERGE, text)
    return later if later.stages else _finished(later, state.now_s)


def _broken_by(state: State, task: Task) -> tuple[str, str] | None:
    """What else happened that ends *task*."""
    if state.is_gone(task.guest):
        return Reason.GUEST_VANISHED, f"{task.guest} is gone"
    for host in (task.source, task.target):
        if host is not None and state.is_dead(host):
            return Reason.HOST_UNREACHABLE, f"{host} does not answer"
    return None


def _strikes(task: Task, later: Task) -> bool:
    """Whether the fault of *task* comes before what it is *later*."""
    if task.fault is None or task.struck_s is not None:
        return False
    return not later.stages or later.percent >= task.fault.at_percent


def _struck(task: Task, later: Task, now_s: int) -> Task:
    """Return *task* once its fault has struck; what stops it takes away the second, too."""
    assert task.fault is not None, "only a task with a fault is struck"
    effect = task.fault.effect
    if effect is Effect.FAIL:
        text = f"moving {task.guest} failed at {later.percent} %"
        return replace(later, struck_s=now_s).ended(
            TaskState.FAILED, now_s, Reason.PLATFORM_ERROR, text
        )
    if effect in (Effect.HANG, Effect.STALL):
        return replace(task, struck_s=now_s)
    later = replace(later, struck_s=now_s)
    return later if later.stages else _finished(later, now_s)


def _finished(task: Task, now_s: int) -> Task:
    if task.fault is not None and task.fault.effect is Effect.SAY_FAILED:
        text = f"moving {task.guest} failed"
        failed = task.ended(TaskState.FAILED, now_s, Reason.PLATFORM_ERROR, text)
        return replace(failed, arrived=True)
    done = task.ended(TaskState.DONE, now_s)
    return replace(done, arrived=task.fault is None or task.fault.effect is not Effect.SAY_DONE)


def _settle(state: State, tasks: list[Task]) -> State:
    """Put what is over aside, and guests that arrived onto their targets."""
    over = {task.id: task for task in tasks if task.state.is_final}
    if not over:
        return replace(state, running=tuple(tasks))
    return replace(
        state,
        running=tuple(task for task in tasks if task.id not in over),
        ended=state.ended.with_items(over),
        moved=state.moved.with_items((t.guest, t.target) for t in over.values() if t.arrived),
    )


def cancel(state: State, task_id: str) -> State:
    """Return *state* with the task stopped, unless its guest is about to run on the target."""
    task = next((t for t in state.running if t.id == task_id), None)
    if task is None or task.stages[0].phase in (Phase.SWITCH, Phase.START):
        return state
    text = f"moving {task.guest} was cancelled"
    over = task.ended(TaskState.CANCELLED, state.now_s, Reason.CANCELLED, text)
    return _settle(state, [over if t.id == task_id else t for t in state.running])
