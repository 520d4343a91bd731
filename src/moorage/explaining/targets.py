# SPDX-License-Identifier: Apache-2.0
"""From what an engine found to a target in the words of the domain, with its reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from moorage.explaining.contradictions import fatal_conflicts, out_of_room, rules_against_rules
from moorage.explaining.why_moved import Why
from moorage.explaining.why_stuck import stuck_guests
from moorage.goals.score import gains, score
from moorage.model.frozen import FrozenMap
from moorage.model.resources import MEMORY
from moorage.model.target import (
    Contradiction,
    Exhausted,
    Move,
    ProvedBy,
    Status,
    Target,
    TierValue,
)
from moorage.problem import Budget, Problem, Tier
from moorage.routing.durations import duration_s, local_disk_mib
from moorage.solving.found import Found

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]


def target_of(
    problem: Problem,
    tiers: tuple[Tier, ...],
    found: Found,
    proved_by: ProvedBy | None,
    goal: str,
    budget: Budget,
) -> Target:
    """Say in words what *found* is for *problem*."""
    placements = FrozenMap(problem.placement(found.placement))
    status, contradiction, exhausted = _status(problem, tiers, found, placements, budget)
    unwell = status not in (Status.OPTIMAL, Status.FEASIBLE)
    return Target(
        placements=placements,
        status=status,
        proved_by=proved_by,
        tiers=tuple(
            TierValue(tier.name, value, bound)
            for tier, value, bound in zip(tiers, found.values, found.bounds, strict=True)
            if tier.shown
        ),
        deterministic=not found.by_clock,
        score_before=score(problem, problem.start),
        score_after=score(problem, found.placement),
        moves=tuple(_moves(problem, found.placement, placements, goal)),
        contradiction=contradiction,
        exhausted=exhausted,
        stuck=tuple(stuck_guests(problem, placements)) if unwell else (),
    )


def _status(
    problem: Problem,
    tiers: tuple[Tier, ...],
    found: Found,
    placements: Mapping[str, str | None],
    budget: Budget,
) -> tuple[Status, Contradiction | None, Exhausted | None]:
    """What is known: a must-rule that is still broken is never called feasible."""
    broken, least = found.values[0], found.bounds[0] or 0
    if not broken:
        shown = max((i for i, tier in enumerate(tiers) if tier.shown), default=-1)
        return (Status.OPTIMAL if found.proved > shown else Status.FEASIBLE), None, None
    conflicts = fatal_conflicts(problem)
    if conflicts:
        return (Status.CONFLICT, *rules_against_rules(conflicts))
    contradiction, exhausted = out_of_room(problem, placements)
    unlimited = budget == Budget()
    if (least > 0 and unlimited) or exhausted.proved_by == "presolve":
        return Status.INFEASIBLE, contradiction, exhausted
    return Status.UNKNOWN, None, None


def _moves(
    problem: Problem, placement: Indices, placements: Mapping[str, str | None], goal: str
) -> Iterator[Move]:
    """What differs between now and the target, in the natural order of guests."""
    fleet = problem.fleet
    why, gained = Why.of(problem, placements, goal), gains(problem, placement)
    for index in (placement != problem.start).nonzero()[0].tolist():
        guest = problem.guests[index]
        source, target = fleet.placement[guest], placements[guest]
        if target is None:
            continue
        code, sentence = why.sentence(guest, source, target)
        yield Move(
            guest=guest,
            source=source,
            target=target,
            code=code,
            reason=sentence,
            gain=float(gained[index]),
            memory_mib=fleet.demand_of(guest).get(MEMORY, 0),
            disk_mib=local_disk_mib(fleet, guest),
            duration_s=duration_s(fleet, guest, source, target),
        )
