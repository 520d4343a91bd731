# SPDX-License-Identifier: Apache-2.0
"""The objective of proxlb's solver: weighted gap between nodes, plus what moves cost.

With loads in ten-thousandths, priorities counted in:
w_balance x gap + w_stickiness x cost of moves + 1,000,000 for each collision of a soft rule.

Soft rules are counted here as everywhere: two and two on two nodes are two collisions, three and
one are three. The original counts a node once however many collide on it, and so turns two and
two into three and one and calls it better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import demand_of, times
from moorage.goals.options import Options
from moorage.goals.proxlb.dimensions import Dimension, in_range
from moorage.goals.proxlb.settings import OPTIONS, Settings, read
from moorage.goals.proxlb.ties import ties
from moorage.goals.proxlb.trigger import balances_now
from moorage.goals.quiet import QUIET_REPAIRS
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["NAME", "OPTIONS", "objective", "tiers"]

NAME: Final = "proxlb"
COLLISION: Final = 1_000_000
STEP_MIB: Final = 256
"""Moves are priced by so much memory or disk; memory at least once, disks four times."""
DISK: Final = 4


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """One tier that is the original's own number, and its ties after it, unseen."""
    settings = read(options)
    tier = Tier(NAME, should=COLLISION, objective=objective(problem, settings))
    return (QUIET_REPAIRS, tier, *ties(problem, settings))


def objective(problem: Problem, settings: Settings) -> Objective:
    """Return gap and moves, weighted."""
    dimensions = [d for d in settings.dimensions(problem) if d.weight]
    weight = settings.w_balance if balances_now(problem, settings) else 0
    fields = plain(problem, len(dimensions) if weight else 0)
    for column, dimension in enumerate(dimensions if weight else ()):
        _fill(fields, column, dimension, weight)
    fields["range_over"] = in_range(problem)
    fields["move_price"] = times(settings.w_stickiness, move_costs(problem))
    return Objective(**fields)


def _fill(fields: dict[str, Ints], column: int, dimension: Dimension, weight: int) -> None:
    fields["amounts"][:, column] = times(dimension.amounts, dimension.priority)
    fields["base"][:, column] = dimension.base
    fields["range_weight"][column] = weight * dimension.weight
    fields["range_scale"][column] = dimension.scale
    fields["range_cap"][:, column] = dimension.cap


def move_costs(problem: Problem) -> Ints:
    """What moving each guest costs before w_stickiness."""
    memory = demand_of(problem, "memory") // STEP_MIB
    disks = sum(
        (demand_of(problem, r.id) for r in problem.fleet.resources.values() if r.is_disk),
        start=np.zeros(len(problem.guests), dtype=np.int64),
    )
    return np.asarray(np.maximum(1, memory) + DISK * (disks // STEP_MIB))
