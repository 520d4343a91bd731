# SPDX-License-Identifier: Apache-2.0
"""Small random problems with tiers, a budget and a place to start from, known by their number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from moorage.problem.compiling import compile_fleet
from moorage.problem.limits import Budget
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier
from moorage.rules.registry import registry
from tests.oracle.brute_force import (
    same_for_twins,
    size_of,
    some_objective,
    spots_of,
    with_twins,
)
from tests.oracle.choices import Seeded
from tests.oracle.random_fleets import random_case, random_case_of
from tests.oracle.random_objectives import random_objective

KINDS: Final = tuple(registry())


def everything(problem: Problem) -> list[list[int]]:
    """Where each guest may end."""
    return [spots_of(problem, guest) for guest in range(len(problem.guests))]


def drawn(kind: str | None, rng: random.Random, *, twins: bool = False) -> Problem:
    """Draw a problem with rules of one kind, or of any."""
    fleet, _ = random_case(rng) if kind is None else random_case_of(kind, rng)
    return compile_fleet(with_twins(Seeded(rng), fleet) if twins else fleet)


def problems(
    kind: str | None, count: int, most: int, seed: int = 0, *, twins: bool = False
) -> Iterator[tuple[Problem, Seeded]]:
    """Problems with rules of one kind, or of any, and more than one but at most *most* placements.

    The same arguments draw the same problems.
    """
    while count:
        seed += 1
        rng = random.Random(f"{kind} {seed}")
        problem = drawn(kind, rng, twins=twins)
        if 1 < size_of(everything(problem)) <= most:
            yield problem, Seeded(rng)
            count -= 1


def some_tiers(choices: Seeded, problem: Problem) -> tuple[Tier, ...]:
    """Repairs and should-rules first, then goals, which may count them again."""
    goals = [
        Tier(
            f"goal {i}",
            repairs=choices.one_of((0, 0, 1)),
            should=choices.one_of((0, 0, 2)),
            objective=some_objective(choices, problem),
        )
        for i in range(choices.number(0, 2))
    ]
    return (REPAIRS, SHOULD, *goals)


def some_budget(choices: Seeded) -> Budget:
    """Mostly none; else moves or memory, or both."""
    if choices.chance(70):
        return Budget()
    return Budget(choices.one_of((None, 0, 1, 2, 3)), choices.one_of((None, 0, 2, 5, 8)))


def aimed_at(problem: Problem, placement: Any) -> Objective:
    """A goal that is zero where all guests are as in *placement*, and more anywhere else."""
    fields = plain(problem)
    prices = np.ones((len(problem.guests), len(problem.hosts)), dtype=np.int64)
    constant = 0
    for guest, host in enumerate(placement.tolist()):
        if host >= 0:
            # Being nowhere costs nothing by any goal: so being here has to be worth something.
            prices[guest, host] = -1
            constant += 1
    return Objective(**{**fields, "place_price": prices}, constant=constant)


@dataclass(frozen=True, eq=False)
class Case:
    """A problem to be solved, and what to call it when it goes wrong."""

    number: int
    problem: Problem
    tiers: tuple[Tier, ...]
    budget: Budget
    choices: Seeded


def case_of(number: int, most: int) -> Case | None:
    """The case of a number, where it has at most *most* placements and more than one.

    Every other case has rules of one kind, each kind in its turn; the others have any. One in
    eight has guests that are the same, which the exact engine only counts.
    """
    rng = random.Random(f"case {number}")
    twins = rng.random() < 0.125
    problem = drawn(None if number % 2 else KINDS[number // 2 % len(KINDS)], rng, twins=twins)
    spots = everything(problem)
    if not 1 < size_of(spots) <= most:
        return None
    choices = Seeded(rng)
    form = choices.one_of(("goals", "goals", "objective", "aim"))
    if twins:
        goal = same_for_twins(problem, some_objective(choices, problem))
        tiers: tuple[Tier, ...] = (REPAIRS, SHOULD, Tier("goal", objective=goal))
    elif form == "goals":
        tiers = some_tiers(choices, problem)
    elif form == "objective":
        tiers = (REPAIRS, SHOULD, Tier("goal", objective=random_objective(problem, rng)))
    else:
        target = np.array([choices.one_of(each) for each in spots], dtype=np.int32)
        tiers = (Tier("aim", objective=aimed_at(problem, target)), REPAIRS, SHOULD)
    return Case(number, problem, tiers, some_budget(choices), choices)


def cases(batch: int, count: int, most: int) -> Iterator[Case]:
    """The *count* first cases of a batch; no case is in two batches."""
    number = batch * 1_000_000
    while count:
        found = case_of(number, most)
        number += 1
        if found is not None:
            yield found
            count -= 1
