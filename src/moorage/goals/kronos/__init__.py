# SPDX-License-Identifier: Apache-2.0
"""Kronos' combined imbalance: policies, each the spread of one measure, weighted and added up.

As a tier it is a sum that any engine can make small. `follow` makes the moves that Kronos itself
would make, round by round, since what it accepts is part of what its goal means.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from moorage.goals.kronos.cycle import follow
from moorage.goals.kronos.policies import OPTIONS, Policies, Policy, measured, read
from moorage.goals.options import Options
from moorage.goals.quiet import QUIET_REPAIRS, moved_at, quiet_should
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier

__all__ = ["NAME", "OPTIONS", "Policies", "Policy", "follow", "measured", "objective", "tiers"]

NAME: Final = "kronos"
SCALE: Final = 10_000
"""Imbalance is counted in basis points, and weights in millionths."""


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """One tier that is the combined imbalance; fewest moves decide between equals."""
    each = np.ones(len(problem.guests), dtype=np.int64)
    moves = Tier("moves", objective=moved_at(problem, each), shown=False)
    policies = measured(problem, read(options))
    shown = Tier(NAME, objective=objective(problem, policies))
    return (QUIET_REPAIRS, *quiet_should(problem), shown, moves)


def objective(problem: Problem, policies: Policies) -> Objective:
    """Return the combined imbalance; in pack mode hosts in use, and what passes the ceilings."""
    fields = plain(problem, len(policies.active), levels=int(policies.packs))
    fields["range_over"] = policies.scope
    if policies.packs:
        fields["used_price"] = policies.scope.astype(np.int64)
    for column, policy in enumerate(policies.active):
        fields["amounts"][:, column] = policies.amounts[:, column]
        fields["base"][:, column] = policies.base[:, column]
        fields["range_cap"][:, column] = policies.cap[:, column]
        if policies.packs:
            fields["high"][0, :, column] = policies.ceiling(column)
            fields["price"][0, column] = 1
        else:
            fields["range_weight"][column] = policy.weight
            fields["range_scale"][column] = SCALE
    return Objective(**fields)
