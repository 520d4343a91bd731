# SPDX-License-Identifier: Apache-2.0
"""Ways against exhaustive search, against the verifier, and against clocks that go wrong."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from typing import Final

import pytest

from moorage.decide import Request, plan
from moorage.model.fleet import Fleet
from moorage.model.plan import Plan, Step
from moorage.routing.router import route
from moorage.rules.apart import Apart
from moorage.verifying import verify
from tests.oracle.random_fleets import random_case
from tests.tiny import fleet, guest, host

BATCHES: Final = 8
TRANSITIONS: Final = 25
FLEETS: Final = 40
Places = tuple[int, ...]


class Transition:
    """Hosts, guests with two amounts, pairs that never meet, a valid start and a valid goal."""

    def __init__(self, rng: random.Random) -> None:
        while True:
            self.hosts, guests = rng.choice((2, 3, 3, 4)), rng.choice((4, 5, 6))
            self.rooms = [
                (rng.choice((12, 16, 20)), rng.choice((8, 12))) for _ in range(self.hosts)
            ]
            self.sizes = [(rng.randint(1, 9), rng.randint(0, 4)) for _ in range(guests)]
            pairs = [(i, j) for i in range(guests) for j in range(i)]
            self.pairs = rng.sample(pairs, rng.choice((0, 0, 1, 2)))
            self.start, self.goal = self._somewhere(rng), self._somewhere(rng)
            if self.fits(self.start) and self.fits(self.goal) and self.start != self.goal:
                return

    def _somewhere(self, rng: random.Random) -> Places:
        return tuple(rng.randrange(self.hosts) for _ in self.sizes)

    def fits(self, where: Places, moving: int = -1, to: int = -1) -> bool:
        """Whether all limits hold, with one guest on both ends of its move."""
        on = [[g for g, h in enumerate(where) if h == host] for host in range(self.hosts)]
        if moving >= 0:
            on[to].append(moving)
        for here, room in zip(on, self.rooms, strict=True):
            if any(sum(self.sizes[g][k] for g in here) > room[k] for k in range(2)):
                return False
            if any(i in here and j in here for i, j in self.pairs):
                return False
        return True

    def fewest(self) -> int | None:
        """The fewest moves that lead from start to goal; None if none do."""
        steps, queue = {self.start: 0}, deque([self.start])
        while queue:
            where = queue.popleft()
            if where == self.goal:
                return steps[where]
            for g, at in enumerate(where):
                for to in range(self.hosts):
                    after = (*where[:g], to, *where[g + 1 :])
                    if to != at and after not in steps and self.fits(where, g, to):
                        steps[after] = steps[where] + 1
                        queue.append(after)
        return None

    @property
    def fleet(self) -> Fleet:
        """The same as a fleet."""
        hosts = [host(f"h{i}", m, more={"cpu": c}) for i, (m, c) in enumerate(self.rooms)]
        guests = [
            guest(f"g{i}", f"h{self.start[i]}", m, more={"cpu": c})
            for i, (m, c) in enumerate(self.sizes)
        ]
        rules = [
            Apart(name=f"pair {n}", guests=(f"g{i}", f"g{j}"))
            for n, (i, j) in enumerate(self.pairs)
        ]
        return fleet(hosts, guests, *rules)


def fresh(fleet: Fleet, found: Plan, target: dict[str, str | None]) -> list[str]:
    """What the verifier has against a plan."""
    document = {"placements": target, "plan": found.to_dict()}
    return [v.breach.text for v in verify(fleet, document) if not v.pre_existing]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_shortest_way_is_found_or_there_is_none(batch: int) -> None:
    """A way that exists is found with as few moves as any has, and none is claimed beside."""
    for number in range(TRANSITIONS):
        transition = Transition(random.Random(f"way {batch} {number}"))
        made = transition.fleet
        target: dict[str, str | None] = {f"g{i}": f"h{h}" for i, h in enumerate(transition.goal)}
        fewest, found = transition.fewest(), route(made, target)
        assert found.feasible == (fewest is not None), (batch, number)
        assert not fresh(made, found, target), (batch, number)
        if fewest is not None:
            assert sum(len(step.actions) for step in found.steps) == fewest, (batch, number)


def delayed(found: Plan, rng: random.Random) -> Plan:
    """The same steps, each lasting as long as chance says, started as soon as it may."""
    ends: dict[int, int] = {}
    steps: list[Step] = []
    for step in found.steps:
        start = max((ends[d] for d in step.depends_on), default=0)
        ends[step.index] = start + rng.randint(1, 50)
        steps.append(replace(step, start_s=start, end_s=ends[step.index]))
    return replace(found, steps=tuple(steps))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_dependencies_alone_keep_a_plan_safe(batch: int) -> None:
    """Whatever steps take, nothing breaks as long as each waits for those it depends on."""
    for number in range(TRANSITIONS):
        rng = random.Random(f"clock {batch} {number}")
        transition = Transition(rng)
        made = transition.fleet
        target: dict[str, str | None] = {f"g{i}": f"h{h}" for i, h in enumerate(transition.goal)}
        found = route(made, target)
        for _ in range(5 if found.feasible else 0):
            assert not fresh(made, delayed(found, rng), target), (batch, number)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_plan_is_verified_whatever_the_rules(batch: int) -> None:
    """Fleets with any rules, whole or broken: nothing new or worse at any instant, nor at the end.

    A way that leads there ends where the target has everybody.
    """
    for number in range(FLEETS):
        made, _ = random_case(random.Random(f"rules {batch} {number}"))
        decision = plan(made, Request(goal="balance", effort=0.05))
        assert not decision.is_refused, (batch, number, decision.violations)
