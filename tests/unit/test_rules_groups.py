# SPDX-License-Identifier: Apache-2.0
"""Rules about groups of guests: apart, split, dedicated, together, near."""

from __future__ import annotations

from typing import Any

import pytest

from moorage.model.plan import ActionKind
from moorage.model.reasons import Reason
from moorage.model.rule import Rule, When
from moorage.rules.apart import Apart
from moorage.rules.dedicated import Dedicated
from moorage.rules.near import Near
from moorage.rules.split import Split
from moorage.rules.together import Together
from moorage.verifying import broken_now, verify
from tests.tiny import fleet, guest, host, plan, step, texts, the_breach, violations

RACKS = [host("a", rack="r1"), host("b", rack="r1"), host("c", rack="r2"), host("d")]
PAIR = ("g", "h")


# --- apart -------------------------------------------------------------------------------------


def test_two_replicas_never_share_a_host() -> None:
    """Hosts are counted at both ends of a move, so that passing each other is refused."""
    rule = Apart(name="ha", guests=PAIR)
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "b")], rule)
    swap = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("h", "b", "c")))
    assert texts(cluster, swap) == [(0, "g, h share b; at most 1 may")]
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.where, breach.host) == ("apart_host", "b", "b")
    assert "add a host, run fewer replicas, or ask for a" in rule.remedy_for(breach)


def test_leaving_before_arriving_keeps_replicas_apart() -> None:
    """At one instant moves end before others start, so that a host can be handed over."""
    rule = Apart(name="ha", guests=PAIR)
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "b")], rule)
    handed = plan(step(0, 10, ("h", "b", "c")), step(10, 20, ("g", "a", "b")))
    assert texts(cluster, handed) == []


def test_a_move_within_a_rack_counts_once() -> None:
    """A guest that moves between two hosts of its rack fills one place in it, not two."""
    rule = Apart(name="ha", guests=PAIR, domain="rack")
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "c")], rule)
    assert texts(cluster, plan(step(0, 10, ("g", "a", "b")))) == []
    breach = the_breach(cluster, {"h": "b"})
    assert (breach.code, breach.where, breach.host) == ("apart_rack", "r1", None)
    assert breach.text == "g, h share rack r1; at most 1 may"


def test_a_host_without_a_rack_is_no_way_around_the_rack_rule() -> None:
    """A replica on a host without the label is refused, alone or not."""
    cluster = fleet(RACKS, [guest("g", "a")], Apart(name="ha", guests=("g",), domain="rack"))
    assert the_breach(cluster, {"g": "d"}).text == "g is on d, which has no rack"


def test_at_most_two_may_share() -> None:
    """With at_most 2 the third replica in a rack is one too many."""
    rule = Apart(name="ha", guests=("g", "h", "i"), domain="rack", at_most=2)
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "b"), guest("i", "c")], rule)
    assert verify(cluster, {}) == []
    assert the_breach(cluster, {"i": "a"}).text == "g, h, i share rack r1; at most 2 may"


def test_min_domains_asks_for_spread() -> None:
    """Three replicas over two racks at least; a single one needs but one."""
    rule = Apart(name="ha", guests=("g", "h", "i"), domain="rack", min_domains=2)
    everywhere = [guest("g", "a"), guest("h", "b"), guest("i", "c")]
    breach = the_breach(fleet(RACKS, everywhere, rule), {"i": "a"})
    assert breach.text == "the group is in 1 rack; it needs 2"
    alone = fleet(RACKS, [guest("g", "a"), guest("h"), guest("i")], rule)
    assert violations(alone, {"g": "b"}) == []
    assert [v.breach.rule for v in violations(alone, {"h": "b"})] == ["ha"]


def test_spread_is_lost_when_the_move_has_ended() -> None:
    """Until it has arrived, a guest still runs where it was: the breach begins at the end."""
    rule = Apart(name="ha", guests=PAIR, domain="rack", min_domains=2)
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "c")], rule)
    text = "the group is in 1 rack; it needs 2"
    assert texts(cluster, plan(step(0, 10, ("h", "c", "b")))) == [(10, text), (None, text)]


def test_coming_from_a_host_without_a_rack_is_no_new_trouble() -> None:
    """A guest without a rack counts as placed, so that moving it into one is never worse."""
    rule = Apart(name="ha", guests=PAIR, domain="rack", min_domains=2)
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "d")], rule)
    assert len(broken_now(cluster)) == 2
    assert [v.pre_existing for v in verify(cluster, {"h": "b"})] == [True]


def test_max_skew_compares_the_fullest_with_the_emptiest() -> None:
    """Every value of the domain takes part, the empty ones too."""
    hosts = [host("a", rack="r1"), host("b", rack="r2"), host("c", rack="r3")]
    rule = Apart(name="ha", guests=("g", "h"), domain="rack", max_skew=1)
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "b")], rule)
    assert verify(cluster, {}) == []
    assert the_breach(cluster, {"h": "a"}).text == (
        "r1 holds 2 of the group and r2 0; they may differ by 1"
    )


