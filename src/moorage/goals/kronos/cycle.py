# SPDX-License-Identifier: Apache-2.0
"""The moves that Kronos itself would make: one cycle, greedy and deterministic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from moorage.goals.kronos.admission import Admission
from moorage.goals.kronos.packing import pack
from moorage.goals.kronos.policies import OPTIONS, Policies, measured, read
from moorage.goals.kronos.spreading import spread
from moorage.goals.options import Options
from moorage.model.fleet import GoalChoice
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Admits = Callable[[Indices, int, int], bool]


def follow(
    problem: Problem,
    choice: GoalChoice | None = None,
    *,
    begin: Indices | None = None,
    admits: Admits | None = None,
) -> Indices:
    """Return where one cycle of Kronos leads.

    Args:
        problem: what to plan for.
        choice: the goal with its policies; None has the usual ones.
        begin: where guests are once evacuations and repairs are done; None is now.
        admits: whether (placement, guest, host) is an admissible move; None asks all rules.
    """
    policies = policies_of(problem, choice)
    placement = (problem.start if begin is None else begin).copy()
    step = pack if policies.packs else spread
    if policies.active:
        step(problem, policies, placement, Admission(problem) if admits is None else admits)
    return placement


def policies_of(problem: Problem, choice: GoalChoice | None = None) -> Policies:
    """Return the policies that count now."""
    values = {} if choice is None else choice.options
    return measured(problem, read(Options("kronos", values, OPTIONS)))
