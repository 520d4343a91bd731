# SPDX-License-Identifier: Apache-2.0
"""Few moves: only what rules, capacity and drains force; of those the least that is copied."""

from __future__ import annotations

from typing import Final

import numpy as np

from moorage.goals.options import Options
from moorage.goals.quiet import moved_at
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier

NAME: Final = "few-moves"
OPTIONS: Final = ()


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """Repairs, should-rules, guests moved; MiB copied decides between equals."""
    copied = Tier("copied", objective=moved_at(problem, problem.move_cost), shown=False)
    return (REPAIRS, SHOULD, moves(problem), copied)


def moves(problem: Problem) -> Tier:
    """Return the number of guests moved, as a tier."""
    each = np.ones(len(problem.guests), dtype=np.int64)
    return Tier("moves", objective=moved_at(problem, each))
