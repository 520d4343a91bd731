# SPDX-License-Identifier: Apache-2.0
"""Random plans whose steps fit together: hops in a row or at once, parking, moves in company.

Only where guests are is right for certain; rules and capacities may break at any instant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from moorage.model.fleet import Fleet
from moorage.model.guests import Guest
from moorage.model.hosts import HostState
from moorage.model.plan import Action, ActionKind, Plan, Step
from moorage.model.rule import Strength, When
from tests.oracle.choices import Choices, Seeded
from tests.oracle.random_fleets import some_fleet, some_limits
from tests.oracle.random_rules import some_rule

if TYPE_CHECKING:
    import random


@dataclass(frozen=True)
class Hop:
    """One move of one guest, before hops of the same time become a step."""

    guest: str
    source: str | None
    target: str
    start_s: int
    end_s: int


def random_plan_case(rng: random.Random) -> tuple[Fleet, Plan]:
    """Draw a fleet with rules, and a plan for it."""
    choices = Seeded(rng)
    fleet = some_limits(choices, some_fleet(choices))
    return fleet, some_plan(choices, fleet)


def random_plan_case_of(kind: str, rng: random.Random) -> tuple[Fleet, Plan]:
    """Draw a fleet whose only written rule is of one kind and binds always, and a plan for it."""
    choices = Seeded(rng)
    fleet = some_fleet(choices, rules=False)
    rule = some_rule(choices, fleet, kind, "rule 1")
    always = replace(rule, strength=Strength.MUST, when=When.ALWAYS)
    return fleet.changed(rules=(always,)), some_plan(choices, fleet)


def some_plan(choices: Choices, fleet: Fleet) -> Plan:
    """Draw a plan for some of the guests that run."""
    running = [guest for guest in fleet.guests.values() if not guest.stopped]
    movers = choices.some_of(running, min(1, len(running)), min(5, len(running)))
    hops = [hop for guest in movers for hop in _journey(choices, fleet, guest)]
    return Plan(tuple(_steps(choices, hops)))


def _journey(choices: Choices, fleet: Fleet, guest: Guest) -> Iterable[Hop]:
    """One to three hops in a row; the last may lead back to where the guest came from."""
    here = fleet.placement[guest.id]
    clock = choices.number(0, 3) * 10
    for _ in range(choices.one_of((1, 1, 1, 2, 2, 3))):
        target = choices.one_of([host for host in fleet.hosts if host != here])
        end = clock + choices.number(1, 2) * 10
        dead = here is not None and fleet.hosts[here].state is HostState.DOWN
        yield Hop(guest.id, None if dead else here, target, clock, end)
        here, clock = target, end + choices.number(0, 1) * 10


def _steps(choices: Choices, hops: list[Hop]) -> Iterable[Step]:
    """Steps in the order of time; hops of the same time may become one step."""
    rest = sorted(hops, key=lambda hop: (hop.start_s, hop.end_s))
    last_of: dict[str, int] = {}
    ends: list[int] = []
    index = 0
    while rest:
        first = rest.pop(0)
        times = (first.start_s, first.end_s)
        company = [hop for hop in rest if (hop.start_s, hop.end_s) == times and choices.chance(50)]
        rest = [hop for hop in rest if hop not in company]
        together = [first, *company]
        needed = {last_of[hop.guest] for hop in together if hop.guest in last_of}
        over = [i for i, end_s in enumerate(ends) if end_s <= first.start_s]
        needed |= set(choices.some_of(over, 0, min(1, len(over))))
        actions = tuple(_action(hop, i > 0) for i, hop in enumerate(together))
        yield Step(index, *times, actions, tuple(sorted(needed)))
        last_of.update(dict.fromkeys((hop.guest for hop in together), index))
        ends.append(first.end_s)
        index += 1


def _action(hop: Hop, in_company: bool) -> Action:
    kind = ActionKind.MIGRATE
    if hop.source is None:
        kind = ActionKind.PLACE
    elif in_company:
        kind = ActionKind.CO_MOVE
    return Action(hop.guest, hop.source, hop.target, kind)
