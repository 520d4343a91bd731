# SPDX-License-Identifier: Apache-2.0
"""Evacuate: only forced moves, and those who move spread over the hosts that are left."""

from __future__ import annotations

from typing import Final

from moorage.goals import balance, few_moves
from moorage.goals.options import Options
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier

NAME: Final = "evacuate"
OPTIONS: Final = balance.OPTIONS


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """Repairs, should-rules, guests moved, and balance with what is copied."""
    return (REPAIRS, SHOULD, few_moves.moves(problem), balance.tier(problem, options))
