# SPDX-License-Identifier: Apache-2.0
"""Pack: as few hosts in use as can be, then as little copied as can be.

Hosts come first, whatever their moves cost; and moves that free no host are never made.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from moorage.goals.options import Options
from moorage.goals.quiet import moved_at
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier

NAME: Final = "pack"
OPTIONS: Final = ()


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """Repairs, should-rules, hosts in use, MiB copied."""
    used = np.ones(len(problem.hosts), dtype=np.int64)
    hosts = Objective(**{**plain(problem), "used_price": used})
    moves = moved_at(problem, problem.move_cost)
    return (REPAIRS, SHOULD, Tier("hosts", objective=hosts), Tier("moves", objective=moves))
