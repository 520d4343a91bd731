# SPDX-License-Identifier: Apache-2.0
"""What stood at the start: it may stay or get better, and never worse."""

from __future__ import annotations

import pytest

from moorage.model.hosts import HostState
from moorage.model.rule import Breach
from moorage.rules.apart import Apart
from moorage.rules.headroom import Headroom
from moorage.verifying import broken_now, is_refused, verify
from tests.tiny import fleet, guest, host, plan, step, texts

FULL = fleet(
    [host("a", 10), host("b", 10)],
    [guest("g1", "a", 8), guest("g2", "a", 8), guest("h", "b", 3), guest("i", "b", 1)],
)
"""Host a gives out 16 of 10 MiB from the start."""


def marks(found: object) -> list[tuple[int | None, str, bool]]:
    return [(v.at_s, v.breach.where, v.pre_existing) for v in found]  # type: ignore[attr-defined]


def test_an_overloaded_host_that_stays_so_is_old_trouble() -> None:
    """Doing nothing leaves what was broken, and refuses nothing."""
    assert marks(verify(FULL, {})) == [(None, "a", True)]
    assert marks(verify(FULL, plan())) == [(None, "a", True)]
    assert not is_refused(verify(FULL, {}))


def test_an_overloaded_host_that_gets_emptier_is_old_trouble() -> None:
    """Less excess than at the start is marked as pre-existing, even with other guests in it."""
    eased = fleet(list(FULL.hosts.values()), [*FULL.guests.values(), guest("j", "a", 2)])
    assert marks(verify(eased, {"j": "b"})) == [(None, "a", True)]
    exchanged = {"g1": "b", "h": "a", "i": "a"}
    assert [v.breach.amount for v in verify(FULL, exchanged) if v.breach.where == "a"] == [2]
    assert [v.pre_existing for v in verify(FULL, exchanged) if v.breach.where == "a"] == [True]


def test_an_overloaded_host_that_gets_fuller_is_new_trouble() -> None:
    """One unit more than at the start is refused, at the end and on the way."""
    assert marks(verify(FULL, {"i": "a"})) == [(None, "a", False)]
    joined = plan(step(3, 9, ("i", "b", "a")), step(9, 12, ("i", "a", "b")))
    assert marks(verify(FULL, joined)) == [(3, "a", False), (None, "a", True)]


def test_relieving_and_loading_again_is_no_worse() -> None:
    """Between the relief and the end the host may be as full as it was, and no fuller."""
    hosts = [host("a", 10), host("b", 20)]
    cluster = fleet(hosts, [guest("g1", "a", 8), guest("g2", "a", 8), guest("h", "b", 8)])
    refilled = plan(step(0, 10, ("g1", "a", "b")), step(10, 20, ("h", "b", "a")))
    assert marks(verify(cluster, refilled)) == [(None, "a", True)]
    too_early = plan(step(0, 10, ("g1", "a", "b")), step(5, 20, ("h", "b", "a")))
    assert marks(verify(cluster, too_early)) == [(5, "a", False), (None, "a", True)]


def test_another_resource_is_another_trouble() -> None:
    """Old excess of memory on a host excuses no excess of CPU on it."""
    hosts = [host("a", 1, more={"cpu": 4}), host("b", 9, more={"cpu": 9})]
    guests = [guest("g", "a", 5, more={"cpu": 4}), guest("h", "b", 0, more={"cpu": 1})]
    found = verify(fleet(hosts, guests), {"h": "a"})
    assert [(v.breach.resource, v.pre_existing) for v in found] == [
        ("cpu", False),
        ("memory", True),
    ]


def test_another_host_is_another_trouble() -> None:
    """Moving the excess elsewhere is not less excess: the other host is newly overloaded."""
    hosts = [host("a", 10), host("b", 6)]
    cluster = fleet(hosts, [guest("g1", "a", 8), guest("g2", "a", 8)])
    assert marks(verify(cluster, {"g1": "b"})) == [(None, "b", False)]


TRIO = Apart(name="trio", guests=("g", "h", "i"))


def test_somebody_else_who_joins_a_broken_group_is_new_trouble() -> None:
    """Two that share a host since the start may stay; a third that comes is refused."""
    hosts = [host("a"), host("b"), host("c")]
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "a"), guest("i", "b")], TRIO)
    assert marks(verify(cluster, {})) == [(None, "a", True)]
    assert marks(verify(cluster, {"i": "a"})) == [(None, "a", False)]