@pytest.mark.parametrize("field", ["at_most", "max_skew", "min_domains"])
def test_a_bound_below_one_is_refused(field: str) -> None:
    """A limit that no placement could keep is refused when the rule is made."""
    bound: dict[str, Any] = {field: 0}
    with pytest.raises(ValueError, match=f"{field} is 0, but must be at least 1"):
        Apart(guests=PAIR, **bound)


# --- split -------------------------------------------------------------------------------------


def test_two_groups_never_meet() -> None:
    """Guests of one group may share a host; one of each may not, in transit either."""
    rule = Split(name="teams", groups=(("g", "h"), ("i",)))
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "a"), guest("i", "b")], rule)
    assert verify(cluster, {}) == []
    through = plan(step(0, 10, ("i", "b", "a")), step(10, 20, ("i", "a", "c")))
    assert texts(cluster, through) == [(0, "g, h meets i on a")]
    breach = the_breach(cluster, {"i": "a"})
    assert (breach.code, breach.guests, breach.host) == (Reason.SPLIT, ("g", "h", "i"), "a")
    assert "give each group a host of its own" in rule.remedy_for(breach)


def test_groups_split_by_rack() -> None:
    """Two hosts of one rack are one place."""
    rule = Split(name="teams", groups=(("g",), ("h",)), domain="rack")
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "c")], rule)
    assert the_breach(cluster, {"h": "b"}).where == "r1"


def test_no_group_hides_on_a_host_without_a_rack() -> None:
    """Groups split by rack don't meet on a host in no rack; not even one of them is there."""
    rule = Split(name="teams", groups=(("g",), ("h",)), domain="rack")
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "c")], rule)
    breach = the_breach(cluster, {"g": "d", "h": "d"})
    assert (breach.text, breach.amount) == ("g, h are on d, which has no rack", 2)
    assert the_breach(cluster, {"g": "d"}).text == "g is on d, which has no rack"
    assert {(tuple(bar.guests or ()), bar.hosts) for bar in rule.bars(cluster)} == {
        (PAIR, frozenset("d"))
    }


# --- dedicated ---------------------------------------------------------------------------------


def test_a_dedicated_host_holds_nobody_else() -> None:
    """An outsider that enters, and a member that comes to an outsider, are the same breach."""
    rule = Dedicated(name="own", guests=("g",))
    cluster = fleet(RACKS, [guest("g", "a"), guest("x", "b")], rule)
    enters = the_breach(cluster, {"x": "a"})
    assert enters.text == "a is kept for g but holds x"
    assert (enters.code, enters.guests, enters.amount) == (Reason.DEDICATED, ("g", "x"), 1)
    assert the_breach(cluster, {"g": "b"}).text == "b is kept for g but holds x"
    assert "give the group a host of its own" in rule.remedy_for(enters)


def test_a_dedicated_rack_is_left_before_it_is_entered() -> None:
    """Outsiders go first: a member that arrives while one is still leaving is refused."""
    rule = Dedicated(name="own", guests=("g",), domain="rack")
    cluster = fleet(RACKS, [guest("g", "c"), guest("x", "b")], rule)
    at_once = plan(step(0, 10, ("x", "b", "d")), step(5, 15, ("g", "c", "a")))
    in_turn = plan(step(0, 10, ("x", "b", "d")), step(10, 20, ("g", "c", "a")))
    assert texts(cluster, at_once) == [(5, "r1 is kept for g but holds x")]
    assert texts(cluster, in_turn) == []


def test_another_outsider_is_new_trouble() -> None:
    """Where one outsider stands since the start, a second one is refused."""
    rule = Dedicated(name="own", guests=("g",))
    cluster = fleet(RACKS, [guest("g", "a"), guest("x", "a"), guest("y", "b")], rule)
    assert [v.pre_existing for v in verify(cluster, {})] == [True]
    assert violations(cluster, {"x": "c", "y": "a"}, "own")


def test_a_dedicated_rack_is_none_that_nobody_named() -> None:
    """A host in no rack can't be kept for anybody; outsiders may still be there."""
    rule = Dedicated(name="own", guests=("g",), domain="rack")
    cluster = fleet(RACKS, [guest("g", "a"), guest("x", "c")], rule)
    breach = the_breach(cluster, {"g": "d", "x": "d"})
    assert (breach.code, breach.text) == (Reason.DEDICATED, "g is on d, which has no rack")
    assert violations(cluster, {"x": "d"}) == []
    assert [bar.hosts for bar in rule.bars(cluster)] == [frozenset("d")]


# --- together ----------------------------------------------------------------------------------


def rules_of_a_pair(origin: str) -> list[Rule]:
    return [
        Together(name="pair", guests=PAIR, origin=origin),
        Near(name="pair", guests=("g",), to=("h",), origin=origin),
    ]


