# SPDX-License-Identifier: Apache-2.0
"""Verification of large fleets: wide limits of CPU time that only bad growth exceeds."""

from __future__ import annotations

import random
import time
from functools import cache

import pytest

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.plan import Action, Plan, Step
from moorage.model.resources import Resource
from moorage.model.rule import Rule
from moorage.model.topology import Link, MoveLimits
from moorage.rules.registry import registry
from moorage.verifying import verify
from tests.tiny import fleet

LIMIT_CPU_S = 10
GROUPS = 2_000
POOL = Resource("disk:ceph", "MiB", shared_total=10**9)


@cache
def crowd(hosts: int, guests: int) -> Fleet:
    """Hosts in racks of twenty, guests at random, groups of five kept apart by host or rack."""
    rng = random.Random(1)
    capacity = FrozenMap({"memory": 262_144, "cpu": 64_000, "disk:ceph": 10**9})
    made = [
        Host(f"h{i}", capacity=capacity, labels=FrozenMap(rack=f"r{i // 20}", zone=f"z{i % 3}"))
        for i in range(hosts)
    ]
    demand = FrozenMap({"memory": 4_096, "cpu": 1_000, "disk:ceph": 20_000})
    members = [
        Guest(f"g{i}", host=f"h{rng.randrange(hosts)}", demand=demand, project=f"p{i % 50}")
        for i in range(guests)
    ]
    apart = registry()["apart"]
    rules: list[Rule] = [
        apart(  # type: ignore[call-arg]
            name=f"apart {i}",
            guests=tuple(f"g{(5 * i + n) % guests}" for n in range(5)),
            domain=rng.choice(("host", "rack")),
        )
        for i in range(GROUPS)
    ]
    racks = tuple(tuple(f"h{i}" for i in range(r, r + 20)) for r in range(0, hosts, 20))
    links = tuple(Link(f"link{n}", 10_000, racks) for n in range(5))
    limits = MoveLimits(at_once=60, into_host=9, out_of_host=9, over_link=60, per_pool=9)
    return fleet(made, members, *rules, resources=(POOL,), links=links, limits=limits)


@cache
def journey(hosts: int, guests: int, moves: int, at_once: int) -> Plan:
    rng = random.Random(2)
    steps = []
    for index, name in enumerate(rng.sample(sorted(crowd(hosts, guests).guests), moves)):
        source = crowd(hosts, guests).placement[name]
        target = next(f"h{n}" for n in rng.sample(range(hosts), 2) if f"h{n}" != source)
        start_s = index // at_once * 10 + index % 7
        steps.append(Step(index, start_s, start_s + 10, (Action(name, source, target),)))
    return Plan(tuple(steps))


def cpu_s(fleet: Fleet, document: Plan | dict[str, str | None]) -> float:
    before = time.process_time()
    verify(fleet, document)
    return time.process_time() - before


def test_a_large_target_is_verified_in_seconds() -> None:
    """5,000 hosts, 30,000 guests and 2,000 groups take no more than the limit."""
    large = crowd(5_000, 30_000)
    rng = random.Random(3)
    target = {
        g: f"h{rng.randrange(5_000)}" if rng.random() < 0.3 else h
        for g, h in large.placement.items()
    }
    assert cpu_s(large, target) < LIMIT_CPU_S


@pytest.mark.parametrize("at_once", [1, 50])
def test_a_long_plan_is_verified_in_seconds(at_once: int) -> None:
    """5,000 moves on 1,000 hosts with 10,000 guests take no more than the limit."""
    large = crowd(1_000, 10_000)
    assert cpu_s(large, journey(1_000, 10_000, 5_000, at_once)) < LIMIT_CPU_S


WIDE = [
    ("host_count", {"hosts": tuple(f"h{i}" for i in range(1_000)), "at_most": 990}),
    ("guest_count", {"hosts": tuple(f"h{i}" for i in range(1_000)), "at_most": 9_000}),
    ("group_capacity", {"hosts": ("h1", "h2"), "resource": "memory", "at_most": 10**9}),
    ("apart", {"guests": tuple(f"g{i}" for i in range(1_000)), "max_skew": 99}),
    ("dedicated", {"guests": tuple(f"g{i}" for i in range(500))}),
    ("quota", {"project": "p1", "at_most": 100}),
    ("pin", {"guests": tuple(f"g{i}" for i in range(0, 9_999, 9)), "hosts": ("h1", "h2")}),
    ("headroom", {}),
]


@pytest.mark.parametrize(("kind", "fields"), WIDE, ids=[kind for kind, _ in WIDE])
def test_a_wide_rule_is_verified_in_seconds(kind: str, fields: dict[str, object]) -> None:
    """A rule over hundreds of hosts or guests doesn't make each instant a walk over the fleet."""
    rule = registry()[kind](name="wide", **fields)  # type: ignore[arg-type]
    large = crowd(1_000, 10_000)
    assert cpu_s(large.changed(rules=(rule,)), journey(1_000, 10_000, 2_000, 50)) < LIMIT_CPU_S
