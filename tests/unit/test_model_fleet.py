# SPDX-License-Identifier: Apache-2.0
"""Fleets: their version, and what is derived from hosts and guests."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from hypothesis import given

from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import GuestKind, Volume
from moorage.model.hosts import Health, HostState, Verdict
from moorage.model.prices import BalancePrice, Prices
from moorage.model.resources import Resource
from moorage.model.rule import PLATFORMS, Rule, Strength, When
from moorage.model.topology import Link, MoveLimits
from moorage.model.view import View
from moorage.rules.apart import Apart
from moorage.rules.drain import Drain
from moorage.rules.health import HealthGate
from moorage.rules.pin import Pin
from moorage.rules.registry import ambient_rules, registry, rules_of
from moorage.rules.together import Together
from tests.strategies import fleets
from tests.tiny import fleet, guest, host

SMALL = fleet(
    [host("a", rack="r1"), host("b")],
    [guest("g", "a"), guest("h", "gone"), guest("i"), guest("j", "a", stopped=True)],
)


# --- version -----------------------------------------------------------------------------------


def test_the_version_is_the_content() -> None:
    """Equal content has an equal version, whoever made it; the source is no part of it."""
    again = Fleet(hosts=SMALL.hosts, guests=SMALL.guests, source="elsewhere", warnings=("odd",))
    assert again.version == SMALL.version
    assert again == SMALL
    assert len(SMALL.version) == 16


@pytest.mark.parametrize(
    "change",
    [
        {"hosts": SMALL.hosts.with_items({"c": host("c")})},
        {"hosts": SMALL.hosts.with_items({"a": host("a", rack="r2")})},
        {"hosts": SMALL.hosts.with_items({"a": host("a", rack="r1", state=HostState.DRAINING)})},
        {"hosts": SMALL.hosts.with_items({"b": host("b", verdict=Verdict(Health.NOMINAL))})},
        {"guests": SMALL.guests.with_items({"g": guest("g", "b")})},
        {"guests": SMALL.guests.with_items({"g": guest("g", "a", lock="backup")})},
        {"rules": (Apart(guests=("g", "h")),)},
        {"rules": (Drain(hosts=("a",)),)},
        {"resources": SMALL.resources.with_items({"gpu": Resource("gpu")})},
        {"volumes": FrozenMap(v=Volume("v"))},
        {"links": (Link("l", 1, (("a",), ("b",))),)},
        {"limits": MoveLimits(at_once=1)},
        {"overhead": FrozenMap({GuestKind.VM: FrozenMap(memory=1)})},
        {"prices": Prices(balance=(BalancePrice("cpu", "memory", 1, 1),))},
        {"goal": GoalChoice("pack")},
        {"name": "other"},
        {"notes": FrozenMap(note="kept")},
    ],
)
def test_every_part_of_a_fleet_is_in_its_version(change: dict[str, Any]) -> None:
    """A fleet that differs in anything that was seen has another version."""
    assert SMALL.changed(**change).version != SMALL.version


def test_rules_of_different_kinds_have_different_versions() -> None:
    """Two rules whose fields read alike are told apart by their kind."""
    pinned, drained = (
        SMALL.changed(rules=(rule,)) for rule in (Pin(guests=("g",), hosts=("a",)), Drain())
    )
    assert pinned.version != drained.version


def test_every_field_of_a_fleet_is_in_its_version_or_no_content() -> None:
    """A field that is added to fleets enters the version, unless it is left out of comparison."""
    hashed = {f.name for f in fields(Fleet) if f.compare}
    assert {f.name for f in fields(Fleet)} - hashed == {"source", "warnings"}
    text = "\n".join(SMALL.changed(name="seen", notes=FrozenMap(note="seen too"))._canonical())
    assert "seen" in text
    assert "seen too" in text


@given(fleets())
def test_a_pickled_fleet_is_the_same_fleet(made: Fleet) -> None:
    """A fleet that was sent to another process is equal and has the same version."""
    assert made.version
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.version == made.version
    assert again.demand_of(next(iter(made.guests))) == made.demand_of(next(iter(made.guests)))


def test_a_fleet_does_not_change() -> None:
    """A new value is made where something changes; the old one is what it was."""
    with pytest.raises(FrozenInstanceError):
        SMALL.name = "other"  # type: ignore[misc]
    assert SMALL.changed(name="other").name == "other"
    assert SMALL.name == ""


def test_a_changed_fleet_derives_anew() -> None:
    """What was looked up in the old fleet is no part of the new one."""
    assert SMALL.domain_of("rack") == {"a": "r1"}
    assert SMALL.residents["a"] == ("g",)
    moved = SMALL.changed(
        hosts=SMALL.hosts.with_items({"b": host("b", rack="r2")}),
        guests=SMALL.guests.with_items({"g": guest("g", "b", 5)}),
    )
    assert moved.domain_of("rack") == {"a": "r1", "b": "r2"}
    assert moved.hosts_in("rack") == {"r1": ("a",), "r2": ("b",)}
    assert moved.residents == {"a": (), "b": ("g",)}
    assert moved.demand_of("g") == {"memory": 5}


# --- what is derived ---------------------------------------------------------------------------


def test_a_guest_of_an_unknown_host_is_nowhere() -> None:
    """It is an orphan, it is placed nowhere, and it resides on no host."""
    assert SMALL.placement == {"g": "a", "h": None, "i": None, "j": "a"}
    assert SMALL.orphans == ("h",)
    assert SMALL.residents == {"a": ("g",), "b": ()}


def test_every_host_is_its_own_domain() -> None:
    """The domain host has a value for each host; a label only for those that carry it."""
    assert SMALL.domain_of("host") == {"a": "a", "b": "b"}
    assert SMALL.domain_of("rack") == {"a": "r1"}
    assert SMALL.domain_of("never heard of") == {}


def test_demand_is_own_demand_and_overhead() -> None:
    """A kind's overhead comes on top, for resources that the guest doesn't name too."""
    overhead = FrozenMap({GuestKind.MICROVM: FrozenMap(memory=2, cpu=1)})
    kinds = fleet([host("a")], [guest("m", kind=GuestKind.MICROVM), guest("v")], overhead=overhead)
    assert kinds.demand_of("m") == {"memory": 3, "cpu": 1}
    assert kinds.demand_of("v") == {"memory": 1}


def test_a_stopped_guest_takes_only_its_disks() -> None:
    """Off, a guest keeps what lies in pools and gives back everything else."""
    off = guest("g", "a", 9, more={"disk:local": 4, "cpu": 3}, stopped=True)
    assert fleet([host("a")], [off]).demand_of("g") == {"disk:local": 4}


def test_users_of_volumes_and_members_of_projects() -> None:
    """Who attaches a volume and who belongs to a project is known by name."""
    guests = [
        guest("g", volumes=("v", "w"), project="blue"),
        guest("h", volumes=("v",)),
        guest("i", project="blue"),
    ]
    known = fleet([host("a")], guests)
    assert known.users_of_volume == {"v": ("g", "h"), "w": ("g",)}
    assert known.guests_of_project == {"blue": ("g", "i")}


def test_an_unknown_resource_has_units() -> None:
    """A resource that nobody described is counted in units."""
    assert SMALL.unit_of("memory") == "MiB"
    assert SMALL.unit_of("cpu") == "millicores"
    assert SMALL.unit_of("bananas") == "units"


# --- rules -------------------------------------------------------------------------------------


def test_every_rule_says_what_it_means() -> None:
    """Each kind has one sentence of invariant and a remedy, and is registered under its kind."""
    for kind, cls in registry().items():
        assert cls.kind == kind
        assert cls.invariant.endswith(".")
        assert cls.invariant[0].isupper()
        assert cls.remedy
        assert issubclass(cls, Rule)


def test_a_fleet_has_rules_that_nobody_wrote() -> None:
    """The rules of every fleet stand behind those that were written."""
    assert {rule.kind for rule in rules_of(SMALL)} == {r.kind for r in ambient_rules()}
    written = Apart(name="ha", guests=("g", "h"))
    assert rules_of(SMALL.changed(rules=(written,)))[0] is written


def test_a_written_rule_stands_instead_of_the_one_of_every_fleet() -> None:
    """Except for those that name hosts of their own, which stand beside it."""
    gate, drain = HealthGate(name="gate", admit=()), Drain(name="empty", hosts=("a",))
    bound = rules_of(SMALL.changed(rules=(gate, drain)))
    assert [r.name for r in bound if r.kind == "health"] == ["gate"]
    assert [r.name for r in bound if r.kind == "drain"] == ["empty", "drain"]


@pytest.mark.parametrize(
    ("rule", "always"),
    [
        (Apart(guests=("g",)), True),
        (Apart(guests=("g",), when=When.AT_END), False),
        (Apart(guests=("g",), strength=Strength.SHOULD), False),
        (Apart(guests=("g",), strength=Strength.SHOULD, when=When.ALWAYS), False),
        (Together(guests=("g",)), False),
        (Together(guests=("g",), when=When.ALWAYS), True),
        (Together(guests=("g",), origin="pve"), True),
        (Together(guests=("g",), origin="nova"), True),
        (Together(guests=("g",), origin="somebody"), False),
        (Together(guests=("g",), origin="pve", when=When.AT_END), False),
        (Together(guests=("g",), origin="pve", strength=Strength.SHOULD), False),
    ],
)
def test_when_a_rule_has_to_hold(rule: Rule, always: bool) -> None:
    """A must holds always unless its kind or its author says at_end; a should never must."""
    assert rule.holds_always is always
    assert {"pve", "nova"} == PLATFORMS


def test_a_rule_without_a_name_is_called_by_its_kind() -> None:
    """Messages call a rule by its name, or by what it is."""
    assert Drain().label == "drain"
    assert replace(Drain(), name="night shift").label == "night shift"


def test_a_rule_must_be_checked() -> None:
    """A kind that forgets its check is noticed when it is asked, and passes nothing silently."""
    with pytest.raises(NotImplementedError):
        Rule().check(View(SMALL, {}, at_end=True))
