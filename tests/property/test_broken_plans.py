# SPDX-License-Identifier: Apache-2.0
"""A valid plan in which one limit is broken is refused for that limit and for nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from moorage.model.plan import Action, Plan, Violation
from moorage.model.reasons import Reason
from moorage.model.topology import Link, MoveLimits
from moorage.rules.registry import registry
from moorage.verifying import verify
from tests.property.broken_plans import BREAKINGS, RESOURCES, Expected, Scene, over_capacity

SEEDS = range(40)
# A guest without a host is old trouble as long as it has none.
STOOD_BEFORE = {"placed"}


def first_of(scene: Scene, expected: Expected) -> Violation:
    """The first violation, which has to be of the rule that was broken, as all others are."""
    found = verify(scene.fleet, expected.plan)
    assert {v.breach.rule for v in found} == {expected.rule}, [v.breach.text for v in found]
    return found[0]


def assert_named(found: Violation, expected: Expected, kind: str) -> None:
    breach = found.breach
    assert (found.at_s, breach.host) == (expected.at_s, expected.host)
    assert breach.amount == expected.amount
    assert expected.figure in breach.text
    assert found.pre_existing == (kind in STOOD_BEFORE)


def test_every_rule_has_its_broken_plan() -> None:
    """Each kind of rule that there is has a plan that breaks it, and no other."""
    assert set(BREAKINGS) == set(registry())


@pytest.mark.parametrize("kind", registry())
def test_the_broken_rule_is_named(kind: str) -> None:
    """Rule, host, instant and figure are those of the one limit that was broken."""
    for seed in SEEDS:
        scene = Scene(random.Random(f"{kind} {seed}"))
        for plan in (scene.there, scene.there_and_on, scene.there_and_back):
            assert verify(scene.fleet, plan) == [], "valid before it is broken"
        expected = BREAKINGS[kind](scene)
        assert_named(first_of(scene, expected), expected, kind)


@pytest.mark.parametrize("resource", [r.id for r in RESOURCES])
def test_the_overfull_resource_is_named(resource: str) -> None:
    """Each resource may be too full in transit alone, to the unit, and is named with its host."""
    for seed in SEEDS:
        scene = Scene(random.Random(f"{resource} {seed}"))
        expected = over_capacity(scene, resource)
        found = first_of(scene, expected)
        assert_named(found, expected, "capacity")
        assert found.breach.resource == resource
        assert set(found.breach.guests) == {scene.mover, scene.mate}


@pytest.mark.parametrize("shared", [False, True])
def test_a_shared_pool_that_overflows_is_named(shared: bool) -> None:
    """A guest that is placed into a full shared pool is refused; one that moves there isn't."""
    for seed in SEEDS:
        scene = Scene(random.Random(f"pool {seed}"))
        if shared:
            scene.change_guest(scene.mover, host=None)
            plan = Plan((scene.step(0, scene.start_s, scene.end_s, None, scene.home),))
        else:
            plan = scene.there_and_back
        pool = replace(scene.fleet.resources["disk:ceph"], shared_total=3 * scene.size["disk:ceph"])
        total = (pool.shared_total or 0) - shared
        pool = replace(pool, shared_total=total)
        fleet = scene.fleet.changed(resources=scene.fleet.resources.with_items({pool.id: pool}))
        found = [(v.at_s, v.breach.rule, v.breach.amount) for v in verify(fleet, plan)]
        when = (scene.start_s, None) if shared else ()
        assert found == [(at_s, "capacity", 1) for at_s in when]


LIMITS = {
    "at_once": ("at once", None),
    "into_host": ("into {away}", "away"),
    "out_of_host": ("out of {home}", "home"),
    "over_link": ("over link cable", None),
    "per_pool": ("on storage local of {away}", "away"),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_the_exceeded_limit_is_named(limit: str) -> None:
    """A second move at the same time exceeds one limit: it is named, from its start."""
    where, host = LIMITS[limit]
    for seed in SEEDS:
        scene = Scene(random.Random(f"{limit} {seed}"))
        scene.change_guest(scene.other, host=scene.home)
        link = Link("cable", 1000, ((scene.home,), (scene.away, scene.third, scene.spare)))
        limits = MoveLimits(**{limit: 1})
        fleet = scene.fleet.changed(limits=limits, links=(link,))
        first = scene.there.steps[0]
        second_s = scene.rng.randrange(first.start_s, first.end_s)
        second = Action(scene.other, scene.home, scene.away)
        together = replace(first, index=1, start_s=second_s, end_s=first.end_s + 1)
        at_once = Plan((first, replace(together, actions=(second,))))
        in_turn = replace(together, start_s=first.end_s, actions=(second,))
        assert verify(fleet, Plan((first, in_turn))) == []
        names = {"home": scene.home, "away": scene.away}
        text = f"2 moves {where.format(**names)}; at most 1 may run"
        found = [v for v in verify(fleet, at_once) if limit != "per_pool" or v.breach.text == text]
        assert [(v.at_s, v.breach.rule, v.breach.text) for v in found] == [
            (second_s, "limits", text)
        ]
        assert found[0].breach.host == (names[host] if host else None)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_source_is_named(seed: int) -> None:
    """A step whose source is another host is named at its own instant, with its guest."""
    scene = Scene(random.Random(seed))
    first, second = scene.there_and_on.steps
    wrong = replace(second, actions=(Action(scene.mover, scene.third, scene.spare),))
    found = verify(scene.fleet, Plan((first, wrong)))[0]
    assert (found.at_s, found.breach.code) == (second.start_s, Reason.PLAN_SOURCE)
    assert found.breach.text == f"{scene.mover} is moved from {scene.third} but is on {scene.away}"


@pytest.mark.parametrize("seed", SEEDS)
def test_overlapping_moves_are_named(seed: int) -> None:
    """A hop that starts before the one before it has ended is named at its start."""
    scene = Scene(random.Random(seed))
    first, second = scene.there_and_on.steps
    early = replace(second, start_s=scene.rng.randrange(first.start_s, first.end_s))
    found = verify(scene.fleet, Plan((first, early)))[0]
    assert (found.at_s, found.breach.code) == (early.start_s, Reason.PLAN_OVERLAP)
    assert found.breach.guests == (scene.mover,)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_broken_order_is_named(seed: int) -> None:
    """A step that starts before one that it depends on has ended is named, with both."""
    scene = Scene(random.Random(seed))
    first = scene.there.steps[0]
    other = Action(scene.other, scene.third, scene.spare)
    start_s = scene.rng.randrange(0, first.end_s)
    early = replace(first, index=1, start_s=start_s, end_s=start_s + 1, actions=(other,))
    (found,) = verify(scene.fleet, Plan((first, replace(early, depends_on=(0,)))))
    assert (found.at_s, found.breach.code) == (start_s, Reason.PLAN_ORDER)
    assert "step 1 starts before step 0" in found.breach.text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_that_ends_elsewhere_is_named(seed: int) -> None:
    """A plan that stops short of its placements is named, with where it ends."""
    scene = Scene(random.Random(seed))
    document = {"placements": {scene.mover: scene.spare}, "plan": scene.there_and_on.to_dict()}
    assert verify(scene.fleet, document) == []
    document["plan"] = scene.there.to_dict()
    (found,) = verify(scene.fleet, document)
    assert (found.at_s, found.breach.code) == (None, Reason.PLAN_INCOMPLETE)
    assert found.breach.text == f"it ends with {scene.mover} on {scene.away}, not on {scene.spare}"
