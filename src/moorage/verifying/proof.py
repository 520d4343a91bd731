# SPDX-License-Identifier: Apache-2.0
"""Verification of targets and plans against every must-rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moorage.model.fleet import Fleet
from moorage.model.plan import Plan, Violation
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Rule
from moorage.model.view import View, in_order
from moorage.verifying.documents import Claimed, Placement, read_document, read_plan
from moorage.verifying.replay import RULE, Replay
from moorage.verifying.standing import Standing, breaches, collisions


def verify(fleet: Fleet, document: Plan | Mapping[str, Any]) -> list[Violation]:
    """Find every violation of a target, a plan, or a plan document.

    Args:
        fleet: what everything starts from.
        document: `{guest: host}`, a plan, or a document with `placements` and `plan`.

    Returns:
        What is wrong: each with its instant (None for the final state), rule, host and
        figure. What stood at the start and got no worse is marked so.
    """
    claimed = _claimed(fleet, document)
    standing = Standing(fleet)
    if claimed.plan is None:
        found = _of_target(standing, claimed.placement or fleet.placement)
    else:
        replay = Replay(standing, claimed.plan)
        found = list(replay.violations())
        if claimed.placement is not None and claimed.plan.feasible:
            found += _incomplete(replay.view, claimed.placement)
        elif claimed.placement is not None:
            found += _out_of_reach(standing, claimed.placement, found)
    return sorted(found, key=standing.order_of)


def _of_target(standing: Standing, placement: Placement) -> list[Violation]:
    view = View(standing.fleet, placement, at_end=True)
    found = list(standing.judge(breaches(standing.must, view), None))
    return found + _incomplete(view, placement)


def _out_of_reach(
    standing: Standing, placement: Placement, said: list[Violation]
) -> list[Violation]:
    """What is wrong with a target that the plan says it doesn't reach, beyond what was *said*."""
    known = {v.breach.key for v in said if v.at_s is None and not v.pre_existing}
    found = _of_target(standing, placement)
    return [v for v in found if not v.pre_existing and v.breach.key not in known]


def _claimed(fleet: Fleet, document: Plan | Mapping[str, Any]) -> Claimed:
    if isinstance(document, Plan):
        return Claimed(None, read_plan(fleet, document.to_dict()))
    return read_document(fleet, document)


def _incomplete(view: View, placement: Placement) -> list[Violation]:
    """The guests that aren't brought to where they should be: stopped ones go nowhere."""
    reached = view.placement()
    astray = in_order([g for g, host in placement.items() if reached[g] != host])
    if not astray:
        return []
    first = astray[0]
    text = (
        f"it ends with {first} on {reached[first] or 'no host'}, not on"
        f" {placement[first] or 'no host'}"
    )
    if len(astray) > 1:
        text += f", and {len(astray) - 1} more elsewhere than placements say"
    return [Violation(Breach(RULE, Reason.PLAN_INCOMPLETE, "", astray, len(astray), text))]


def broken_now(fleet: Fleet) -> list[Violation]:
    """Find the must-rules that are broken where guests are now."""
    standing = Standing(fleet)
    found = [Violation(b, None, pre_existing=True) for b in standing.breaches]
    return sorted(found, key=standing.order_of)


def collisions_of(fleet: Fleet, placement: Placement | None = None) -> list[tuple[Rule, Breach]]:
    """Find where should-rules don't hold, now or in *placement*."""
    where = fleet.placement if placement is None else {**fleet.placement, **placement}
    return collisions(fleet, View(fleet, where, at_end=True))


def is_refused(violations: Iterable[Violation]) -> bool:
    """Whether any of *violations* is new or worse than before."""
    return any(not v.pre_existing for v in violations)
