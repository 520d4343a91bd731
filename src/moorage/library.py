# SPDX-License-Identifier: Apache-2.0
"""The library's verbs, with plain arguments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from moorage import decide
from moorage.decide import Decision, Request
from moorage.model.fleet import Fleet
from moorage.model.plan import Plan
from moorage.problem.limits import Watcher


class Asked(TypedDict, total=False):
    """How to look for a target.

    Attributes:
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

    options: Mapping[str, Any]
    time_s: float | None
    effort: float | None
    seed: int
    workers: int
    max_moves: int | None
    max_memory_mib: int | None
    watch: Watcher | None


def solve(fleet: Fleet, goal: str | None = None, **asked: Unpack[Asked]) -> Decision:
    """Find the best target for *fleet*: where each guest should be, and how good that is.

    Args:
        fleet: what `moorage.read` returned.
        goal: `balance`, `pack`, `few-moves`, `evacuate`, `free-slots`, `proxlb`, `gmrp` or
            `kronos`; None takes the one that the fleet itself names, else `balance`.
        asked: how to look for it.
    """
    return decide.solve(fleet, Request(goal=goal, began=time.monotonic(), **asked))


def plan(fleet: Fleet, goal: str | None = None, **asked: Unpack[Asked]) -> Decision:
    """Find the best target for *fleet* and a way there that breaks nothing at any instant.

    What it takes is what `solve` takes.
    """
    return decide.plan(fleet, Request(goal=goal, began=time.monotonic(), **asked))


def route(fleet: Fleet, target: Mapping[str, str | None]) -> Plan:
    """Find a plan that leads from where guests are to where *target* has them, safe throughout.

    Args:
        fleet: what `moorage.read` returned.
        target: {guest: host}; guests that it doesn't name stay where they are.
    """
    from moorage.routing.router import route as find
    from moorage.verifying.documents import read_target

    return find(fleet, read_target(fleet, target, "target"))
