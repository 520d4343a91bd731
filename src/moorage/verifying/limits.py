# SPDX-License-Identifier: Apache-2.0
"""How many moves run at once: the limits of a fleet, at every instant."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from moorage.model.fleet import Fleet
from moorage.model.plan import Action, ActionKind
from moorage.model.reasons import Reason
from moorage.model.rule import Breach
from moorage.model.topology import NO_LIMITS
from moorage.model.view import in_order

RULE = "limits"


def check_limits(fleet: Fleet, running: Collection[Action]) -> Iterator[Breach]:
    """Find the limits that the *running* actions exceed.

    A guest that the platform moves along with another needs no slot of its own, and one
    that is started anew isn't copied.
    """
    limits = fleet.limits
    if limits == NO_LIMITS:
        return
    moves = [a for a in running if a.kind not in (ActionKind.CO_MOVE, ActionKind.PLACE)]
    groups: list[tuple[int | None, str, dict[str, list[Action]]]] = [
        (limits.at_once, "at once", {"": moves} if moves else {}),
        (limits.into_host, "into", _gather((a.target, a) for a in moves)),
        (limits.out_of_host, "out of", _gather((a.source or "", a) for a in moves)),
        (limits.over_link, "over link", _gather(_over_links(fleet, moves))),
        (limits.per_pool, "on storage", _gather(_on_pools(fleet, moves))),
    ]
    for limit, words, found in groups:
        if limit is not None:
            for where, actions in sorted(found.items()):
                if len(actions) > limit:
                    yield _breach(fleet, words, where, actions, limit)


def _gather(pairs: Iterator[tuple[str, Action]]) -> dict[str, list[Action]]:
    found: dict[str, list[Action]] = {}
    for where, action in pairs:
        found.setdefault(where, []).append(action)
    return found


def _over_links(fleet: Fleet, moves: list[Action]) -> Iterator[tuple[str, Action]]:
    for action in moves:
        for link in fleet.links:
            if action.source is not None and link.crossed_by(action.source, action.target):
                yield link.id, action


def _on_pools(fleet: Fleet, moves: list[Action]) -> Iterator[tuple[str, Action]]:
    """The local pools that a move reads from and writes to; shared pools copy nothing."""
    for action in moves:
        for resource in fleet.guests[action.guest].demand:
            known = fleet.resources.get(resource)
            if known is not None and known.is_disk and known.shared_total is None:
                yield f"{known.pool} of {action.target}", action
                if action.source is not None:
                    yield f"{known.pool} of {action.source}", action


def _breach(fleet: Fleet, words: str, where: str, actions: list[Action], limit: int) -> Breach:
    text = f"{len(actions)} moves {words} {where}".rstrip() + f"; at most {limit} may run"
    guests = in_order([a.guest for a in actions])
    host = where if where in fleet.hosts else None
    place = f"{words} {where}".strip()
    over = len(actions) - limit
    return Breach(RULE, Reason.MOVE_LIMIT, place, guests, over, text, "moves", host)
