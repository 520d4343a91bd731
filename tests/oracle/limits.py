# SPDX-License-Identifier: Apache-2.0
"""How many moves run at once at each instant of a plan, counted anew each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from moorage.model.fleet import Fleet
from moorage.model.plan import Action, ActionKind, Plan, Step
from moorage.model.topology import Link


def exceeded(fleet: Fleet, plan: Plan) -> Iterator[tuple[int, str, int]]:
    """Yield (instant, what is used, by how many moves too much)."""
    for at_s in sorted({t for step in plan.steps for t in (step.start_s, step.end_s)}):
        running = [step for step in plan.steps if step.start_s <= at_s < step.end_s]
        moves = [action for step in running for action in copying(step)]
        used = Counter(use for action in moves for use in _uses(fleet, action))
        for (use, limit), count in used.items():
            if count > limit:
                yield at_s, use, count - limit


def copying(step: Step) -> list[Action]:
    """The actions of a step that copy memory for themselves.

    One that is started anew doesn't; of those that the platform moves along with others to the
    same host none does, or one for all if nobody else is copied there.
    """
    copied = [action for action in step.actions if action.source is not None]
    moves = [action for action in copied if action.kind is not ActionKind.CO_MOVE]
    unled = {action.target for action in copied} - {action.target for action in moves}
    return moves + [next(action for action in copied if action.target == t) for t in unled]


def _uses(fleet: Fleet, action: Action) -> Iterator[tuple[str, int]]:
    limits, source, target = fleet.limits, action.source or "", action.target
    if limits.at_once is not None:
        yield "at once", limits.at_once
    if limits.into_host is not None:
        yield f"into {target}", limits.into_host
    if limits.out_of_host is not None:
        yield f"out of {source}", limits.out_of_host
    if limits.over_link is not None:
        for link in fleet.links:
            if _crosses(link, source, target):
                yield f"over link {link.id}", limits.over_link
    if limits.per_pool is not None:
        for pool in _local_pools(fleet, action.guest):
            yield f"on storage {pool} of {source}", limits.per_pool
            yield f"on storage {pool} of {target}", limits.per_pool


def _crosses(link: Link, source: str, target: str) -> bool:
    """Both hosts are on a side of the link, and on different ones."""
    sides = [{i for i, side in enumerate(link.sides) if host in side} for host in (source, target)]
    return bool(sides[0] and sides[1]) and sides[0] != sides[1]


def _local_pools(fleet: Fleet, guest: str) -> list[str]:
    return [
        resource.pool
        for resource in fleet.resources.values()
        if resource.is_disk
        and resource.shared_total is None
        and fleet.guests[guest].demand.get(resource.id, 0) > 0
    ]
