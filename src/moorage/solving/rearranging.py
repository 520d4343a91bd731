# SPDX-License-Identifier: Apache-2.0
"""Large steps: the exact engine rearranges one part of a placement after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from moorage.problem import Budget, Clock, Problem, Tier
from moorage.solving.neighbourhoods import Neighbourhoods

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moorage.solving.local import LocalSearch

    Indices = NDArray[np.int32]

PART_EFFORT: Final = 0.25
BUILDING: Final = 1.2e-5
"""Effort to build the model of a part, for each of its cells."""


@dataclass(frozen=True)
class Sight:
    """Tiers, and the local search that knows what placements are worth in them."""

    local: LocalSearch
    tiers: tuple[Tier, ...]

    def values(self, placement: Indices) -> tuple[int, ...] | None:
        """What each tier is worth; None if *placement* isn't admissible."""
        if not self.local.is_admissible(placement):
            return None
        return self.local.values(placement)[: len(self.tiers)]


@dataclass(eq=False)
class Rearranging:
    """Rearranges parts for as long as that helps.

    Attributes:
        is_over: asked before each step, with the effort that is to be kept.
        better: told each better placement.
    """

    problem: Problem
    budget: Budget
    clock: Clock
    drawn: Neighbourhoods
    is_over: Callable[[float], bool]
    better: Callable[[Indices], object]

    def descend(
        self, sight: Sight, placement: Indices, cells: int, idle_rounds: int, keep: float
    ) -> None:
        """Rearrange parts of one size until so many in a row have won nothing."""
        from moorage.solving.exact import solve_exact

        values, idle = sight.values(placement), 0
        while values is not None and idle < idle_rounds and not self.is_over(keep):
            part = self.drawn.draw(placement, cells)
            self.clock.spend(BUILDING * cells)
            found = solve_exact(
                self.problem,
                sight.tiers,
                hint=placement,
                clock=self.clock,
                effort=min(PART_EFFORT, self.clock.effort_left),
                free=part.free,
                open_hosts=part.open_hosts,
                budget=self.budget,
                judge=sight,
            )
            idle += 1
            if found.values < values:
                placement, values, idle = found.placement, found.values, 0
                self.better(placement)
