# SPDX-License-Identifier: Apache-2.0
"""The library's verbs, with plain arguments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from moorage.decide import Decision, Request
from moorage.decide import solve as decide
from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY
from moorage.problem.limits import Watcher


def solve(
    fleet: Fleet,
    goal: str | None = None,
    *,
    options: Mapping[str, Any] = EMPTY,
    time_s: float | None = None,
    effort: float | None = None,
    seed: int = 1,
    workers: int = 1,
    max_moves: int | None = None,
    max_memory_mib: int | None = None,
    watch: Watcher | None = None,
) -> Decision:
    """Find the best target for *fleet*: where each guest should be, and how good that is.

    Args:
        fleet: what `moorage.read` returned.
        goal: `balance`, `pack`, `few-moves`, `evacuate`, `free-slots`, `proxlb`, `gmrp` or
            `kronos`; None takes the one that the fleet itself names, else `balance`.
        options: of the goal.
        time_s: seconds by the wall clock; an answer that they cut isn't deterministic.
        effort: units of deterministic work, about a second of one core each; 1 where neither
            effort nor time is given.
        seed: of every random choice.
        workers: threads; with more than one another run may give another answer.
        max_moves: how many guests may move at most, repairs among them.
        max_memory_mib: how much memory may be copied at most.
        watch: called with the progress.
    """
    request = Request(
        goal=goal,
        options=options,
        time_s=time_s,
        effort=effort,
        seed=seed,
        workers=workers,
        max_moves=max_moves,
        max_memory_mib=max_memory_mib,
        began=time.monotonic(),
        watch=watch,
    )
    return decide(fleet, request)
