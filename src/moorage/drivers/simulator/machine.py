# SPDX-License-Identifier: Apache-2.0
"""The simulated platform as a driver: a state, and what one may do with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from moorage.drivers.base import Progress, UnknownTask, Unreachable
from moorage.drivers.simulator import clock
from moorage.drivers.simulator.draws import draw
from moorage.drivers.simulator.faults import Effect, Fault, MoveFault, RandomFaults, check_names
from moorage.drivers.simulator.journey import prepare, shares, stands_still
from moorage.drivers.simulator.refusals import check_start
from moorage.drivers.simulator.snapshot import look
from moorage.drivers.simulator.state import State
from moorage.drivers.simulator.tasks import Task, progress
from moorage.model.fleet import Fleet
from moorage.model.plan import Action


class Simulator:
    """A platform that lives in a value. No thread, no clock on the wall: time is advanced.

    Args:
        state: where it begins; `state` holds where it is at any time.
        seed: of the chance of random faults; None leaves what *state* has.
        faults: what shall go wrong, besides what *state* has already.
    """

    def __init__(self, state: State, seed: int | None = None, faults: Iterable[Fault] = ()) -> None:
        faults = tuple(faults)
        check_names(faults, state.world.fleet)
        self.state = replace(
            state,
            seed=state.seed if seed is None else seed,
            faults=(*state.faults, *faults),
        )

    @property
    def now_s(self) -> int:
        """The second that it is at."""
        return self.state.now_s

    def advance(self, seconds: int) -> None:
        """Let time go on."""
        self.state = clock.advance(self.state, seconds)

    def snapshot(self) -> Fleet:
        """Return the fleet as it is now."""
        return look(self.state)

    def start(self, action: Action) -> str:
        """Start to move a guest; room on the target is taken from now on."""
        check_start(self.state, action)
        task = prepare(self.state, action, f"sim-{self._started + 1:04d}")
        task = replace(task, fault=self._fault_of(task))
        self.state = replace(self.state, running=(*self.state.running, task))
        return task.id

    def poll(self, task: str) -> Progress:
        """Return how far a task is."""
        known = self._task(task)
        if self._is_silent(known):
            raise Unreachable(f"no answer about task {task}")
        return progress(known, self._expected_kib_s(known))

    def cancel(self, task: str) -> None:
        """Stop a task, unless its guest is about to run on the target."""
        self._task(task)
        self.state = clock.cancel(self.state, task)

    def _expected_kib_s(self, task: Task) -> int:
        """What *task* sends a second now, or will once it comes to that; 0 if it is held up."""
        if stands_still(task, self.now_s):
            return 0
        return shares(self.state).get(task.id, task.full_kib_s)

    @property
    def _started(self) -> int:
        return len(self.state.running) + len(self.state.ended)

    def _task(self, task: str) -> Task:
        known = self.state.ended.get(task)
        known = known or next((t for t in self.state.running if t.id == task), None)
        if known is None:
            raise UnknownTask(f"there is no task {task}")
        return known

    def _is_silent(self, task: Task) -> bool:
        fault, struck_s = task.fault, task.struck_s
        if fault is None or struck_s is None or fault.effect is not Effect.NO_ANSWER:
            return False
        return self.now_s < struck_s + fault.for_s

    def _fault_of(self, task: Task) -> MoveFault | None:
        """The first fault that was meant for *task*, or one that chance sends."""
        before = [*self.state.ended.values(), *self.state.running]
        meant = [f for f in self.state.faults if isinstance(f, MoveFault)]
        for fault in meant:
            earlier = sum(fault.fits(t.guest, t.target) for t in before)
            if fault.fits(task.guest, task.target) and earlier + 1 == fault.nth:
                return fault
        chances = [f for f in self.state.faults if isinstance(f, RandomFaults)]
        hits = (self._by_chance(chance, task, i) for i, chance in enumerate(chances))
        return next((hit for hit in hits if hit is not None), None)

    def _by_chance(self, chance: RandomFaults, task: Task, number: int) -> MoveFault | None:
        question = (self.state.seed, "fault", number, task.id)
        if draw(1000, *question, "strikes") >= chance.permille or not chance.effects:
            return None
        return MoveFault(
            effect=chance.effects[draw(len(chance.effects), *question, "effect")],
            guest=task.guest,
            at_percent=draw(100, *question, "percent"),
            for_s=5 + draw(56, *question, "for"),
        )


def forecast_s(state: State, action: Action) -> int | None:
    """Return how long *action* takes if nothing else moves and nothing fails.

    None if it doesn't end well. Raises `Refused` if the platform won't start it.
    """
    trial = Simulator(replace(state, running=(), faults=()))
    task = trial.start(action)
    while trial.state.running:
        trial.advance(1)
    ended = trial.state.ended[task]
    return trial.now_s - state.now_s if ended.arrived else None
