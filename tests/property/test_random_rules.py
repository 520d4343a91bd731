# SPDX-License-Identifier: Apache-2.0
"""The generators reach what they are meant to reach, and fail loudly where they can't."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, fields
from typing import ClassVar

import pytest

from moorage.model.fleet import Fleet
from moorage.model.hosts import HostState
from moorage.model.plan import ActionKind
from moorage.model.rule import Rule, Strength, When
from moorage.rules.registry import registry
from tests.oracle.choices import Seeded
from tests.oracle.random_fleets import random_case, some_fleet
from tests.oracle.random_plans import random_plan_case
from tests.oracle.random_rules import COMMON, drawn, some_rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer(Rule):
    """A rule that nobody has written yet, with fields of usual names."""

    kind: ClassVar[str] = "newcomer"

    guests: tuple[str, ...]
    hosts: tuple[str, ...]
    domain: str = "host"
    at_most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger(Rule):
    """A rule with a field that nobody has heard of."""

    kind: ClassVar[str] = "stranger"

    moods: tuple[float, ...]


def choices(seed: object) -> Seeded:
    return Seeded(random.Random(str(seed)))


def fleets(count: int) -> list[Fleet]:
    return [random_case(random.Random(seed))[0] for seed in range(count)]


def test_a_new_kind_of_rule_is_drawn_from_its_fields() -> None:
    """A rule of usual fields needs no line in the generator."""
    fleet = some_fleet(choices(1))
    made = [drawn(choices(seed), fleet, Newcomer, "new") for seed in range(50)]
    rules = [rule for rule in made if isinstance(rule, Newcomer)]
    assert len(rules) == 50
    assert all(set(rule.guests) <= set(fleet.guests) for rule in rules)
    assert {rule.domain for rule in rules} == {"host", "rack", "zone"}
    assert {rule.at_most for rule in rules} > {None, 1}


def test_an_unknown_field_is_said_aloud() -> None:
    """A field that can't be guessed stops the generator, with its name."""
    with pytest.raises(LookupError, match=r"how to draw stranger\.moods: tuple\[float, \.\.\.\]"):
        drawn(choices(1), some_fleet(choices(1)), Stranger, "odd")


@pytest.mark.parametrize("kind", registry())
def test_every_field_of_a_rule_is_drawn(kind: str) -> None:
    """Each field of each rule is now and then something else than its default."""
    fleet = some_fleet(choices(2), rules=False)
    rules = [some_rule(choices(seed), fleet, kind, "rule") for seed in range(200)]
    for field in fields(registry()[kind]):
        values = {getattr(rule, field.name) for rule in rules}
        assert len(values) > 1 or field.name in {"name", "weight"}, field.name
    assert {rule.strength for rule in rules} == set(Strength)
    assert {rule.when for rule in rules} == {None, *When}
    assert {"name", "weight", "strength", "when", "origin"} == COMMON


def test_fleets_have_everything_now_and_then() -> None:
    """Of 300 random fleets each thing that a fleet may have occurs, and is absent, often."""
    made = fleets(300)
    hosts = [h for f in made for h in f.hosts.values()]
    guests = [g for f in made for g in f.guests.values()]
    resources = [r for f in made for r in f.resources.values()]
    occurs = {
        "overhead": [bool(f.overhead) for f in made],
        "volumes": [bool(f.volumes) for f in made],
        "rules": [bool(f.rules) for f in made],
        "states": [h.state is not HostState.ACTIVE for h in hosts],
        "verdicts": [h.verdict is not None for h in hosts],
        "heartbeats": [h.heartbeat_age_s is not None for h in hosts],
        "racks": ["rack" in h.labels for h in hosts],
        "zones": ["zone" in h.labels for h in hosts],
        "reserve": [any(h.reserve.values()) for h in hosts],
        "overcommit": [bool(h.overcommit_permille) for h in hosts],
        "cores": [h.cores is not None for h in hosts],
        "devices": [any(g.devices.values()) for g in guests],
        "features": [bool(g.cpu_features) for g in guests],
        "locks": [g.lock is not None for g in guests],
        "stopped": [g.stopped for g in guests],
        "projects": [g.project is not None for g in guests],
        "homeless": [g.host is None for g in guests],
        "orphans": [g.host == "gone" for g in guests],
        "shared": [r.shared_total is not None for r in resources],
        "soft": [not r.hard for r in resources],
        "held until the end": [r.held_until_end for r in resources],
    }
    for what, flags in occurs.items():
        assert 8 < sum(flags) < len(flags) - 8, what
    assert {h.state for h in hosts} == set(HostState)
    assert Counter(len(f.hosts) for f in made).keys() == {2, 3, 4, 5}
    assert Counter(len(f.guests) for f in made).keys() == set(range(1, 8))


def test_plans_have_everything_now_and_then() -> None:
    """Of 200 random plans some park, return, overlap, wait for others and move in company."""
    plans = [random_plan_case(random.Random(seed))[1] for seed in range(200)]
    kinds = Counter(a.kind for p in plans for s in p.steps for a in s.actions)
    assert min(kinds[k] for k in (ActionKind.MIGRATE, ActionKind.PLACE, ActionKind.CO_MOVE)) > 20
    hops = [Counter(a.guest for s in p.steps for a in s.actions) for p in plans]
    assert sum(max(count.values(), default=0) > 1 for count in hops) > 50
    assert sum(any(s.depends_on for s in p.steps) for p in plans) > 50
    overlaps = [
        any(a.start_s < b.start_s < a.end_s for a in p.steps for b in p.steps) for p in plans
    ]
    assert 20 < sum(overlaps) < 200
