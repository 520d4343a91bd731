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

import numpy as np

from moorage.explaining.targets import target_of
from moorage.goals import goal_tiers
from moorage.model.errors import BadInput
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.plan import Plan, Violation
from moorage.model.target import Status, Target
from moorage.problem import (
    Budget,
    Clock,
    Limits,
    Problem,
    Tier,
    compile_fleet,
    values_of,
)
from moorage.problem.limits import Watcher
from moorage.routing.detours import Detour
from moorage.routing.router import route
from moorage.solving.portfolio import Answer, solve_problem
from moorage.verifying import is_refused, verify
from moorage.verifying.answers import fleet_summary, warnings_of
from moorage.verifying.documents import read_document

PLAN_SCHEMA: Final = "moorage/plan/v1"
ROUTE_SCHEMA: Final = "moorage/route/v1"
MOST_SEED: Final = 2**31 - 1
"""What every generator of random numbers takes."""
MOST_WORKERS: Final = 1024
DEFAULT_EFFORT: Final = 1.0
MOST_DETOURS: Final = 10
"""Targets that can't be reached before the best of them is told as it is."""
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
    """A target with what it was decided from, as the contract prints it.

    Attributes:
        plan: the way to the target; None where nobody asked for it.
    """

    fleet: Fleet
    target: Target
    seed: int
    violations: tuple[Violation, ...]
    warnings: tuple[str, ...]
    plan: Plan | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the verifier found anything new or worse than before."""
        return is_refused(self.violations)

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
            "plan": None if self.plan is None else self.plan.to_dict(),
            "conflict": None if target.contradiction is None else target.contradiction.to_dict(),
            "infrastructure_exhausted": (
                None if target.exhausted is None else target.exhausted.to_dict()
            ),
            "reasons": [stuck.to_dict() for stuck in target.stuck],
            "violations": [v.to_dict() for v in self.violations],
        }


@dataclass(frozen=True)
class Way:
    """The way to a target that was given, as the contract prints it."""

    fleet: Fleet
    placements: Mapping[str, str | None]
    plan: Plan
    violations: tuple[Violation, ...]

    @property
    def is_refused(self) -> bool:
        """Whether the verifier found anything new or worse than before."""
        return is_refused(self.violations)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "schema": ROUTE_SCHEMA,
            "source": self.fleet.source,
            "fleet": fleet_summary(self.fleet),
            "warnings": list(warnings_of(self.fleet)),
            "placements": dict(self.placements),
            "plan": self.plan.to_dict(),
            "violations": [v.to_dict() for v in self.violations],
        }


def find_way(fleet: Fleet, document: Mapping[str, Any]) -> Way:
    """Find the way to the target in *document*, verified."""
    claimed = read_document(fleet, document)
    if claimed.placement is None:
        raise BadInput(
            "a plan is no target: it has its way already",
            place="target",
            hint="give {guest: host}, or a document with placements",
        )
    way = route(fleet, claimed.placement)
    whole = {"placements": dict(claimed.placement), "plan": way.to_dict()}
    return Way(fleet, claimed.placement, way, tuple(verify(fleet, whole)))


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
    return _decide(fleet, request, with_way=False)


def plan(fleet: Fleet, request: Request) -> Decision:
    """Find the target for *fleet* and the way to it, verified instant by instant."""
    return _decide(fleet, request, with_way=True)


def _decide(fleet: Fleet, request: Request, *, with_way: bool) -> Decision:
    watch = _Stopwatch(request.began)
    choice = request.goal_for(fleet)
    clock = Clock(request.limits, began=request.began, watch=request.watch)
    budget = Budget(moves=request.max_moves, memory_mib=request.max_memory_mib)
    problem = compile_fleet(fleet)
    tiers = goal_tiers(problem, choice)
    watch.lap("compile")
    answer = solve_problem(problem, tiers, clock, budget)
    watch.lap("solve")
    way: Plan | None = None
    if with_way:
        answer, way = _reached(fleet, problem, tiers, answer, clock, budget)
    watch.lap("route")
    target = target_of(problem, tiers, answer.found, answer.proved_by, choice.name, budget)
    document: dict[str, Any] = dict(target.placements)
    if way is not None:
        document = {"placements": document, "plan": way.to_dict()}
    violations = tuple(verify(fleet, document))
    watch.lap("verify")
    deterministic = target.deterministic and request.workers == 1
    target = replace(target, deterministic=deterministic, seconds=watch.all_laps())
    warnings = _warnings(fleet, request, target)
    return Decision(fleet, target, request.seed, violations, warnings, way)


def _reached(
    fleet: Fleet,
    problem: Problem,
    tiers: tuple[Tier, ...],
    answer: Answer,
    clock: Clock,
    budget: Budget,
) -> tuple[Answer, Plan]:
    """The best target that a way leads to, as far as it is found, and the way.

    A target that can't be reached tells the solver which guests can't get there together; the
    nearest one is looked for without that. What is known of the best target binds all of them.
    """
    best, first = answer, answer
    seconds = None if clock.limits.time_s is None else clock.time_left / 2
    way = way_first = route(fleet, problem.placement(answer.found.placement), seconds)
    detours: list[Detour] = []
    while not way.feasible and len(detours) < MOST_DETOURS and not clock.is_over():
        placement = problem.placement(best.found.placement)
        lost = tuple(guest for guest, _ in way.unreachable)
        there = tuple(str(placement[guest]) for guest in lost)
        detours.append(Detour(name=f"detour {len(detours) + 1}", guests=lost, hosts=there))
        around = compile_fleet(fleet.changed(rules=(*fleet.rules, *detours)))
        found = solve_problem(around, tiers, clock, budget).found
        if np.array_equal(found.placement, best.found.placement):
            break
        values = values_of(problem, tiers, found.placement)
        bounds = tuple(
            bound if values[:place] == first.found.values[:place] else None
            for place, bound in enumerate(first.found.bounds)
        )
        best = Answer(replace(found, values=values, bounds=bounds), None)
        way = route(fleet, problem.placement(found.placement), seconds)
    is_whole = _repaired(tiers, best) <= _repaired(tiers, first)
    return (best, way) if way.feasible and is_whole else (first, way_first)


def _repaired(tiers: tuple[Tier, ...], answer: Answer) -> tuple[int, ...]:
    """What is still broken of must-rules: no target that is nearer is worth breaking more."""
    values = zip(tiers, answer.found.values, strict=True)
    return tuple(value for tier, value in values if tier.repairs)


def _warnings(fleet: Fleet, request: Request, target: Target) -> tuple[str, ...]:
    found = [*warnings_of(fleet)]
    if request.workers > 1:
        found.append(f"with {request.workers} workers another run may give another answer")
    if target.status is Status.UNKNOWN:
        found.append("must-rules remain broken, and it isn't proved that they have to")
    return tuple(found)
