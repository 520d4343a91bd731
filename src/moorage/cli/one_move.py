# SPDX-License-Identifier: Apache-2.0
"""One move that resolves a broken rule, and one that looks as good and isn't.

It tries hosts one after the other and asks the verifier: enough for a demonstration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from moorage.drivers.base import Refused
from moorage.drivers.simulator import State, forecast_s
from moorage.model import MEMORY, Action, Breach, Fleet, Plan, Step, View, Violation
from moorage.verifying import broken_now, verify

MOST_TRIALS = 30
UNKNOWN_DURATION_S = 60
"""For a move that the platform wouldn't even start."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A move, and what the verifier found wrong with it that wasn't wrong before."""

    action: Action
    plan: Plan
    violations: tuple[Violation, ...]
    heals: bool

    @property
    def is_accepted(self) -> bool:
        """Whether nothing gets worse and the broken rule holds afterwards."""
        return self.heals and not self.violations

    @property
    def figure(self) -> Violation | None:
        """The violation that says how much is too much, if there is one."""
        return next((v for v in self.violations if v.breach.resource), None)


def collision(fleet: Fleet) -> Breach | None:
    """Return the first breach in which guests collide, so that moving one resolves it."""
    found = (violation.breach for violation in broken_now(fleet))
    return next((b for b in found if b.code.startswith("apart_") and b.where), None)


def accepted_move(fleet: Fleet, state: State, breach: Breach) -> Trial | None:
    """Return the first move that the verifier accepts: the emptiest hosts are tried first."""
    trials = (_try(fleet, state, breach, action) for action in _moves(fleet, breach, fullest=False))
    return next((trial for trial in trials if trial.is_accepted), None)


def refused_move(fleet: Fleet, state: State, breach: Breach) -> Trial | None:
    """Return a move that heals the rule onto a host without room; else any that is refused."""
    refused: Trial | None = None
    for action in _moves(fleet, breach, fullest=True):
        trial = _try(fleet, state, breach, action)
        if trial.figure is not None and trial.heals:
            return trial
        if trial.violations and refused is None:
            refused = trial
    return refused


def _moves(fleet: Fleet, breach: Breach, *, fullest: bool) -> Iterator[Action]:
    """Yield the moves of guests that collide: each onto hosts in the order of their memory."""
    view = View(fleet, fleet.placement, at_end=True)

    def used(host: str) -> int:
        usable = fleet.hosts[host].usable(MEMORY)
        return view.load(host, MEMORY) * 1000 // usable if usable else 1000

    hosts = sorted(fleet.hosts, key=lambda h: (-used(h) if fullest else used(h), h))
    moves = (
        Action(guest, fleet.placement[guest], host)
        for host in hosts
        for guest in breach.guests
        if fleet.placement[guest] not in (None, host)
    )
    return (move for _, move in zip(range(MOST_TRIALS), moves, strict=False))


def _try(fleet: Fleet, state: State, breach: Breach, action: Action) -> Trial:
    try:
        duration_s = forecast_s(state, action)
    except Refused:
        duration_s = None
    plan = Plan((Step(0, 0, duration_s or UNKNOWN_DURATION_S, (action,)),))
    found = verify(fleet, plan)
    fresh = tuple(v for v in found if not v.pre_existing)
    return Trial(action, plan, fresh, heals=all(v.breach.key != breach.key for v in found))
