# SPDX-License-Identifier: Apache-2.0
"""What holds of every verification, whatever the fleet, the rules and the plan."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.natural import natural_key
from moorage.model.plan import Plan, Step, Violation
from moorage.model.reasons import sentence
from moorage.model.rule import When
from moorage.model.view import View
from moorage.rules.registry import rules_of
from moorage.verifying import broken_now, collisions_of, verify
from tests.oracle.instants import Instant, end_of
from tests.oracle.replay import instants
from tests.strategies import Placement, fleets, placed_fleets, planned_fleets


def shuffled(fleet: Fleet, seed: int) -> Fleet:
    """The same fleet, whose maps were filled in another order."""
    rng = random.Random(seed)
    return fleet.changed(
        **{
            name: FrozenMap(rng.sample([*getattr(fleet, name).items()], len(getattr(fleet, name))))
            for name in ("hosts", "guests", "resources", "volumes", "overhead")
        }
    )


@given(fleets())
def test_staying_put_is_never_refused(fleet: Fleet) -> None:
    """A target, a plan and a document that change nothing find old trouble alone."""
    for document in ({}, Plan(), {"placements": {}, "plan": Plan().to_dict()}):
        found = verify(fleet, document)
        assert all(v.pre_existing for v in found)
        assert found == broken_now(fleet)


@given(planned_fleets(), st.integers(0, 99))
def test_the_order_in_which_a_fleet_was_written_does_not_matter(
    case: tuple[Fleet, Plan], seed: int
) -> None:
    """A fleet with the same content has the same version and the same violations, in order."""
    fleet, plan = case
    other = shuffled(fleet, seed)
    assert other.version == fleet.version
    assert verify(other, plan) == verify(fleet, plan)
    assert verify(other, {}) == verify(fleet, {})


@given(planned_fleets(), st.integers(0, 99))
def test_the_order_in_which_steps_were_written_does_not_matter(
    case: tuple[Fleet, Plan], seed: int
) -> None:
    """A plan is its steps and their times, not the order of the list."""
    fleet, plan = case
    steps = random.Random(seed).sample(plan.steps, len(plan.steps))
    assert verify(fleet, replace(plan, steps=tuple(steps))) == verify(fleet, plan)


@given(planned_fleets(), st.integers(1, 1000))
def test_waiting_before_a_plan_changes_only_its_times(
    case: tuple[Fleet, Plan], wait_s: int
) -> None:
    """The same plan, begun later, is wrong in the same things, that much later."""
    fleet, plan = case

    def later(step: Step) -> Step:
        return replace(step, start_s=step.start_s + wait_s, end_s=step.end_s + wait_s)

    def later_too(violation: Violation) -> Violation:
        at_s = violation.at_s
        return replace(violation, at_s=None if at_s is None else at_s + wait_s)

    delayed = replace(plan, steps=tuple(later(step) for step in plan.steps))
    assert verify(fleet, delayed) == [later_too(v) for v in verify(fleet, plan)]


@settings(max_examples=300)
@given(planned_fleets())
def test_a_plan_of_single_hops_ends_like_its_target(case: tuple[Fleet, Plan]) -> None:
    """Where nobody is moved twice, the final state is judged like the target alone."""
    fleet, plan = case
    known: set[str] = set()
    once: list[Step] = []
    for step in plan.steps:
        movers = {action.guest for action in step.actions}
        if known.isdisjoint(movers):
            once.append(replace(step, depends_on=()))
        known |= movers
    target = {a.guest: a.target for step in once for a in step.actions}
    final = [v for v in verify(fleet, Plan(tuple(once))) if v.at_s is None]
    assert final == verify(fleet, target)


@given(placed_fleets())
def test_breaches_are_well_formed(case: tuple[Fleet, Placement]) -> None:
    """Each breach names its rule, guests in order, a known code, a figure, and a remedy."""
    fleet, placement = case
    rules = {rule.label: rule for rule in rules_of(fleet)}
    breaches = [v.breach for v in verify(fleet, placement)]
    for breach in (*breaches, *(b for _, b in collisions_of(fleet, placement))):
        assert breach.guests
        assert set(breach.guests) <= set(fleet.guests)
        assert list(breach.guests) == sorted(set(breach.guests), key=natural_key)
        assert breach.host is None or breach.host in fleet.hosts
        assert breach.amount > 0
        assert sentence(breach.code)
        assert breach.text
        assert not breach.text.endswith(".")
        remedy = rules[breach.rule].remedy_for(breach)
        assert remedy
        assert "{" not in remedy + breach.text


@settings(max_examples=300)
@given(planned_fleets())
def test_keys_tell_breaches_apart(case: tuple[Fleet, Plan]) -> None:
    """No two breaches of one state have the same key, so that old and new are never mixed up."""
    fleet, plan = case
    final = [v.breach.key for v in verify(fleet, plan) if v.at_s is None]
    assert len(final) == len(set(final))


@given(planned_fleets())
def test_a_rule_for_the_end_is_silent_on_the_way(case: tuple[Fleet, Plan]) -> None:
    """With when at_end a written rule is reported in the final state alone."""
    fleet, plan = case
    patient = tuple(replace(rule, when=When.AT_END) for rule in fleet.rules)
    written = {rule.label for rule in patient}
    found = verify(fleet.changed(rules=patient), plan)
    assert not [v for v in found if v.breach.rule in written and v.at_s is not None]


# --- the view that rules look at ---------------------------------------------------------------


def assert_same(view: View, now: Instant) -> None:
    fleet = now.fleet
    for guest in fleet.guests:
        assert view.hosts_of(guest) == now.hosts(guest)
        assert set(view.entered(guest)) == set(now.moved_onto.get(guest, ()))
    for host in fleet.hosts:
        assert set(view.guests_on(host)) == now.holders(host)
        for resource in fleet.resources:
            shares = {g: amount for g, amount in now.shares(host, resource) if amount}
            assert view.load(host, resource) == sum(shares.values())
            assert set(view.sharers(host, resource)) == set(shares)
            for guest in fleet.guests:
                assert view.share(guest, host).get(resource, 0) == shares.get(guest, 0)


@settings(max_examples=300)
@given(planned_fleets())
def test_sums_follow_each_move(case: tuple[Fleet, Plan]) -> None:
    """At each instant of a plan the running sums are those that are made anew from the guests."""
    fleet, plan = case
    view = View(fleet, fleet.placement, at_end=False)
    for at_s, now in instants(fleet, plan):
        for step in plan.steps:
            if step.end_s == at_s:
                for action in step.actions:
                    source = action.source or view.runs_on(action.guest)
                    view.end_move(action.guest, source, action.target)
        for step in plan.steps:
            if step.start_s == at_s:
                for action in step.actions:
                    view.begin_move(action.guest, action.target)
        assert_same(view, now)


@given(placed_fleets())
def test_a_placement_adds_up(case: tuple[Fleet, Placement]) -> None:
    """The sums of a placement are those that are made anew from the guests."""
    fleet, placement = case
    assert_same(View(fleet, placement, at_end=True), end_of(fleet, placement))
