# SPDX-License-Identifier: Apache-2.0
"""The exact engine: CP-SAT over kinds of guests, one tier after another, with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from moorage.problem.limits import Budget, Clock
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier
from moorage.solving.exact.judging import Judge
from moorage.solving.found import Found

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]

NO_LIMIT = Budget()


def solve_exact(
    problem: Problem,
    tiers: Sequence[Tier],
    *,
    hint: Indices,
    clock: Clock,
    effort: float,
    free: Flags | None = None,
    open_hosts: Flags | None = None,
    budget: Budget = NO_LIMIT,
    workers: int = 1,
    bounds: Sequence[int | None] = (),
    judge: Judge | None = None,
) -> Found:
    """Find the placement whose tiers are smallest, in their order, with a proof as far as it gets.

    Args:
        problem: the fleet as arrays.
        tiers: what is to be small.
        hint: an admissible placement. The answer is never worse.
        clock: counts the effort, and cuts the search where the time is over.
        effort: units of work that it may take at most.
        free: guests that may move; the others stay where *hint* has them. None is all.
        open_hosts: hosts that guests may come onto or leave. None is all.
        budget: how much may be moved.
        workers: threads; with more than one the answer may differ from run to run.
        bounds: what is known that each tier can't get below, in the whole problem.
        judge: tells what a placement is worth; None asks each rule's own check, which takes
            long for large fleets.
    """
    from moorage.solving.exact.engine import solve

    return solve(
        problem,
        tiers,
        hint=hint,
        clock=clock,
        effort=effort,
        free=free,
        open_hosts=open_hosts,
        budget=budget,
        workers=workers,
        bounds=bounds,
        judge=judge,
    )
