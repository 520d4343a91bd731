# SPDX-License-Identifier: Apache-2.0
"""What can be verified: a target, a plan object, or a whole plan document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moorage.model.errors import BadInput
from moorage.model.fleet import Fleet
from moorage.model.natural import natural_key
from moorage.model.plan import Action, ActionKind, Plan, Step

Placement = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a document claims: where guests end up, and perhaps the way there."""

    placement: Placement | None
    plan: Plan | None


def read_document(fleet: Fleet, document: Any) -> Claimed:
    """Recognise *document*; names that *fleet* doesn't know are refused."""
    if not isinstance(document, Mapping):
        raise BadInput("a plan, a target or a plan document is a mapping")
    if "steps" in document and not isinstance(document["steps"], str | None):
        return Claimed(None, read_plan(fleet, document))
    if isinstance(document.get("placements"), Mapping):
        placement = read_target(fleet, document["placements"], "placements")
        plan = document.get("plan")
        return Claimed(placement, None if plan is None else read_plan(fleet, plan))
    return Claimed(read_target(fleet, document, "target"), None)


def read_target(fleet: Fleet, target: Mapping[str, Any], place: str) -> Placement:
    """Return the whole placement: guests that *target* doesn't name stay where they are."""
    for guest, host in target.items():
        if guest not in fleet.guests:
            hint = _near(str(guest), fleet.guests)
            raise BadInput(f"unknown guest {guest!r}", place=place, hint=hint)
        if host is not None and (not isinstance(host, str) or host not in fleet.hosts):
            where, hint = f"{place}.{guest}", _near(str(host), fleet.hosts)
            raise BadInput(f"unknown host {host!r}", place=where, hint=hint)
    return {**fleet.placement, **target}


def _near(name: str, known: Mapping[str, object]) -> str:
    first = ", ".join(sorted(known, key=lambda k: (k[:2] != name[:2], natural_key(k)))[:3])
    return (
        f"the fleet has {first}{' …' if len(known) > 3 else ''}" if first else "the fleet has none"
    )


def read_plan(fleet: Fleet, plan: Mapping[str, Any]) -> Plan:
    """Return the plan object of the contract as a value."""
    if not isinstance(plan, Mapping):
        raise BadInput("a plan is a mapping with steps", place="plan")
    rows = plan.get("steps")
    if not isinstance(rows, list):
        raise BadInput("steps has to be a list", place="plan.steps")
    steps = tuple(_step(fleet, row, f"plan.steps[{i}]") for i, row in enumerate(rows))
    indices = [s.index for s in steps]
    if len(set(indices)) != len(indices):
        raise BadInput("two steps have the same index", place="plan.steps")
    known = set(indices)
    for step in steps:
        unknown = [d for d in step.depends_on if d not in known]
        if unknown:
            place = f"plan.steps[{step.index}].depends_on"
            raise BadInput(f"there is no step {unknown[0]}", place=place)
    feasible = plan.get("feasible", True)
    if not isinstance(feasible, bool):
        raise BadInput("feasible has to be true or false", place="plan.feasible")
    return Plan(steps, feasible=feasible)


def _step(fleet: Fleet, row: Any, place: str) -> Step:
    if not isinstance(row, Mapping):
        raise BadInput("a step is a mapping", place=place)
    index, start, end = (_number(row, key, place) for key in ("index", "start_s", "end_s"))
    if start < 0 or end <= start:
        raise BadInput("a step starts at 0 or later and ends after its start", place=place)
    actions, after = row.get("actions"), row.get("depends_on", [])
    if not isinstance(actions, list) or not isinstance(after, list):
        raise BadInput("actions and depends_on have to be lists", place=place)
    if not all(isinstance(d, int) and not isinstance(d, bool) for d in after):
        raise BadInput("depends_on holds the numbers of steps", place=f"{place}.depends_on")
    read = (_action(fleet, a, f"{place}.actions[{i}]") for i, a in enumerate(actions))
    return Step(index, start, end, tuple(read), tuple(after))


def _number(row: Mapping[str, Any], key: str, place: str) -> int:
    value = row.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadInput(f"{key} has to be a whole number", place=f"{place}.{key}")
    return value


def _action(fleet: Fleet, row: Any, place: str) -> Action:
    if not isinstance(row, Mapping):
        raise BadInput("an action is a mapping", place=place)
    guest, source, target = row.get("guest"), row.get("source"), row.get("target")
    if not isinstance(guest, str) or guest not in fleet.guests:
        raise BadInput(f"unknown guest {guest!r}", place=f"{place}.guest")
    if source is not None and (not isinstance(source, str) or source not in fleet.hosts):
        raise BadInput(f"unknown host {source!r}", place=f"{place}.source")
    if not isinstance(target, str) or target not in fleet.hosts:
        raise BadInput(f"unknown host {target!r}", place=f"{place}.target")
    kind = row.get("kind", ActionKind.MIGRATE)
    if not isinstance(kind, str) or kind not in set(ActionKind):
        known = ", ".join(ActionKind)
        raise BadInput(f"unknown kind {kind!r}", place=f"{place}.kind", hint=f"kinds: {known}")
    return Action(guest, source, target, ActionKind(kind))
