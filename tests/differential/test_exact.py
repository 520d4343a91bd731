# SPDX-License-Identifier: Apache-2.0
"""The exact engine against all placements of small random fleets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from moorage.problem.limits import Budget, Clock, Limits
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier, values_of
from moorage.rules.registry import registry
from moorage.solving.exact import solve_exact
from moorage.solving.exact.building import build, part_of
from moorage.solving.found import Found
from tests.oracle.brute_force import (
    admissible,
    best_values,
    choices_of,
    is_admissible,
    is_within,
    same_for_twins,
    some_objective,
)
from tests.oracle.small_problems import everything, problems, some_tiers

MOST_PLACEMENTS = 300


def solved(problem: Problem, tiers: tuple[Tier, ...], hint: Any, **more: Any) -> Found:
    """What the exact engine finds."""
    clock = Clock(Limits(effort=60))
    return solve_exact(problem, tiers, hint=hint, clock=clock, effort=60, **more)


def test_it_counts_guests_that_are_the_same() -> None:
    """Where guests are alike it finds and proves the best too, by counting them."""
    counted = 0
    for problem, choices in problems(None, 60, MOST_PLACEMENTS, seed=3000, twins=True):
        goal = same_for_twins(problem, some_objective(choices, problem))
        tiers = (REPAIRS, SHOULD, Tier("goal", objective=goal))
        budget = Budget(choices.one_of((None, None, 1, 2)), choices.one_of((None, None, 4)))
        hint = choices.one_of(list(admissible(problem, everything(problem), budget)))
        free = np.array([choices.chance(80) for _ in problem.guests])
        opened = np.array([choices.chance(90) for _ in problem.hosts])
        part = part_of(problem, hint, free, opened)
        counted += not all(s.is_single() for s in build(problem, tiers, part, budget).model.spots)
        found = solved(problem, tiers, hint, free=free, open_hosts=opened, budget=budget)
        assert found.values == values_of(problem, tiers, found.placement)
        assert found.values == best_values(
            problem, tiers, choices_of(problem, hint, free, opened), budget
        )
    assert counted > 15


@pytest.mark.parametrize("kind", registry())
def test_it_finds_what_is_best_under_each_rule(kind: str) -> None:
    """For every rule the exact engine finds and proves the best of all admissible placements."""
    for problem, choices in problems(kind, 20, MOST_PLACEMENTS):
        tiers = some_tiers(choices, problem)
        found = solved(problem, tiers, problem.start)
        assert found.values == values_of(problem, tiers, found.placement)
        assert is_admissible(problem, found.placement)
        assert found.values == best_values(problem, tiers, everything(problem))
        bounds = [bound for bound in found.bounds if bound is not None]
        assert all(bound <= best for bound, best in zip(bounds, found.values, strict=True))
        if kind != "headroom":
            assert found.bounds == found.values


def test_it_keeps_to_a_budget() -> None:
    """Within a budget of moves or memory it finds the best that the budget allows."""
    for problem, choices in problems(None, 15, MOST_PLACEMENTS):
        tiers = some_tiers(choices, problem)
        budget = Budget(choices.one_of((None, 0, 1, 2)), choices.one_of((None, 2, 5)))
        found = solved(problem, tiers, problem.start, budget=budget)
        assert is_within(problem, found.placement, budget)
        assert found.values == best_values(problem, tiers, everything(problem), budget)


def test_it_changes_only_what_is_open() -> None:
    """Of a part of a fleet it finds the best, leaves the rest alone, and claims no proof."""
    for problem, choices in problems(None, 40, MOST_PLACEMENTS, seed=1000):
        tiers = some_tiers(choices, problem)
        hint = choices.one_of(list(admissible(problem, everything(problem))))
        free = np.array([choices.chance(60) for _ in problem.guests])
        opened = np.array([choices.chance(75) for _ in problem.hosts])
        if free.all() and opened.all():
            continue
        found = solved(problem, tiers, hint, free=free, open_hosts=opened)
        assert found.values == values_of(problem, tiers, found.placement)
        assert found.values == best_values(problem, tiers, choices_of(problem, hint, free, opened))
        assert found.bounds == (None,) * len(tiers)
        bounds = solved(problem, tiers, hint, free=free, open_hosts=opened, bounds=found.values)
        assert bounds.values == bounds.bounds == found.values


def test_the_same_gives_the_same() -> None:
    """The same problem gives the same placement each time."""
    for problem, choices in problems(None, 5, MOST_PLACEMENTS, seed=2000):
        tiers = some_tiers(choices, problem)
        first, second = (solved(problem, tiers, problem.start) for _ in range(2))
        assert first.placement.tobytes() == second.placement.tobytes()


def test_it_stops_when_its_effort_is_spent() -> None:
    """Without effort it gives back its hint, proves nothing that needs a search, and says so."""
    problem, tiers = next(
        (problem, tiers)
        for problem, choices in problems(None, 100, MOST_PLACEMENTS, seed=4000)
        for tiers in [some_tiers(choices, problem)]
        if best_values(problem, tiers, everything(problem))
        < values_of(problem, tiers, problem.start)
    )
    clock = Clock(Limits(effort=0))
    found = solve_exact(problem, tiers, hint=problem.start, clock=clock, effort=0)
    assert found.values == values_of(problem, tiers, problem.start)
    assert (found.finished, found.by_clock) == (False, False)
    assert found.proved < len(tiers)
    late = Clock(Limits(effort=9, time_s=0))
    found = solve_exact(problem, tiers, hint=problem.start, clock=late, effort=9)
    assert (found.finished, found.by_clock, late.cut) == (False, True, True)
