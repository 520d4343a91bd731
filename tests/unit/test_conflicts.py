# SPDX-License-Identifier: Apache-2.0
"""Contradictions between rules that are found on load, with the rules' names."""

from __future__ import annotations

from dataclasses import replace

from moorage.model import Fleet, FrozenMap, Guest, Host, HostState, Volume
from moorage.model.rule import Rule, Strength
from moorage.rules.apart import Apart
from moorage.rules.ban import Ban
from moorage.rules.conflicts import Conflict, find_conflicts
from moorage.rules.drain import Drain
from moorage.rules.exclusive_volume import ExclusiveVolume
from moorage.rules.headroom import Headroom
from moorage.rules.matching import find_too_many
from moorage.rules.near import Near
from moorage.rules.pin import Pin
from moorage.rules.quota import Quota
from moorage.rules.split import Split
from moorage.rules.stay import Stay
from moorage.rules.together import Together


def fleet(
    *rules: Rule,
    hosts: str = "abc",
    guests: str = "uvwxyz",
    racks: dict[str, str] | None = None,
    states: dict[str, HostState] | None = None,
) -> Fleet:
    """Hosts and guests called by single letters; every guest starts on the first host."""
    labels = {h: FrozenMap({"rack": r}) for h, r in (racks or {}).items()}
    states = states or {}
    return Fleet(
        hosts=FrozenMap(
            {
                h: Host(
                    h,
                    FrozenMap(memory=100),
                    labels=labels.get(h, FrozenMap()),
                    state=states.get(h, HostState.ACTIVE),
                )
                for h in hosts
            }
        ),
        guests=FrozenMap({g: Guest(g, host=hosts[0], demand=FrozenMap(memory=1)) for g in guests}),
        rules=rules,
    )


def only(fleet: Fleet) -> Conflict:
    (conflict,) = find_conflicts(fleet)
    return conflict


def test_rules_that_agree_have_no_conflict() -> None:
    """A fleet whose rules can all hold reports nothing."""
    rules = (
        Apart(name="A", guests=("u", "v", "w")),
        Together(name="T", guests=("u", "x")),
        Pin(name="P", guests=("u",), hosts=("b", "c")),
    )
    assert find_conflicts(fleet(*rules)) == []


def test_a_pinned_pair_that_must_be_apart() -> None:
    """Two guests pinned to one host and kept apart name the rule and both pins."""
    conflict = only(
        fleet(
            Apart(name="A", guests=("u", "v")),
            Pin(name="P1", guests=("u",), hosts=("b",)),
            Pin(name="P2", guests=("v",), hosts=("b",)),
        )
    )
    assert conflict.rules == ("A", "P1", "P2")
    assert conflict.text == "A keeps u, v apart, but they may only be in 1 host (b)"


def test_affinity_merged_through_a_chain_that_holds_an_apart_pair() -> None:
    """The chain of together-rules between two apart guests is named, and no other rule."""
    conflict = only(
        fleet(
            Together(name="T1", guests=("u", "v")),
            Together(name="T2", guests=("v", "w")),
            Together(name="T3", guests=("u", "x")),
            Apart(name="A", guests=("u", "w")),
        )
    )
    assert conflict.rules == ("T1", "T2", "A")
    assert conflict.guests == ("u", "w")


def test_together_on_a_host_contradicts_apart_in_racks() -> None:
    """One host is one rack: guests together on a host can't be in different racks."""
    racks = {"a": "r1", "b": "r2", "c": "r3"}
    rules = (
        Together(name="T", guests=("u", "v")),
        Apart(name="A", guests=("u", "v"), domain="rack"),
    )
    assert only(fleet(*rules, racks=racks)).rules == ("T", "A")


def test_together_in_a_rack_agrees_with_apart_on_hosts() -> None:
    """Different hosts of one rack satisfy both rules."""
    racks = {"a": "r1", "b": "r1", "c": "r2"}
    rules = (
        Together(name="T", guests=("u", "v"), domain="rack"),
        Apart(name="A", guests=("u", "v")),
    )
    assert find_conflicts(fleet(*rules, racks=racks)) == []