ONE_BY_ONE = plan(step(0, 10, ("g", "a", "c")), step(10, 20, ("h", "a", "c")))
AS_ONE = plan(step(0, 10, ("g", "a", "c"), ("h", "a", "c"), kind=ActionKind.CO_MOVE))


@pytest.mark.parametrize("rule", rules_of_a_pair(""), ids=["together", "near"])
def test_company_is_asked_for_at_the_end(rule: Rule) -> None:
    """A rule of ours lets a pair move one by one, and wants it united at the end."""
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "a")], rule)
    assert texts(cluster, ONE_BY_ONE) == []
    assert [v.at_s for v in violations(cluster, plan(*ONE_BY_ONE.steps[:1]))] == [None]


@pytest.mark.parametrize("origin", ["pve", "nova"])
@pytest.mark.parametrize("number", [0, 1], ids=["together", "near"])
def test_a_platform_holds_company_always(number: int, origin: str) -> None:
    """What the platform enforces it enforces at every instant: only moving as one passes."""
    rule = rules_of_a_pair(origin)[number]
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "a")], rule)
    assert [v.at_s for v in violations(cluster, ONE_BY_ONE)] == [10]
    assert texts(cluster, AS_ONE) == []


def test_together_at_the_end_though_a_platform_enforces_it() -> None:
    """What is said of the time outdoes what is usual for the origin."""
    rule = Together(name="pair", guests=PAIR, origin="pve", when=When.AT_END)
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "a")], rule)
    assert texts(cluster, ONE_BY_ONE) == []


def test_together_says_where_its_guests_are() -> None:
    """The text names the hosts, or the values of the domain, between which a group is torn."""
    guests = [guest("g", "a"), guest("h", "b")]
    by_host = fleet(RACKS, guests, Together(name="pair", guests=PAIR))
    assert broken_now(by_host)[0].breach.text == "g, h belong together but are in a, b"
    rule = Together(name="pair", guests=PAIR, domain="rack")
    by_rack = fleet(RACKS, guests, rule)
    assert verify(by_rack, {}) == []
    breach = the_breach(by_rack, {"h": "c"})
    assert (breach.code, breach.text) == (
        "together_rack",
        "g, h belong together but are in r1, r2",
    )
    assert rule.remedy_for(breach) == (
        "free room for the whole group on one rack, or split the group"
    )


def test_together_off_the_racks_is_nowhere() -> None:
    """Guests on a host without a value of the domain share none, even on the same host."""
    cluster = fleet(RACKS, [guest("g"), guest("h")], Together(name="p", guests=PAIR, domain="rack"))
    assert the_breach(cluster, {"g": "d", "h": "d"}).text == (
        "g, h belong together but are in d (no rack)"
    )


def test_together_in_one_of_several_parts() -> None:
    """All members stand inside one set of hosts, whichever; two sets are a breach."""
    rule = Together(name="among", guests=PAIR, parts=(("a", "b"), ("c", "d")))
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "b")], rule)
    assert verify(cluster, {}) == []
    assert verify(cluster, {"g": "c", "h": "d"}) == []
    assert the_breach(cluster, {"h": "c"}).code == "together_part"


def test_gathering_a_scattered_group_is_never_worse() -> None:
    """A group torn over three hosts may gather step by step, under a platform too."""
    rule = Together(name="trio", guests=("g", "h", "i"), origin="pve")
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "b"), guest("i", "c")], rule)
    gather = plan(step(0, 10, ("h", "b", "a")), step(10, 20, ("i", "c", "a")))
    assert verify(cluster, gather) == []
    halfway = plan(step(0, 10, ("h", "b", "a")))
    assert [v.pre_existing for v in verify(cluster, halfway)] == [True]


# --- near --------------------------------------------------------------------------------------


def test_near_is_directed() -> None:
    """The first group needs the second; the second is free to be elsewhere without the first."""
    rule = Near(name="cache", guests=("g",), to=("h", "i"), domain="rack")
    cluster = fleet(RACKS, [guest("g", "a"), guest("h", "b"), guest("i", "c")], rule)
    assert verify(cluster, {"g": "c"}) == []
    assert verify(cluster, {"i": "a"}) == []
    breach = the_breach(cluster, {"h": "c"})
    assert (breach.code, breach.guests) == (Reason.NEAR, ("g",))
    assert breach.text == "g in r1: none of h, i is in the same rack"
    assert rule.remedy_for(breach) == "move or add a guest of the second group to that rack"


def test_near_without_a_rack_is_near_nobody() -> None:
    """On a host without a value a guest is near nobody, not even somebody on the same host."""
    rule = Near(name="cache", guests=("g",), to=("h",), domain="rack")
    cluster = fleet(RACKS, [guest("g"), guest("h")], rule)
    assert the_breach(cluster, {"g": "d", "h": "d"}).text == (
        "g in a host without rack: none of h is in the same rack"
    )
