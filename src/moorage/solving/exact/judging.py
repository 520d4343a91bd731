# SPDX-License-Identifier: Apache-2.0
"""What a placement is worth by the rules' own checks, which know nothing of the exact model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from moorage.model.rule import Rule
from moorage.model.view import View
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]


class Judge(Protocol):
    """Whoever can tell what a placement is worth."""

    def values(self, placement: Indices) -> tuple[int, ...] | None:
        """What each tier is worth; None if *placement* isn't admissible."""


@dataclass(frozen=True)
class Checks:
    """The rules' own checks: slow for large fleets, and never wrong."""

    problem: Problem
    tiers: Sequence[Tier]

    def values(self, placement: Indices) -> tuple[int, ...] | None:
        """What each tier is worth; None if *placement* isn't admissible."""
        problem = self.problem
        view = View(problem.fleet, problem.placement(placement), at_end=True)
        severity = 0
        for rule in problem.must:
            for breach in rule.check(view):
                if not breach.is_no_worse_than(problem.standing.get(breach.key)):
                    return None
                severity += problem.severity(breach)
        rules = problem.should if any(tier.should for tier in self.tiers) else ()
        cost = sum(rule.weight * b.amount for rule in rules for b in rule.check(view))
        return tuple(
            tier.repairs * severity
            + tier.should * cost
            + (0 if tier.objective is None else tier.objective.value(problem, placement))
            for tier in self.tiers
        )


def price_of(problem: Problem, tier: Tier, rules: Sequence[Rule], placement: Indices) -> int:
    """What breaches of some *rules* add to a tier."""
    if not rules:
        return 0
    view = View(problem.fleet, problem.placement(placement), at_end=True)
    return sum(
        tier.repairs * problem.severity(breach)
        if rule.is_must
        else tier.should * rule.weight * breach.amount
        for rule in rules
        for breach in rule.check(view)
    )
