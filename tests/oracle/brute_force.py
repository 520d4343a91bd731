# SPDX-License-Identifier: Apache-2.0
"""All placements of a small fleet, judged one by one by the rules' own checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import numpy as np

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.resources import MEMORY
from moorage.model.view import View
from moorage.problem.limits import Budget
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import NOWHERE, Problem
from moorage.problem.tiers import Tier, values_of
from tests.oracle.choices import Choices

NO_LIMIT = Budget()


def is_admissible(problem: Problem, placement: Any) -> bool:
    """Whether no must-rule is broken further than it was at the start."""
    view = View(problem.fleet, problem.placement(placement), at_end=True)
    return all(
        breach.is_no_worse_than(problem.standing.get(breach.key))
        for rule in problem.must
        for breach in rule.check(view)
    )


def spots_of(problem: Problem, guest: int) -> list[int]:
    """Where a guest may end: where no bar keeps it from, where it starts, or still nowhere."""
    start = int(problem.start[guest])
    return sorted({start, *problem.restrictions.hosts_open_to(guest).tolist()})


def choices_of(problem: Problem, hint: Any, free: Any, opened: Any) -> list[list[int]]:
    """Where each guest may end if only some are free and some hosts open."""
    found = []
    for guest, host in enumerate(hint.tolist()):
        if not free[guest] or (host != NOWHERE and not opened[host]):
            found.append([host])
        else:
            found.append([h for h in spots_of(problem, guest) if h == NOWHERE or opened[h]])
    return found


def size_of(choices: Sequence[Sequence[int]]) -> int:
    """How many placements there are."""
    return prod(len(each) for each in choices)


def is_within(problem: Problem, placement: Any, budget: Budget) -> bool:
    """Whether no more is moved than *budget* allows."""
    moved = (placement != problem.start) & (problem.start >= 0) & (placement >= 0)
    demands = [problem.fleet.demand_of(guest).get(MEMORY, 0) for guest in problem.guests]
    memory = sum(a for a, gone in zip(demands, moved, strict=True) if gone)
    return (budget.moves is None or int(moved.sum()) <= budget.moves) and (
        budget.memory_mib is None or memory <= budget.memory_mib
    )


def admissible(
    problem: Problem, choices: Sequence[Sequence[int]], budget: Budget = NO_LIMIT
) -> Iterator[Any]:
    """Every admissible placement."""
    for hosts in product(*choices):
        placement = np.array(hosts, dtype=np.int32)
        if is_within(problem, placement, budget) and is_admissible(problem, placement):
            yield placement


def best_values(
    problem: Problem,
    tiers: tuple[Tier, ...],
    choices: Sequence[Sequence[int]],
    budget: Budget = NO_LIMIT,
) -> tuple[int, ...]:
    """What the best admissible placement is worth."""
    return min(values_of(problem, tiers, p) for p in admissible(problem, choices, budget))


def some_objective(choices: Choices, problem: Problem) -> Objective:
    """Draw a goal that has any of the terms that a goal can have."""
    guests, hosts = len(problem.guests), len(problem.hosts)
    dimensions, levels = choices.number(0, 2), choices.number(0, 2)

    def numbers(least: int, most: int, *shape: int) -> Any:
        flat = [choices.number(least, most) for _ in range(int(np.prod(shape)))]
        return np.array(flat, dtype=np.int64).reshape(shape)

    fields = plain(problem, dimensions, levels)
    fields["amounts"] = numbers(-1, 4, guests, dimensions) * choices.one_of((1, 3))
    if dimensions and len(problem.resources) and choices.chance(50):
        fields["amounts"][:, 0] = problem.demand[:, 0]
    fields["base"] = numbers(-2, 3, hosts, dimensions)
    fields["high"] = numbers(2, 12, levels, hosts, dimensions)
    fields["low"] = numbers(-2, 5, levels, hosts, dimensions)
    fields["price"] = numbers(0, 3, levels, dimensions)
    if choices.chance(50):
        fields["range_weight"] = numbers(0, 2, dimensions)
        fields["range_scale"] = numbers(1, 100, dimensions)
        fields["range_cap"] = numbers(1, 20, hosts, dimensions)
        fields["range_over"] = numbers(0, 3, hosts) > 0
    if choices.chance(40):
        fields["used_price"] = numbers(-2, 5, hosts)
    if choices.chance(40):
        fields["slot_shape"] = numbers(0, 3, len(problem.resources))
        fields["slot_price"] = numbers(0, 4, hosts)
    if choices.chance(40):
        fields["place_price"] = numbers(-2, 4, guests, hosts)
    if choices.chance(60):
        fields["move_price"] = numbers(0, 4, guests)
    if choices.chance(30):
        fields["pair_price"] = numbers(0, 5, hosts, hosts)
    if choices.chance(40):
        fields["group_of"] = numbers(-1, 2, guests).astype(np.int32)
        fields["group_price"] = choices.number(0, 4)
    return Objective(**fields, constant=choices.number(-5, 5))


def with_twins(choices: Choices, fleet: Fleet) -> Fleet:
    """Make guests alike: each gets everything but its name, host and project from one of two."""
    models = [choices.one_of(list(fleet.guests.values())) for _ in range(2)]
    guests = {
        name: replace(choices.one_of(models), id=name, host=guest.host, project=None)
        for name, guest in fleet.guests.items()
    }
    return fleet.changed(guests=FrozenMap(guests))


def same_for_twins(problem: Problem, objective: Objective) -> Objective:
    """Let a goal make no difference between guests of the same demand."""
    first: dict[bytes, int] = {}
    same = [first.setdefault(row.tobytes(), i) for i, row in enumerate(problem.demand)]
    place = objective.place_price
    return replace(
        objective,
        amounts=objective.amounts[same],
        place_price=place[same] if place.size else place,
        move_price=objective.move_price[same],
        group_of=objective.group_of[same],
    )