def test_somebody_else_in_the_place_of_one_who_left_is_new_trouble() -> None:
    """As many as before, but others: a swap of partners is not what stood at the start."""
    hosts = [host("a"), host("b"), host("c")]
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "a"), guest("i", "b")], TRIO)
    swapped = plan(step(0, 10, ("h", "a", "c")), step(10, 20, ("i", "b", "a")))
    assert texts(cluster, swapped) == [
        (10, "g, i share a; at most 1 may"),
        (None, "g, i share a; at most 1 may"),
    ]


def test_one_who_leaves_a_broken_group_and_returns_is_old_trouble() -> None:
    """Parking one of them and bringing it back ends as it began."""
    hosts = [host("a"), host("b")]
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "a")], Apart(name="p", guests=("g", "h")))
    back = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "a")))
    assert marks(verify(cluster, back)) == [(None, "a", True)]


def test_repairing_is_never_refused() -> None:
    """Taking a group apart step by step gets better at each instant."""
    hosts = [host("a"), host("b"), host("c")]
    cluster = fleet(hosts, [guest(name, "a") for name in "ghi"], TRIO)
    repair = plan(step(0, 10, ("h", "a", "b")), step(10, 20, ("i", "a", "c")))
    assert verify(cluster, repair) == []
    assert marks(verify(cluster, plan(*repair.steps[:1]))) == [(None, "a", True)]


def test_evacuating_half_a_host_is_progress() -> None:
    """A host that is to be emptied and still holds one of two guests is no worse than before."""
    hosts = [host("a", state=HostState.MAINTENANCE), host("b")]
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "a")])
    assert marks(verify(cluster, {"g": "b"})) == [(None, "a", True)]


def test_lost_headroom_is_judged_by_how_many_are_stranded() -> None:
    """As many as before may be stranded by the same loss; one more is refused."""
    hosts = [host("a"), host("b")]
    guests = [guest("g", "a", 6), guest("h", "b", 6), guest("i", "b", 1)]
    cluster = fleet(hosts, guests, Headroom(name="n+1", hosts=("a", "b")))
    found = verify(cluster, {})
    assert marks(found) == [(None, "a", True), (None, "b", True)]
    assert marks(verify(cluster, {"i": "a"})) == [(None, "a", True), (None, "b", True)]


@pytest.mark.parametrize("fault", ["overlap", "source", "order"])
def test_a_faulty_plan_is_never_excused(fault: str) -> None:
    """What is wrong with the plan itself can't have stood at the start."""
    steps = {
        "overlap": plan(step(0, 10, ("g1", "a", "b")), step(1, 5, ("g1", "a", "b"))),
        "source": plan(step(0, 10, ("h", "a", "b"))),
        "order": plan(step(0, 10, ("i", "b", "a"))),
    }[fault]
    assert is_refused(verify(FULL, steps))


def test_what_is_broken_now_is_all_pre_existing() -> None:
    """The look at a fleet as it is finds what a verification of staying put finds."""
    assert broken_now(FULL) == verify(FULL, {})
    assert all(v.pre_existing for v in broken_now(FULL))


def breach(amount: int, *guests: str, where: str = "a", resource: str = "") -> Breach:
    return Breach("rule", "code", where, guests, amount, "text", resource)


@pytest.mark.parametrize(
    ("now", "start", "no_worse"),
    [
        (breach(1, "g"), None, False),
        (breach(1, "g"), breach(1, "g"), True),
        (breach(1, "g"), breach(2, "g", "h"), True),
        (breach(2, "g"), breach(1, "g"), False),
        (breach(1, "i"), breach(1, "g"), False),
        (breach(1, "g", where="b"), breach(1, "g"), False),
        (breach(1, "i", resource="memory"), breach(1, "g", resource="memory"), True),
        (breach(1, "g", resource="memory"), breach(9, "g", resource="cpu"), False),
    ],
)
def test_no_worse_means_the_same_place_and_no_more(
    now: Breach, start: Breach | None, no_worse: bool
) -> None:
    """A breach is old if place and resource agree, the amount didn't grow, and nobody joined."""
    assert now.is_no_worse_than(start) is no_worse
