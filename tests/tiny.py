# SPDX-License-Identifier: Apache-2.0
"""Tiny fleets for examples, and short ways to ask the verifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moorage.model.fleet import STANDARD_RESOURCES, Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest, Volume
from moorage.model.hosts import Host
from moorage.model.plan import Action, ActionKind, Plan, Step, Violation
from moorage.model.resources import Resource
from moorage.model.rule import Breach, Rule
from moorage.verifying import collisions_of, verify

Hop = tuple[str, str | None, str]


def host(
    name: str,
    memory: int = 10,
    *,
    rack: str | None = None,
    zone: str | None = None,
    more: Mapping[str, int] | None = None,
    **fields: Any,
) -> Host:
    """A host with so many MiB of memory, and amounts of other resources in *more*."""
    labels = {domain: value for domain, value in (("rack", rack), ("zone", zone)) if value}
    capacity = FrozenMap({"memory": memory, **(more or {})})
    return Host(name, capacity=capacity, labels=FrozenMap(labels), **fields)


def guest(
    name: str,
    on: str | None = None,
    memory: int = 1,
    *,
    more: Mapping[str, int] | None = None,
    **fields: Any,
) -> Guest:
    """A guest on a host, with so many MiB of memory, and amounts of other resources in *more*."""
    return Guest(name, host=on, demand=FrozenMap({"memory": memory, **(more or {})}), **fields)


def fleet(
    hosts: list[Host],
    guests: list[Guest],
    *rules: Rule,
    resources: tuple[Resource, ...] = (),
    volumes: tuple[Volume, ...] = (),
    **fields: Any,
) -> Fleet:
    """A fleet of these, in the standard resources and those named."""
    return Fleet(
        hosts=FrozenMap({h.id: h for h in hosts}),
        guests=FrozenMap({g.id: g for g in guests}),
        rules=rules,
        resources=STANDARD_RESOURCES.with_items({r.id: r for r in resources}),
        volumes=FrozenMap({v.id: v for v in volumes}),
        **fields,
    )


def step(start_s: int, end_s: int, *hops: Hop, kind: ActionKind = ActionKind.MIGRATE) -> Step:
    """Hops (guest, source, target) that start and end together; those after the first follow."""
    return Step(0, start_s, end_s, tuple(Action(*hop, kind) for hop in hops))


def plan(*steps: Step) -> Plan:
    """A plan of these steps, numbered in their order."""
    return Plan(
        tuple(
            Step(number, s.start_s, s.end_s, s.actions, s.depends_on)
            for number, s in enumerate(steps)
        )
    )


def violations(
    fleet: Fleet, document: Plan | Mapping[str, Any], rule: str | None = None
) -> list[Violation]:
    """What the verifier finds new, of all rules or of one."""
    found = verify(fleet, document)
    return [v for v in found if not v.pre_existing and (rule is None or v.breach.rule == rule)]


def the_breach(fleet: Fleet, document: Plan | Mapping[str, Any]) -> Breach:
    """The one new breach of a document."""
    (violation,) = violations(fleet, document)
    return violation.breach


def texts(fleet: Fleet, document: Plan | Mapping[str, Any]) -> list[tuple[int | None, str]]:
    """What the verifier finds new: (instant, text), where None is the final state."""
    return [(v.at_s, v.breach.text) for v in violations(fleet, document)]


def costs(fleet: Fleet, placement: Mapping[str, str | None]) -> list[tuple[str, int]]:
    """(text, amount) of each place where a should-rule doesn't hold."""
    return [(b.text, b.amount) for _, b in collisions_of(fleet, placement)]
