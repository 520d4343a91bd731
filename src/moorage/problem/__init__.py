# SPDX-License-Identifier: Apache-2.0
"""What solvers see of a fleet: integer arrays, where guests may be, and bounds that hold."""

from moorage.problem.compiling import compile_fleet
from moorage.problem.limits import Budget, Clock, Limits, Progress
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import NOWHERE, Problem
from moorage.problem.restrictions import Restrictions
from moorage.problem.tiers import REPAIRS, SHOULD, Tier, values_of

__all__ = [
    "NOWHERE",
    "REPAIRS",
    "SHOULD",
    "Budget",
    "Clock",
    "Limits",
    "Objective",
    "Problem",
    "Progress",
    "Restrictions",
    "Tier",
    "compile_fleet",
    "plain",
    "values_of",
]
