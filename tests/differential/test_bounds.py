# SPDX-License-Identifier: Apache-2.0
"""Bounds and proofs, held to all placements of small random fleets, one by one."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from moorage.model.view import View
from moorage.problem import REPAIRS, SHOULD, Problem, Tier, compile_fleet
from moorage.problem.bounds import certificates, lower_bounds
from moorage.rules.registry import registry
from tests.oracle.random_fleets import random_case, random_case_of
from tests.oracle.random_objectives import random_objective

KINDS = tuple(registry())
BATCHES = 8
FLEETS = 250
MOST_PLACEMENTS = 160
SLACK = (0, 1, 100_000, 1_000_000, 2_500_000)

Known = list[tuple[int, int, np.ndarray]]


def problems(batch: int) -> list[Problem]:
    """The problems of a batch that are small enough to be looked at in full."""
    found = []
    for number in range(FLEETS):
        rng = random.Random(batch * FLEETS + number)
        kind = KINDS[number // 2 % len(KINDS)]
        fleet, _ = random_case(rng) if number % 2 else random_case_of(kind, rng)
        if (len(fleet.hosts) + 1) ** len(fleet.running) <= MOST_PLACEMENTS:
            found.append(compile_fleet(fleet))
    return found


def admissible(problem: Problem) -> Known:
    """Every admissible placement, with its repairs and its cost by should-rules."""
    found: Known = []
    for hosts in product(range(-1, len(problem.hosts)), repeat=len(problem.guests)):
        placement = np.array(hosts, dtype=np.int32)
        view = View(problem.fleet, problem.placement(placement), at_end=True)
        broken = [b for rule in problem.must for b in rule.check(view)]
        if all(b.is_no_worse_than(problem.standing.get(b.key)) for b in broken):
            cost = sum(r.weight * b.amount for r in problem.should for b in r.check(view))
            found.append((sum(map(problem.severity, broken)), cost, placement))
    return found


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_placement_is_better_than_its_bounds(batch: int) -> None:
    """No tier of any admissible placement is below its bound, and proofs are never wrong."""
    proved = tight = 0
    for number, problem in enumerate(problems(batch)):
        known = admissible(problem)
        least = min(repairs for repairs, _, _ in known)
        found = certificates(problem)
        assert least > 0 or not found, (batch, number)
        rng = random.Random(number)
        objective = random_objective(problem, rng)
        tiers = (REPAIRS, SHOULD, Tier("goal", objective=objective))
        values = [(r, s, objective.value(problem, p)) for r, s, p in known]
        bounds = lower_bounds(problem, tiers)
        assert all(
            b is not None and b <= min(v)
            for b, v in zip(bounds, zip(*values, strict=True), strict=True)
        ), (batch, number)
        proved += bool(found)
        tight += bounds[0] == least > 0
        for slack in SLACK:
            held = lower_bounds(problem, tiers, (least + slack, 0, 0))
            goal = min(value[2] for value in values if value[0] <= least + slack)
            assert held[2] is not None
            assert held[2] <= goal, (batch, number, slack)
    assert proved > 10
    assert tight > 5
