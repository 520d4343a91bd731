# SPDX-License-Identifier: Apache-2.0
"""How many moves may run at once: over all, per host, per link and per pool."""

from __future__ import annotations

import pytest

from moorage.model.fleet import Fleet
from moorage.model.plan import Action, ActionKind, Plan, Step
from moorage.model.reasons import Reason
from moorage.model.resources import Resource
from moorage.model.rule import Rule, When
from moorage.model.topology import Link, MoveLimits
from moorage.rules.together import Together
from moorage.verifying import verify
from tests.tiny import Hop, fleet, guest, host, plan, step, texts

POOL = Resource("disk:local", "MiB")
SHARED = Resource("disk:ceph", "MiB", shared_total=1_000)
ROOM = {"disk:local": 100, "disk:ceph": 100}
TWO_SWITCHES = Link("uplink", 1000, (("a", "b"), ("c", "d")))


def cluster(limits: MoveLimits, *links: Link, pool: str | None = None) -> Fleet:
    """Guests g1 and g2 on a, h1 and h2 on b; c, d and e are empty."""
    more = {pool: 1} if pool else None
    homes = (("g1", "a"), ("g2", "a"), ("h1", "b"), ("h2", "b"))
    guests = [guest(name, on, more=more) for name, on in homes]
    hosts = [host(name, 100, more=ROOM) for name in "abcde"]
    return fleet(hosts, guests, resources=(POOL, SHARED), limits=limits, links=links)


def at_once(first: Hop, second: Hop) -> Plan:
    return plan(step(0, 10, first), step(5, 15, second))


def in_turn(first: Hop, second: Hop) -> Plan:
    return plan(step(0, 10, first), step(10, 20, second))


@pytest.mark.parametrize(
    ("limits", "second", "free", "text", "on"),
    [
        (MoveLimits(at_once=1), ("h1", "b", "d"), None, "2 moves at once; at most 1 may run", None),
        (
            MoveLimits(into_host=1),
            ("h1", "b", "c"),
            ("h1", "b", "d"),
            "2 moves into c; at most 1 may run",
            "c",
        ),
        (
            MoveLimits(out_of_host=1),
            ("g2", "a", "d"),
            ("h1", "b", "d"),
            "2 moves out of a; at most 1 may run",
            "a",
        ),
        (
            MoveLimits(over_link=1),
            ("h1", "b", "d"),
            ("h1", "b", "a"),
            "2 moves over link uplink; at most 1 may run",
            None,
        ),
    ],
    ids=["at_once", "into_host", "out_of_host", "over_link"],
)
def test_one_move_too_many(
    limits: MoveLimits, second: Hop, free: Hop | None, text: str, on: str | None
) -> None:
    """The second of two moves is refused while the first runs, and allowed when it has ended."""
    first: Hop = ("g1", "a", "c")
    fleet_of_five = cluster(limits, TWO_SWITCHES)
    (found,) = verify(fleet_of_five, at_once(first, second))
    assert (found.at_s, found.breach.text, found.breach.host) == (5, text, on)
    assert (found.breach.rule, found.breach.code) == ("limits", Reason.MOVE_LIMIT)
    assert (found.breach.amount, found.breach.guests) == (1, ("g1", second[0]))
    assert verify(fleet_of_five, in_turn(first, second)) == []
    if free is not None:
        assert verify(fleet_of_five, at_once(first, free)) == []


def test_both_ends_of_a_copied_disk_use_their_pools() -> None:
    """A move reads one local pool and writes another: either may be busy."""
    fleet_of_five = cluster(MoveLimits(per_pool=1), pool="disk:local")
    chain = at_once(("g1", "a", "b"), ("h1", "b", "c"))
    (found,) = verify(fleet_of_five, chain)
    assert (found.at_s, found.breach.host) == (5, "b")
    assert found.breach.text == "2 moves on storage local of b; at most 1 may run"
    assert verify(fleet_of_five, at_once(("g1", "a", "c"), ("h1", "b", "d"))) == []


def test_a_shared_pool_copies_nothing() -> None:
    """Disks that both ends see stay where they are, and guests without disks copy none."""
    chain = at_once(("g1", "a", "b"), ("h1", "b", "c"))
    for pool in ("disk:ceph", None):
        assert verify(cluster(MoveLimits(per_pool=1), pool=pool), chain) == []


