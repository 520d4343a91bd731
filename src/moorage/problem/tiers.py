# SPDX-License-Identifier: Apache-2.0
"""Tiers: what is made small first, and what only where nothing before it suffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.model.view import View
from moorage.problem.objective import Objective
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tier:
    """One integer that is to be small, after all tiers before it.

    Attributes:
        name: what results call it.
        repairs: price of each point of severity of broken must-rules.
        should: price of each weighted point of broken should-rules.
        objective: what else it counts.
        shown: whether results list it; ties are broken by tiers that nobody needs to see.
    """

    name: str
    repairs: int = 0
    should: int = 0
    objective: Objective | None = None
    shown: bool = True


REPAIRS: Final = Tier("repairs", repairs=1)
SHOULD: Final = Tier("should-rules", should=1)


def severity_of(problem: Problem, placement: Indices) -> int:
    """What *placement* breaks of must-rules, by the rules' own checks."""
    if np.array_equal(placement, problem.start):
        return sum(map(problem.severity, problem.standing.values()))
    view = View(problem.fleet, problem.placement(placement), at_end=True)
    return sum(problem.severity(b) for rule in problem.must for b in rule.check(view))


def should_cost_of(problem: Problem, placement: Indices) -> int:
    """What *placement* costs by should-rules, by the rules' own checks."""
    if not problem.should:
        return 0
    view = View(problem.fleet, problem.placement(placement), at_end=True)
    return sum(rule.weight * b.amount for rule in problem.should for b in rule.check(view))


def values_of(problem: Problem, tiers: tuple[Tier, ...], placement: Indices) -> tuple[int, ...]:
    """What each tier is worth under *placement*: slow, and independent of every engine."""
    severity = severity_of(problem, placement) if any(t.repairs for t in tiers) else 0
    cost = should_cost_of(problem, placement) if any(t.should for t in tiers) else 0
    return tuple(
        t.repairs * severity
        + t.should * cost
        + (t.objective.value(problem, placement) if t.objective is not None else 0)
        for t in tiers
    )
