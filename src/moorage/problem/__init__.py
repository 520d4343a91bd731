# SPDX-License-Identifier: Apache-2.0
"""What solvers see of a fleet: integer arrays, where guests may be, and bounds that hold."""

from moorage.problem.compiling import compile_fleet
from moorage.problem.problem import NOWHERE, Problem
from moorage.problem.restrictions import Restrictions

__all__ = ["NOWHERE", "Problem", "Restrictions", "compile_fleet"]
