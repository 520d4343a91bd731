# SPDX-License-Identifier: Apache-2.0
"""Free slots: room for as many new guests of one shape as can be, then as little copied.

A host has as many slots as the shape still fits into what it has free. Hosts that newcomers may
not come onto have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import open_hosts
from moorage.goals.options import Options
from moorage.goals.quiet import moved_at
from moorage.problem.compiling import MOST_AMOUNT
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

NAME: Final = "free-slots"
OPTIONS: Final = ("shape",)


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """Repairs, should-rules, free slots (taken off: fewer than none), MiB copied."""
    wanted = _shape(problem, options)
    priced = open_hosts(problem).astype(np.int64)
    fields = {**plain(problem), "slot_shape": wanted, "slot_price": priced}
    slots = Tier(NAME, objective=Objective(**fields))
    moves = Tier("moves", objective=moved_at(problem, problem.move_cost))
    return (REPAIRS, SHOULD, slots, moves)


def _shape(problem: Problem, options: Options) -> Ints:
    """Read {resource: amount}, in the order of the problem's resources."""
    given = options.section("shape", problem.resources)
    found = [given.whole(resource, 0, most=MOST_AMOUNT) for resource in problem.resources]
    if not any(found):
        taken = ", ".join(problem.resources) or "nothing yet"
        options.fail(
            "shape",
            "free-slots needs the shape of a guest to keep room for",
            f"give amounts of resources, as in shape: {{memory: 4096}}; guests take: {taken}",
        )
    return np.array(found, dtype=np.int64)
