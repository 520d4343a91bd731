# SPDX-License-Identifier: Apache-2.0
"""Tier after tier: make one small, hold it there, go on with the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ortools.sat.python import cp_model

from moorage.model.compiled import Term
from moorage.problem.limits import Budget, Clock
from moorage.problem.problem import NOWHERE, Problem
from moorage.problem.tiers import Tier
from moorage.solving.exact.building import Built, Part, build, part_of
from moorage.solving.exact.judging import Checks, Judge, price_of
from moorage.solving.exact.parameters import (
    DETERMINISTIC_PER_UNIT,
    attempt_of,
    goes_by_cores,
    parameters,
)
from moorage.solving.exact.sheet import Flat, Values
from moorage.solving.exact.whereabouts import hint_values, read_back
from moorage.solving.found import Found

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]

SHARE_OF_ONE_TIER: Final = 0.8
"""Of the effort that is left, so that tiers behind one that can't be proved get some."""
NEARLY_ALL: Final = 0.95
"""Of its effort: a search that stops unproved before that was cut by the wall clock."""
LEAST_ATTEMPT: Final = 0.002
"""Effort below which asking again is not worth its while."""
TIES_EFFORT: Final = 0.4
TIES_SHARE: Final = 0.25
"""Of what was spent so far, and a little: what tiers that nobody sees may cost together."""
MOST_REFUSALS: Final = 50
"""Solutions of one tier that rules' own checks may refuse before it is left as it is."""

MOST_SOLUTIONS: Final = 1_000
SOLUTIONS_EFFORT: Final = 0.1
"""Solutions of one attempt, and what so many take. CP-SAT may get better by one, a hundred million
times, and counts hardly any work for it: the next attempt begins with all that the last one's
placement is worth."""

MANY_SLOTS: Final = 1_000
"""On a host: a search by cores lifts its bound slot by slot, and counts hardly any work for it."""
PATIENCE_S: Final = 20.0
LEAST_PATIENCE: Final = 0.25
"""Seconds for a unit of effort, whatever CP-SAT counts, and for how much at least: far more than a
slow machine takes. An answer that this cuts says so."""


@dataclass(slots=True)
class _Answer:
    """What CP-SAT said of one model."""

    values: list[int] | None
    value: int
    bound: int | None
    is_complete: bool
    crept: bool = False


class _StopAt(cp_model.CpSolverSolutionCallback):
    """Stops at a solution that is known to be as good as any, or after too many."""

    def __init__(self, floor: int) -> None:
        super().__init__()
        self._floor = floor
        self.left = MOST_SOLUTIONS

    def on_solution_callback(self) -> None:
        """Look at a new solution."""
        self.left -= 1
        if self.objective_value <= self._floor or self.left <= 0:
            self.stop_search()