def test_hosts_on_no_side_never_cross_a_link() -> None:
    """A host that isn't on any side of a link reaches others without it."""
    fleet_of_five = cluster(MoveLimits(over_link=0), TWO_SWITCHES)
    assert verify(fleet_of_five, plan(step(0, 10, ("g1", "a", "e")))) == []
    assert texts(fleet_of_five, plan(step(0, 10, ("g1", "a", "d")))) == [
        (0, "1 move over link uplink; at most 0 may run")
    ]


def test_a_switch_with_many_ports_is_crossed_between_any_two() -> None:
    """Each side of a link is a port; a move within one port doesn't cross it."""
    switch = Link("core", 1000, (("a",), ("b", "c"), ("d",)))
    fleet_of_five = cluster(MoveLimits(over_link=0), switch)
    assert verify(fleet_of_five, plan(step(0, 10, ("h1", "b", "c")))) == []
    for target in "acd":
        source = "b" if target != "c" else "a"
        mover = "h1" if source == "b" else "g1"
        assert len(verify(fleet_of_five, plan(step(0, 10, (mover, source, target))))) == 1


def test_guests_moved_along_need_no_slot() -> None:
    """Guests that the platform moves along with another to the same host count as one move."""
    limits = MoveLimits(at_once=1, into_host=1, out_of_host=1)
    bound = cluster(limits).changed(rules=(Together(guests=("g1", "g2"), origin="pve"),))
    leader = Action("g1", "a", "c")
    follower = Action("g2", "a", "c", ActionKind.CO_MOVE)
    assert verify(bound, Plan((Step(0, 0, 10, (leader, follower)),))) == []
    all_alike = step(0, 10, ("g1", "a", "c"), ("g2", "a", "c"), kind=ActionKind.CO_MOVE)
    assert verify(bound, plan(all_alike)) == []
    assert verify(bound, plan(step(0, 10, ("g1", "a", "c"), ("g2", "a", "c")))) != []


@pytest.mark.parametrize(
    "rules",
    [(), (Together(guests=("g1", "g2")),), (Together(guests=("h1", "h2"), when=When.ALWAYS),)],
    ids=["no rule", "only at the end", "others"],
)
def test_only_a_group_that_moves_as_one_is_moved_along(rules: tuple[Rule, ...]) -> None:
    """A plan can't get past the limits by calling moves of strangers co-moves."""
    leader = Action("g1", "a", "c")
    follower = Action("g2", "a", "c", ActionKind.CO_MOVE)
    strangers = cluster(MoveLimits(at_once=1)).changed(rules=rules)
    assert texts(strangers, Plan((Step(0, 0, 10, (leader, follower)),))) == [
        (0, "2 moves at once; at most 1 may run")
    ]


def test_a_follower_without_a_leader_is_a_move() -> None:
    """Calling a move a co-move doesn't hide it from the limits: nobody goes there with it."""
    alone = step(0, 10, ("g1", "a", "c"), ("h1", "b", "d"), kind=ActionKind.CO_MOVE)
    assert texts(cluster(MoveLimits(at_once=1)), plan(alone)) == [
        (0, "2 moves at once; at most 1 may run")
    ]


def test_a_move_that_is_called_a_placement_is_a_move() -> None:
    """Whatever it is called, an action with a source copies a guest and takes a slot."""
    disguised = step(0, 10, ("g1", "a", "c"), ("h1", "b", "d"), kind=ActionKind.PLACE)
    assert texts(cluster(MoveLimits(at_once=1)), plan(disguised)) == [
        (0, "2 moves at once; at most 1 may run")
    ]


def test_a_guest_that_is_started_anew_copies_nothing() -> None:
    """Placements from nowhere take no slot, however many start at once."""
    hosts = [host(name) for name in "ab"]
    limits = MoveLimits(at_once=0, into_host=0, out_of_host=0, over_link=0, per_pool=0)
    new = fleet(hosts, [guest("g"), guest("h")], limits=limits)
    both = plan(step(0, 10, ("g", None, "a"), ("h", None, "b"), kind=ActionKind.PLACE))
    assert verify(new, both) == []
    migrating = plan(step(0, 10, ("g", None, "a"), ("h", None, "b")))
    assert verify(new, migrating) == []


def test_a_limit_is_said_again_when_it_is_exceeded_further() -> None:
    """The figure is how many too many, at the instant at which it grows."""
    three = plan(
        step(0, 30, ("g1", "a", "c")),
        step(10, 30, ("g2", "a", "d")),
        step(20, 30, ("h1", "b", "c")),
    )
    found = verify(cluster(MoveLimits(at_once=1)), three)
    assert [(v.at_s, v.breach.amount) for v in found] == [(10, 1), (20, 2)]
