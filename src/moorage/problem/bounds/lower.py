# SPDX-License-Identifier: Apache-2.0
"""Lower bounds of tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.bounds.certificate import Certificate
from moorage.problem.bounds.charges import charges
from moorage.problem.bounds.evictions import Need, needs
from moorage.problem.bounds.facts import Facts
from moorage.problem.bounds.forced import forced_price
from moorage.problem.bounds.levels import level_bound
from moorage.problem.bounds.preferences import should_bound
from moorage.problem.bounds.proofs import beyond, least_repairs, proofs
from moorage.problem.bounds.ranges import range_bound
from moorage.problem.bounds.using import slots_bound, used_bound
from moorage.problem.objective import Objective
from moorage.problem.problem import COLLISION, Problem
from moorage.problem.tiers import Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]


def lower_bounds(
    problem: Problem, tiers: Sequence[Tier], values: Sequence[int] | None = None
) -> tuple[int | None, ...]:
    """Bound each tier from below, without any engine.

    A bound holds for every admissible placement in which no tier before it is worse than its
    value in *values*. Without *values* it holds for every admissible placement. The difference
    is in moves: repairs force some, but only if they are made. So it is the tier of repairs
    alone whose value is used, where it comes before the tier that is bounded.

    None stands for a tier with prices that are negative where the proofs need them not to be.
    """
    known = _Known(Facts(problem))
    found: list[int | None] = []
    repairs: int | None = None
    for place, tier in enumerate(tiers):
        found.append(known.tier(tier, repairs))
        if tier.repairs > 0 and tier.objective is None and not tier.should and values is not None:
            repairs = values[place] // tier.repairs
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Known:
    """What bounds of several tiers share."""

    facts: Facts

    @cached_property
    def proofs(self) -> tuple[Certificate, ...]:
        return proofs(self.facts)

    @cached_property
    def needs(self) -> list[Need]:
        return list(needs(self.facts))

    @cached_property
    def repairs(self) -> int:
        return least_repairs(self.proofs)

    @cached_property
    def should(self) -> int:
        return should_bound(self.facts)

    def tier(self, tier: Tier, repairs: int | None) -> int | None:
        """Bound one tier, given what repairs come to at most."""
        if tier.repairs < 0 or tier.should < 0:
            return None
        found = tier.repairs * self.repairs if tier.repairs else 0
        found += tier.should * self.should if tier.should else 0
        if tier.objective is None:
            return found
        goal = self.goal(tier.objective, repairs)
        return None if goal is None else found + goal

    def goal(self, objective: Objective, repairs: int | None) -> int | None:
        """Bound an objective by sums over its terms, of which moves may join only one."""
        signs = (objective.price, objective.range_weight, np.array([objective.group_price]))
        if any((prices < 0).any() for prices in signs):
            return None
        facts = self.facts
        forgiven = None if repairs is None else beyond(self.proofs, repairs)
        settled = forgiven is not None and forgiven < COLLISION and facts.keeps
        leave = facts.has_host & facts.problem.restrictions.must_leave & ~facts.fixed & settled
        arrive = ~facts.has_host & ~facts.absent & settled
        placed = facts.must_be_somewhere | arrive
        each = charges(facts, objective)
        found = each.surely + objective.constant
        found += used_bound(facts, objective.used_price, placed, whole=forgiven == 0)
        found += slots_bound(facts, objective, placed)
        return found + self._moving(objective, each.leaving, leave, arrive, forgiven)

    def _moving(
        self, objective: Objective, costs: Ints, leave: Flags, arrive: Flags, forgiven: int | None
    ) -> int:
        """What moves cost together with imbalance, with ranges, or by what repairs force."""
        if not self.facts.keeps:
            return 0
        levels, alone = level_bound(self.facts, objective, costs, leave, arrive)
        best = levels + int(costs[leave].sum())
        if costs.any():
            best = max(best, alone + range_bound(self.facts, objective, costs))
            if forgiven is not None:
                best = max(best, alone + forced_price(self.needs, costs, forgiven))
        return best