class _Run:
    """One search."""

    def __init__(
        self,
        problem: Problem,
        tiers: Sequence[Tier],
        part: Part,
        clock: Clock,
        effort: float,
        budget: Budget,
        workers: int,
        bounds: Sequence[int | None],
        judge: Judge | None,
    ) -> None:
        self.problem = problem
        self.tiers = tiers
        self.part = part
        self.clock = clock
        self.left = min(effort, clock.effort_left)
        self.workers = workers
        self.judge: Judge = judge or Checks(problem, tiers)
        values = self.judge.values(part.hint)
        if values is None:
            raise ValueError("the hint breaks must-rules further than they were at the start")
        self.placement: Indices = part.hint.copy()
        self.values = values
        self.known = [*bounds, *[None] * (len(tiers) - len(bounds))]
        self.bounds: list[int | None] = [None] * len(tiers)
        self.finished = True
        self.by_clock = False
        self.built: Built = build(problem, tiers, part, budget)
        self.model = self.built.model
        self.cp: Any = self.model.sheet.model
        self.hint: Values = hint_values(problem, self.model.spots, part.hint)
        self.model.sheet.fill_in(self.hint)
        self.shown = 1 + max((i for i, of in enumerate(tiers) if of.shown), default=-1)
        self.offsets = [self._offset(i) for i in range(len(tiers))]

    def _offset(self, tier: int) -> int | None:
        """What the tier is worth at least beyond its term: parts that aren't open to change."""
        if self.part.is_whole:
            return 0
        try:
            term = Flat(self.built.terms[tier]).value(self.hint)
        except KeyError:
            return None
        asked = price_of(self.problem, self.tiers[tier], self.model.asked, self.part.hint)
        return self.values[tier] - term - asked

    def found(self) -> Found:
        """Solve tier after tier."""
        given = self.left
        for tier, term in enumerate(self.built.terms):
            if tier == self.shown:
                self.left = min(self.left, TIES_EFFORT + TIES_SHARE * (given - self.left))
            self._solve_tier(tier, term)
        if not self.part.is_whole:
            self.bounds = [
                known if known is not None and known >= value else None
                for known, value in zip(self.known, self.values, strict=True)
            ]
        bounds = tuple(self.bounds)
        return Found(self.placement, self.values, bounds, self.finished, self.by_clock)

    # --- one tier --------------------------------------------------------------------------

    def _solve_tier(self, tier: int, term: Term) -> None:
        flat, known, offset = Flat(term), self.known[tier], self.offsets[tier]
        least = self.model.sheet.bounds_of(flat)[0]
        if known is not None and offset is not None and not self._is_asked(tier):
            least = max(least, known - offset)
        own = None if offset is None else least + offset
        if any(b is not None and b >= self.values[tier] for b in (known, own)):
            self.bounds[tier] = self.values[tier]
        else:
            self._minimise(tier, term, least, known)
        if flat.places and offset is not None:
            self.cp.add(term <= self.values[tier] - offset)

    def _is_asked(self, tier: int) -> bool:
        """Whether rules that are asked may add to a tier."""
        of = self.tiers[tier]
        return any(of.repairs if rule.is_must else of.should for rule in self.model.asked)

    def _minimise(self, tier: int, term: Term, least: int, known: int | None) -> None:
        self.cp.minimize(term)
        bound = least if known is None else max(least, known)
        is_last = tier == len(self.tiers) - 1
        kept = 0.0 if is_last else self.left * (1 - SHARE_OF_ONE_TIER)
        refused = 0
        for answer in self._answers(tier, least, kept):
            bound = bound if answer.bound is None else max(bound, answer.bound)
            self.clock.tell(f"exact: {self.tiers[tier].name}", 0.0, self.values)
            if answer.values is None:
                if not answer.is_complete:
                    continue
                if refused:
                    bound = self.values[tier]  # each solution was looked at
                break
            accepted = self._accept(tier, answer)
            if answer.is_complete and accepted:
                break
            if answer.is_complete:
                refused += 1
                if refused == MOST_REFUSALS or not self._refuse(answer.values):
                    self.finished = False
                    break
        self.bounds[tier] = min(bound, self.values[tier])

    def _answers(self, tier: int, least: int, kept: float) -> Iterator[_Answer]:
        """Ask again and again, each time from what is known by then, while there is effort.

        What is known of the least value is told to nobody but the callback that stops there: as
        a constraint it makes the relaxation degenerate, and proofs take ten times as long.
        """
        floor, attempt, by_cores = least, 0, not self._has_many_slots(tier)
        while not self.clock.is_over() and self.left - kept > LEAST_ATTEMPT:
            answer = self._ask_solver(self.left - kept, attempt, floor, by_cores)
            if answer is None:
                break
            attempt += 1
            floor = floor if answer.bound is None else max(floor, answer.bound)
            yield answer
        self._stop()

    def _stop(self) -> None:
        self.finished = False
        if self.clock.cut:
            self.by_clock = True

    def _has_many_slots(self, tier: int) -> bool:
        goal = self.tiers[tier].objective
        if goal is None or not goal.slot_price.any():
            return False
        nobody = np.full_like(self.placement, NOWHERE)
        return bool((goal.slots(self.problem, nobody) > MANY_SLOTS).any())

    def _ask_solver(self, share: float, attempt: int, floor: int, by_cores: bool) -> _Answer | None:
        """Ask once; None if the model has larger numbers than CP-SAT can count with."""
        solver = cp_model.CpSolver()
        variables = len(self.cp.proto.variables)
        share = min(share, attempt_of(attempt, variables))
        patience = PATIENCE_S * max(LEAST_PATIENCE, share)
        seconds = min(self.clock.time_left, patience)
        parameters(
            solver.parameters,
            effort=share,
            seconds=seconds,
            seed=self.clock.limits.seed + attempt,
            workers=self.workers,
            cores=by_cores and goes_by_cores(attempt, variables),
        )
        self._give_hint()
        stop = _StopAt(floor)
        status = solver.solve(self.cp, stop)
        if status == cp_model.MODEL_INVALID:
            return None
        spent = solver.response_proto.deterministic_time / DETERMINISTIC_PER_UNIT
        crept = stop.left <= 0
        if crept:
            spent += SOLUTIONS_EFFORT
        if solver.wall_time >= patience:
            self.clock.cut = True
            spent = max(spent, share)
        self.left -= spent
        self.clock.spend(spent)
        if status == cp_model.INFEASIBLE:
            # All that is left was refused, or nothing is better than what is known.
            return _Answer(None, 0, None, True)
        found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        complete = status == cp_model.OPTIMAL or (found and solver.objective_value <= floor)
        is_timed = self.clock.limits.time_s is not None
        if is_timed and not complete and not crept and spent < NEARLY_ALL * share:
            self.clock.cut = True
        bound = max(floor, round(solver.best_objective_bound))
        if not found:
            return _Answer(None, 0, None, False)
        solution, value = list(solver.response_proto.solution), round(solver.objective_value)
        return _Answer(solution, value, bound, complete, crept)

    def _give_hint(self) -> None:
        self.cp.clear_hints()
        hint = self.cp.proto.solution_hint
        for place in sorted(self.hint):
            hint.vars.append(place)
            hint.values.append(self.hint[place])

    def _accept(self, tier: int, answer: _Answer) -> bool:
        """Take over a solution that is no worse; False if it has to be refused."""
        assert answer.values is not None
        placement = self.part.hint.copy()
        read_back(self.problem, self.model.spots, answer.values, placement)
        values = self.judge.values(placement)
        if values is None or values[:tier] > self.values[:tier]:
            return False
        if values < self.values:
            self.values, self.placement = values, placement
            found = dict(enumerate(answer.values))
            self.hint = self._sharpened(found) if answer.crept else found
        offset = self.offsets[tier]
        return offset is None or values[tier] <= answer.value + offset

    def _sharpened(self, found: Values) -> Values:
        """A solution with all that follows from its placement as good as it may be."""
        variables: list[Any] = []
        for spots in self.model.spots:
            variables += [*spots.comes.values(), *spots.leaves.values()]
            variables += [] if isinstance(spots.nowhere, int) else [spots.nowhere]
        exact = {variable.index: found[variable.index] for variable in variables}
        self.model.sheet.fill_in(exact)
        return found | exact

    def _refuse(self, values: list[int]) -> bool:
        """Forbid a solution; False if nothing would be left."""
        differs: list[Any] = []
        for spots in self.model.spots:
            for variable in (*spots.comes.values(), *spots.leaves.values()):
                differs += self._unlike(variable, values[variable.index])
        if differs:
            self.cp.add_bool_or(differs)
        return bool(differs)

    def _unlike(self, variable: Any, value: int) -> list[Any]:
        """Literals of which one is true where *variable* isn't *value*."""
        least = self.model.sheet.least[variable.index]
        most = self.model.sheet.most[variable.index]
        if (least, most) == (0, 1):
            return [variable.negated() if value else variable]
        found = []
        if value > least:
            found.append(self.model.sheet.variable(0, 1))
            self.cp.add(variable <= value - 1).only_enforce_if(found[-1])
        if value < most:
            found.append(self.model.sheet.variable(0, 1))
            self.cp.add(variable >= value + 1).only_enforce_if(found[-1])
        return found


def solve(
    problem: Problem,
    tiers: Sequence[Tier],
    *,
    hint: Indices,
    clock: Clock,
    effort: float,
    free: Flags | None,
    open_hosts: Flags | None,
    budget: Budget,
    workers: int,
    bounds: Sequence[int | None],
    judge: Judge | None,
) -> Found:
    """Solve *problem*, or the part of it that *free* and *open_hosts* leave open."""
    part = part_of(problem, hint, free, open_hosts)
    return _Run(problem, tiers, part, clock, effort, budget, workers, bounds, judge).found()
