# SPDX-License-Identifier: Apache-2.0
"""Kinds of guests: those that nothing tells apart become one, and are counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moorage.problem.objective import Objective
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Kind:
    """Free guests that are the same to every rule and goal.

    Attributes:
        members: their indices, ascending.
    """

    members: tuple[int, ...]

    @property
    def example(self) -> int:
        """Any of them."""
        return self.members[0]

    @property
    def is_single(self) -> bool:
        """Whether there is only one."""
        return len(self.members) == 1


def objectives_of(tiers: Iterable[Tier]) -> list[Objective]:
    """The objectives of those tiers that have one."""
    return [tier.objective for tier in tiers if tier.objective is not None]


def kinds_of(
    problem: Problem, tiers: Sequence[Tier], free: Indices, named: Collection[int]
) -> list[Kind]:
    """Gather the *free* guests into kinds; each of those that are *named* is one by itself."""
    traits = _Traits(problem, objectives_of(tiers))
    found: dict[Any, list[int]] = {}
    for guest in free.tolist():
        key = ("named", guest) if guest in named else traits.of(guest)
        found.setdefault(key, []).append(guest)
    return [Kind(tuple(members)) for members in found.values()]


class _Traits:
    """What tells guests apart."""

    def __init__(self, problem: Problem, objectives: Sequence[Objective]) -> None:
        self.problem = problem
        self.fleet = problem.fleet
        self.objectives = objectives
        self.start_matters = any(o.pair_price.size for o in objectives)
        self._demands: dict[Any, int] = {}

    def of(self, guest: int) -> tuple[Any, ...]:
        """Everything that tells *guest* from others."""
        bars, start = self.problem.restrictions, int(self.problem.start[guest])
        parts: list[Any] = [
            self._demand(guest),
            int(bars.row_of[guest]),
            int(bars.broken_at_start[guest]),
            int(bars.price_at_start[guest]),
            start if self.start_matters else start >= 0,
        ]
        for objective in self.objectives:
            parts += (objective.amounts[guest].tobytes(), int(objective.move_price[guest]))
            if objective.group_price:
                parts.append(int(objective.group_of[guest]))
            if objective.place_price.size:
                parts.append(objective.place_price[guest].tobytes())
        return tuple(parts)

    def _demand(self, guest: int) -> int:
        """A number for what *guest* takes, devices too: the same for those that take the same."""
        name = self.problem.guests[guest]
        taken = self.fleet.demand_of(name)
        devices = self.fleet.guests[name].devices
        key = (frozenset((r, a) for r, a in taken.items() if a), frozenset(devices.items()))
        return self._demands.setdefault(key, len(self._demands))