def test_a_should_rule_is_never_part_of_a_conflict() -> None:
    """What only costs can't contradict."""
    soft = Apart(name="A", guests=("u", "v"), strength=Strength.SHOULD)
    assert find_conflicts(fleet(Together(name="T", guests=("u", "v")), soft)) == []


def test_more_replicas_than_hosts() -> None:
    """Four guests apart on three hosts are named as too many."""
    conflict = only(fleet(Apart(name="A", guests=("u", "v", "w", "x"))))
    assert conflict.text == "A keeps 4 guests apart (u, v, w, x) but there are only 3 hosts"


def test_at_most_two_of_them_leave_room_for_six() -> None:
    """The limit for one host counts: six guests fit on three hosts, two on each."""
    six = ("u", "v", "w", "x", "y", "z")
    assert find_conflicts(fleet(Apart(name="A", guests=six, at_most=2))) == []


def test_a_pin_to_nothing() -> None:
    """A pin without hosts is named, whatever else the fleet says."""
    conflict = only(fleet(Pin(name="P", guests=("u",), hosts=())))
    assert (conflict.rules, conflict.code) == (("P",), "pinned_elsewhere")
    assert conflict.text == "u can be nowhere: P leaves no host"


def test_pins_without_a_common_host() -> None:
    """Two pins that share no host are both named with what they leave."""
    rules = (
        Pin(name="P1", guests=("u",), hosts=("a",)),
        Pin(name="P2", guests=("u",), hosts=("b",)),
    )
    conflict = only(fleet(*rules))
    assert conflict.rules == ("P1", "P2")
    assert conflict.text == "u can be nowhere: P1 leaves a; P2 leaves b"


def test_a_ban_from_every_pinned_host() -> None:
    """A pin and a ban that leave nothing are named together."""
    rules = (
        Pin(name="P", guests=("u",), hosts=("a", "b")),
        Ban(name="B", guests=("u",), hosts=("b", "a")),
    )
    assert only(fleet(*rules)).rules == ("P", "B")


def test_a_pin_to_a_host_in_maintenance() -> None:
    """A guest that may only be on a closed host is named with the pin and the maintenance."""
    pinned = fleet(Pin(name="P", guests=("u",), hosts=("b",)), states={"b": HostState.MAINTENANCE})
    conflict = only(pinned)
    assert (conflict.rules, conflict.code) == (("P", "maintenance"), "maintenance")
    assert conflict.text == "u may only be on b, which is in maintenance"


def test_a_guest_that_must_stay_on_a_drained_host() -> None:
    """A guest that may not move from a host that is emptied is named with both rules."""
    conflict = only(fleet(Stay(name="S", guests=("u",)), Drain(name="D", hosts=("a",))))
    assert conflict.rules == ("S", "D")


def test_a_group_whose_pins_share_no_host() -> None:
    """Guests that belong on one host but are pinned to different ones name all three rules."""
    conflict = only(
        fleet(
            Together(name="T", guests=("u", "v")),
            Pin(name="P1", guests=("u",), hosts=("a",)),
            Pin(name="P2", guests=("v",), hosts=("b",)),
        )
    )
    assert conflict.rules == ("T", "P1", "P2")


def test_a_group_that_no_part_can_hold() -> None:
    """A pin outside every part of a group's rule is named with it."""
    parts = (("a",), ("b",))
    conflict = only(
        fleet(
            Together(name="T", guests=("u", "v"), parts=parts),
            Pin(name="P", guests=("u",), hosts=("c",)),
        )
    )
    assert conflict.rules == ("T", "P")


def test_guests_of_one_rack_pinned_to_two() -> None:
    """A group that belongs in one rack and is pinned into two is named with rule and pins."""
    racks = {"a": "r1", "b": "r1", "c": "r2"}
    together = Together(name="T", guests=("u", "v"), domain="rack")
    first, second = (Pin(name=h, guests=(g,), hosts=(h,)) for g, h in ("ua", "vc"))
    conflict = only(fleet(together, first, second, racks=racks))
    assert (conflict.code, conflict.rules) == ("together_rack", ("T", "a", "c"))
    assert conflict.text == "u, v must be on one rack, but no rack is open to all of them"
    near = Pin(name="b", guests=("v",), hosts=("b",))
    assert find_conflicts(fleet(together, first, near, racks=racks)) == []


