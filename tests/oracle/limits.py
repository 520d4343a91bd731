# SPDX-License-Identifier: Apache-2.0
"""How many moves run at once at each instant of a plan, counted anew each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from moorage.model.fleet import Fleet
from moorage.model.plan import Action, ActionKind, Plan, Step
from moorage.model.topology import Link
from tests.oracle.invariants import holds_on_the_way


def exceeded(fleet: Fleet, plan: Plan) -> Iterator[tuple[int, str, int]]:
    """Yield (instant, what is used, by how many moves too much)."""
    for at_s in sorted({t for step in plan.steps for t in (step.start_s, step.end_s)}):
        running = [step for step in plan.steps if step.start_s <= at_s < step.end_s]
        moves = [action for step in running for action in copying(fleet, step)]
        used = Counter(use for action in moves for use in _uses(fleet, action))
        for (use, limit), count in used.items():
            if count > limit:
                yield at_s, use, count - limit


def copying(fleet: Fleet, step: Step) -> list[Action]:
    """The actions of a step that copy memory for themselves.

    One that is started anew doesn't; of those that the platform moves along with others of their
    group to the same host none does, or one for all if nobody else of it is copied there.
    """
    copied = [action for action in step.actions if action.source is not None]
    moves = [action for action in copied if action.kind is not ActionKind.CO_MOVE]
    for action in copied:
        group = bound_to(fleet, action.guest)
        led = any(m.target == action.target and m.guest in group - {action.guest} for m in moves)
        if action not in moves and not led:
            moves.append(action)
    return moves


def bound_to(fleet: Fleet, guest: str) -> set[str]:
    """The guests that rules keep on one host with a guest at every instant, over any chain."""
    group, before = {guest}, set[str]()
    rules: list[Any] = [r for r in fleet.rules if r.kind == "together" and holds_on_the_way(r)]
    while group != before:
        before = set(group)
        for rule in rules:
            if rule.domain == "host" and not rule.parts and group & set(rule.guests):
                group |= set(rule.guests)
    return group


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
