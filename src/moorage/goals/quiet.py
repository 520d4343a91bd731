# SPDX-License-Identifier: Apache-2.0
"""Tiers that rule the search and that results don't list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

QUIET_REPAIRS: Final = replace(REPAIRS, shown=False)
"""A goal that others know as one number shows that number alone; rules come first all the same."""


def quiet_should(problem: Problem) -> tuple[Tier, ...]:
    """Return the tier of should-rules, unseen, for a fleet that has any."""
    return (replace(SHOULD, shown=False),) if problem.should else ()


def moved_at(problem: Problem, prices: Ints) -> Objective:
    """Return an objective that costs *prices* for each guest that is moved."""
    return Objective(**{**plain(problem), "move_price": prices})
