# SPDX-License-Identifier: Apache-2.0
"""Four judges of small random fleets, which have to agree.

They are the rules' own checks, the exact engine, the local search, and all placements one by one.
No rule is named here: the registry says which there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

from moorage.problem.bounds import lower_bounds
from moorage.problem.limits import Clock, Limits
from moorage.problem.tiers import values_of
from moorage.solving.exact import solve_exact
from moorage.solving.found import Found
from moorage.solving.local import LocalSearch
from moorage.solving.local.rows import Rows
from tests.oracle.brute_force import choices_of, is_admissible, is_within
from tests.oracle.small_problems import Case, cases, everything

FLEETS: Final = 500
"""Of a batch."""
BATCHES: Final = 40
SOAK_BATCHES: Final = 400
MOST_PLACEMENTS: Final = 64
LOOKED_AT: Final = 8
"""Placements of each fleet that the local search judges, beside those that it finds itself."""
EFFORT: Final = 0.005
"""One chunk of the walk."""


@dataclass(frozen=True, eq=False)
class Known:
    """Every placement within the budget that the checks admit, with what it is worth."""

    placements: list[Any]
    values: list[tuple[int, ...]]

    @property
    def best(self) -> tuple[int, ...]:
        """What the best is worth."""
        return min(self.values)


def known_of(case: Case) -> Known:
    """Go through all placements."""
    problem = case.problem
    every = (np.array(hosts, dtype=np.int32) for hosts in product(*everything(problem)))
    kept = [p for p in every if is_within(problem, p, case.budget) and is_admissible(problem, p)]
    return Known(kept, [values_of(problem, case.tiers, p) for p in kept])


def judged_by_search(case: Case, search: LocalSearch) -> None:
    """The local search says of any placement what the checks say.

    No engine takes a guest's host away, so nowhere are at most those that start there.
    """
    problem, choices, spots = case.problem, case.choices, everything(case.problem)
    anywhere = [range(-int(start < 0), len(problem.hosts)) for start in problem.start.tolist()]
    for number in range(LOOKED_AT):
        open_to = spots if number % 4 else anywhere
        placement = np.array([choices.one_of(each) for each in open_to], dtype=np.int32)
        told = placement.tolist()
        assert search.values(placement) == values_of(problem, case.tiers, placement), told
        is_open = all(host in each for host, each in zip(told, spots, strict=True))
        expected = is_open and is_admissible(problem, placement)
        assert search.is_admissible(placement) == expected, told


def found_by_search(case: Case, search: LocalSearch, known: Known) -> None:
    """Each stage returns something admissible, no worse than it got, no better than the best."""
    problem = case.problem
    for stage in ("construct", "improve", "polish"):
        number = case.choices.number(0, len(known.placements) - 1)
        given, worth = known.placements[number], known.values[number]
        if stage == "improve":
            found = search.improve(given, Clock(Limits(effort=1)), EFFORT)
        else:
            found = getattr(search, stage)(given)
        told = (stage, given.tolist(), found.tolist())
        assert is_admissible(problem, found), told
        assert is_within(problem, found, case.budget), told
        assert known.best <= values_of(problem, case.tiers, found) <= worth, told


def exactly(case: Case, hint: Any, **more: Any) -> Found:
    """What the exact engine finds from *hint*, which has to be what it says."""
    problem, tiers = case.problem, case.tiers
    clock = Clock(Limits(effort=60))
    found = solve_exact(
        problem, tiers, hint=hint, clock=clock, effort=60, budget=case.budget, **more
    )
    told = (hint.tolist(), found.placement.tolist())
    assert is_admissible(problem, found.placement), told
    assert is_within(problem, found.placement, case.budget), told
    assert found.values == values_of(problem, tiers, found.placement), told
    return found


def found_exactly(case: Case, known: Known) -> None:
    """The exact engine finds what is best, from any start, and its bounds and ours hold."""
    found = exactly(case, case.choices.one_of([case.problem.start, *known.placements]))
    assert found.values == known.best, found.placement.tolist()
    for bounds in (found.bounds, lower_bounds(case.problem, case.tiers, known.best)):
        limits = zip(bounds, known.best, strict=True)
        assert all(bound is None or bound <= value for bound, value in limits), bounds
    # Only where a rule's own check has to be asked may a proof be missing.
    asked = Rows.of(case.problem).asked
    assert found.bounds == found.values or asked, found.bounds


def found_in_part(case: Case, known: Known) -> None:
    """Of a part of a fleet the exact engine finds the best, and leaves the rest alone."""
    choices, problem = case.choices, case.problem
    hint = choices.one_of(known.placements)
    free = np.array([choices.chance(60) for _ in problem.guests])
    opened = np.array([choices.chance(75) for _ in problem.hosts])
    found = exactly(case, hint, free=free, open_hosts=opened)
    spots = choices_of(problem, hint, free, opened)
    inside = [
        all(host in each for host, each in zip(placement.tolist(), spots, strict=True))
        for placement in known.placements
    ]
    best = min(value for value, within in zip(known.values, inside, strict=True) if within)
    told = (hint.tolist(), free.tolist(), opened.tolist(), found.placement.tolist())
    assert found.values == best, told


def judged(batch: int) -> int:
    """Let all judges look at the fleets of a batch; return how many were looked at."""
    count = 0
    for case in cases(batch, FLEETS, MOST_PLACEMENTS):
        try:
            known = known_of(case)
            search = LocalSearch(case.problem, case.tiers, case.budget)
            judged_by_search(case, search)
            found_by_search(case, search, known)
            if case.choices.chance(25):
                found_in_part(case, known)
            else:
                found_exactly(case, known)
        except Exception as error:
            error.add_note(f"case_of({case.number}, {MOST_PLACEMENTS})")
            raise
        count += 1
    return count


@pytest.mark.parametrize("batch", range(BATCHES))
def test_all_judges_agree(batch: int) -> None:
    """Of 20,000 small fleets checks, exact engine, local search and brute force say the same."""
    assert judged(batch) == FLEETS


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(BATCHES, BATCHES + SOAK_BATCHES))
def test_all_judges_agree_for_long(batch: int) -> None:
    """Of 200,000 more fleets they say the same too."""
    assert judged(batch) == FLEETS