def test_a_stopped_guest_binds_nobody() -> None:
    """Guests bound only through one that is stopped, or to it, can be apart: it takes no part."""
    chain = (Together(name="T", guests=("u", "v")), Together(name="S", guests=("v", "w")))
    apart = (Apart(name="A", guests=("u", "w")), Apart(name="B", guests=("u", "v")))
    split = Split(name="D", groups=(("u",), ("v",)))
    running = fleet(*chain, *apart, split)
    assert {c.rules[-1] for c in find_conflicts(running)} == {"A", "B", "D"}
    stopped = running.guests.with_items({"v": Guest("v", host="a", stopped=True)})
    assert find_conflicts(running.changed(guests=stopped)) == []


def test_split_groups_that_are_bound_together() -> None:
    """A together-rule across two groups that never meet is named with the split."""
    rules = (Split(name="S", groups=(("u",), ("v",))), Together(name="T", guests=("u", "v")))
    assert only(fleet(*rules)).rules == ("T", "S")


def test_a_host_in_no_rack_under_a_rack_rule_is_a_warning() -> None:
    """The rule still holds somewhere, so the host without a rack is odd but not fatal."""
    racks = {"a": "r1", "b": "r2"}
    conflict = only(fleet(Near(name="N", guests=("u",), to=("v",), domain="rack"), racks=racks))
    assert (conflict.fatal, conflict.hosts) == (False, ("c",))
    assert conflict.text == "c has no rack: guests of N can't be there"


def test_a_warning_says_what_headroom_makes_of_a_host_in_no_rack() -> None:
    """Headroom keeps nobody off such a host: it only can't say what goes down with it."""
    racks = {"a": "r1", "b": "r2"}
    near = Near(name="N", guests=("u",), to=("v",), domain="rack")
    conflict = only(fleet(Headroom(name="H", domain="rack"), near, racks=racks))
    assert conflict.rules == ("H", "N")
    assert conflict.text == "c has no rack: guests of N can't be there; H never counts on its loss"


def test_two_guests_with_one_exclusive_volume() -> None:
    """Two running guests can't attach the same exclusive volume where a must-rule says so."""
    plain = fleet()
    guests = plain.guests.with_items({g: Guest(g, host="a", volumes=("data",)) for g in "uv"})
    shared = plain.changed(guests=guests, volumes=FrozenMap({"data": Volume("data")}))
    assert only(shared).code == "volume_in_use"
    named = ExclusiveVolume(name="one writer")
    assert only(shared.changed(rules=(named,))).rules == ("one writer",)
    wished = replace(named, strength=Strength.SHOULD)
    assert find_conflicts(shared.changed(rules=(wished,))) == []


def test_a_project_over_its_quota() -> None:
    """Guests that all want to run but exceed their project's quota are a conflict."""
    plain = fleet(Quota(name="Q", project="p", limits=FrozenMap(memory=1)))
    guests = {g: Guest(g, host="a", demand=FrozenMap(memory=1), project="p") for g in "uv"}
    conflict = only(plain.changed(guests=plain.guests.with_items(guests)))
    assert conflict.rules == ("Q",)


def test_hall_violation_names_the_crowded_guests_only() -> None:
    """Of many guests only those that compete for too few values are named."""
    choices = {"a": {"1"}, "b": {"1", "2"}, "c": {"2"}, "d": {"3", "4"}}
    crowd = find_too_many(choices, 1)
    assert crowd is not None
    assert (crowd.guests, crowd.values) == (("a", "b", "c"), ("1", "2"))


def test_matching_finds_the_only_way() -> None:
    """A matching that needs a chain of exchanges is found."""
    assert find_too_many({"a": {"1", "2"}, "b": {"1"}, "c": {"2", "3"}}, 1) is None
