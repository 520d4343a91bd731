# SPDX-License-Identifier: Apache-2.0
"""The pipeline from a fleet to an answer: compile, solve, verify, explain.

Library, command line and services all call this; nothing leaves it that the verifier refuses
without saying so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final

from moorage.explaining.targets import target_of
from moorage.goals import goal_tiers
from moorage.model.errors import BadInput
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.plan import Violation
from moorage.model.target import Status, Target
from moorage.problem import Budget, Clock, Limits, compile_fleet
from moorage.problem.limits import Watcher
from moorage.solving.portfolio import solve_problem
from moorage.verifying import verify
from moorage.verifying.answers import fleet_summary, warnings_of

PLAN_SCHEMA: Final = "moorage/plan/v1"
MOST_SEED: Final = 2**31 - 1
"""What every generator of random numbers takes."""
MOST_WORKERS: Final = 1024
DEFAULT_EFFORT: Final = 1.0
DEFAULT_GOAL: Final = GoalChoice("balance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a solve.

    Attributes:
        goal: name of a goal; None takes the fleet's own, or `balance`.
        options: of the goal.
        time_s: wall-clock seconds from *began*; None is no limit.
        effort: units of deterministic work; None is as many as *time_s*, or 1 without that.
        max_moves: guests that may move at most.
        max_memory_mib: memory that may be copied at most.
        began: when the command started, by `time.monotonic`.
        watch: told of progress.
    """

    goal: str | None = None
    options: Mapping[str, Any] = EMPTY
    time_s: float | None = None
    effort: float | None = None
    seed: int = 1
    workers: int = 1
    max_moves: int | None = None
    max_memory_mib: int | None = None
    began: float = field(default_factory=time.monotonic)
    watch: Watcher | None = None

    def __post_init__(self) -> None:
        for name in ("time_s", "effort", "workers"):
            value = getattr(self, name)
            if value is not None and not 0 < value < inf:  # nan is neither
                raise BadInput(f"{name} is {value}, but has to be positive and finite", place=name)
        for name, least, most in (("seed", 0, MOST_SEED), ("workers", 1, MOST_WORKERS)):
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadInput(f"{name} is {value}, but has to be {least} to {most}", place=name)
        for name in ("max_moves", "max_memory_mib"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise BadInput(f"{name} is {value}, but can't be negative", place=name)

    @property
    def limits(self) -> Limits:
        """When the search stops.

        Where only a time is given, it is as many units of work too, which take about as long:
        so a machine that is quick enough gives the same answer each time.
        """
        effort = self.effort
        if effort is None:
            effort = DEFAULT_EFFORT if self.time_s is None else self.time_s
        return Limits(effort=effort, time_s=self.time_s, seed=self.seed, workers=self.workers)

    def goal_for(self, fleet: Fleet) -> GoalChoice:
        """The goal asked for; else the fleet's own or the default, with the options asked for."""
        if self.goal is None:
            own = fleet.goal or DEFAULT_GOAL
            return GoalChoice(own.name, FrozenMap({**own.options, **self.options}))
        if fleet.goal is not None and fleet.goal.name == self.goal and not self.options:
            return fleet.goal
        return GoalChoice(self.goal, FrozenMap(self.options))


@dataclass(frozen=True)
class Decision:
    """A target with what it was decided from, as the contract prints it."""

    fleet: Fleet
    target: Target
    seed: int
    violations: tuple[Violation, ...]
    warnings: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        """Whether the verifier found anything new or worse than before."""
        return any(not v.pre_existing for v in self.violations)

    def to_dict(self, *, timings: bool = False) -> dict[str, Any]:
        """Return it as the contract has it."""
        target, deciding = self.target, self.target.deciding
        return {
            "schema": PLAN_SCHEMA,
            "source": self.fleet.source,
            "fleet": fleet_summary(self.fleet),
            "seed": self.seed,
            "deterministic": target.deterministic,
            "warnings": list(self.warnings),
            **({"time_s": dict(target.seconds)} if timings else {}),
            "status": target.status.value,
            "proved_by": None if target.proved_by is None else target.proved_by.value,
            "tiers": [tier.to_dict() for tier in target.tiers],
            "objective": None if deciding is None else deciding.value,
            "bound": None if deciding is None else deciding.bound,
            "gap": None if deciding is None else deciding.gap,
            "score": {"before": target.score_before, "after": target.score_after},
            "placements": dict(target.placements),
            "moves": [move.to_dict() for move in target.moves],
            "plan": None,
            "conflict": None if target.contradiction is None else target.contradiction.to_dict(),
            "infrastructure_exhausted": (
                None if target.exhausted is None else target.exhausted.to_dict()
            ),
            "reasons": [stuck.to_dict() for stuck in target.stuck],
            "violations": [v.to_dict() for v in self.violations],
        }


@dataclass(slots=True)
class _Stopwatch:
    """Seconds of each stage, for those who ask for timings."""

    began: float
    laps: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.monotonic)

    def lap(self, stage: str) -> None:
        now = time.monotonic()
        self.laps[stage] = round(now - self._last, 3)
        self._last = now

    def all_laps(self) -> FrozenMap[str, float]:
        read = round(self._last - self.began - sum(self.laps.values()), 3)
        total = round(self._last - self.began, 3)
        return FrozenMap({"read": max(0.0, read), **self.laps, "total": total})


def solve(fleet: Fleet, request: Request) -> Decision:
    """Find the target for *fleet*, verified and explained."""
    watch = _Stopwatch(request.began)
    choice = request.goal_for(fleet)
    clock = Clock(request.limits, began=request.began, watch=request.watch)
    problem = compile_fleet(fleet)
    tiers = goal_tiers(problem, choice)
    watch.lap("compile")
    budget = Budget(moves=request.max_moves, memory_mib=request.max_memory_mib)
    answer = solve_problem(problem, tiers, clock, budget)
    target = target_of(problem, tiers, answer.found, answer.proved_by, choice.name, budget)
    watch.lap("solve")
    watch.laps["route"] = 0.0  # a target alone needs no way; the stage has its place all the same
    violations = tuple(verify(fleet, dict(target.placements)))
    watch.lap("verify")
    deterministic = target.deterministic and request.workers == 1
    target = replace(target, deterministic=deterministic, seconds=watch.all_laps())
    return Decision(fleet, target, request.seed, violations, _warnings(fleet, request, target))


def _warnings(fleet: Fleet, request: Request, target: Target) -> tuple[str, ...]:
    found = [*warnings_of(fleet)]
    if request.workers > 1:
        found.append(f"with {request.workers} workers another run may give another answer")
    if target.status is Status.UNKNOWN:
        found.append("must-rules remain broken, and it isn't proved that they have to")
    return tuple(found)
