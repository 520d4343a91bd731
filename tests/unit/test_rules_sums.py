# SPDX-License-Identifier: Apache-2.0
"""Rules that are sums: capacity, pools, counts, quotas."""

from __future__ import annotations

from typing import Any

import pytest

from moorage.model.frozen import FrozenMap
from moorage.model.guests import GuestKind
from moorage.model.hosts import Host
from moorage.model.reasons import Reason
from moorage.model.resources import Resource
from moorage.model.rule import Strength, When
from moorage.rules.capacity import Capacity
from moorage.rules.group_capacity import GroupCapacity
from moorage.rules.guest_count import GuestCount
from moorage.rules.host_count import HostCount
from moorage.rules.quota import Quota
from moorage.verifying import broken_now, verify
from tests.tiny import costs, fleet, guest, host, plan, step, texts, the_breach, violations

LOCAL = Resource("disk:local", "MiB")
CEPH = Resource("disk:ceph", "MiB", shared_total=10)
A_TO_B = plan(step(0, 10, ("g", "a", "b")))


def uneven(**fields: Any) -> Host:
    return Host("b", capacity=FrozenMap(memory=10), **fields)


# --- capacity ----------------------------------------------------------------------------------


def test_exactly_full_is_allowed() -> None:
    """A host may give out all that it has, and not one unit more."""
    full = fleet([host("a"), host("b", 10)], [guest("g", "a", 4), guest("h", "b", 6)])
    assert verify(full, {"g": "b"}) == []
    over = fleet([host("a"), host("b", 10)], [guest("g", "a", 5), guest("h", "b", 6)])
    breach = the_breach(over, {"g": "b"})
    assert breach.text == "b: memory 11 MiB taken, 10 MiB usable"
    assert (breach.code, breach.host, breach.amount) == (Reason.NO_CAPACITY_MEMORY, "b", 1)
    assert (breach.resource, breach.guests) == ("memory", ("g", "h"))


@pytest.mark.parametrize(
    ("fields", "usable"),
    [
        ({"reserve": FrozenMap(memory=3)}, 7),
        ({"overcommit_permille": FrozenMap(memory=1500)}, 15),
        ({"reserve": FrozenMap(memory=3), "overcommit_permille": FrozenMap(memory=1333)}, 9),
        ({"reserve": FrozenMap(memory=11)}, 0),
    ],
)
def test_reserve_is_kept_before_overcommit(
    fields: dict[str, FrozenMap[str, int]], usable: int
) -> None:
    """What is usable is (capacity - reserve) x overcommit, in whole units and never below zero."""
    cluster = fleet([host("a", 99), uneven(**fields)], [guest("g", "a", usable)])
    assert verify(cluster, {"g": "b"}) == []
    cluster = fleet([host("a", 99), uneven(**fields)], [guest("g", "a", usable + 1)])
    assert f"{usable} MiB usable" in the_breach(cluster, {"g": "b"}).text


def test_a_move_takes_room_at_both_ends() -> None:
    """Until it has ended, a move keeps its source as full as it was."""
    cluster = fleet([host("a"), host("b")], [guest("g", "a", 6), guest("h", "b", 6)])
    swap = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("h", "b", "a")))
    early = plan(step(0, 10, ("g", "a", "b")), step(5, 20, ("h", "b", "a")))
    over = "b: memory 12 MiB taken, 10 MiB usable"
    assert texts(cluster, swap) == [(0, over)]
    assert texts(cluster, early) == [
        (0, over),
        (5, "a: memory 12 MiB taken, 10 MiB usable"),
    ]
    assert verify(cluster, {"g": "b", "h": "a"}) == []


def test_a_resource_that_is_not_listed_is_not_there() -> None:
    """A host that doesn't list a pool has no room in it, and isn't without limit."""
    hosts = [host("a", more={"disk:local": 5}), host("b")]
    cluster = fleet(hosts, [guest("g", "a", more={"disk:local": 1})], resources=(LOCAL,))
    breach = the_breach(cluster, {"g": "b"})
    assert breach.code == Reason.NO_CAPACITY_DISK
    assert breach.text == "b: storage local 1 MiB taken, 0 MiB usable"


def test_a_resource_of_any_name_has_its_own_code() -> None:
    """Other resources are refused under their own names, with their own units."""
    ports = Resource("ports", "ports")
    hosts = [host("a", more={"ports": 5}), host("b", more={"ports": 2})]
    cluster = fleet(hosts, [guest("g", "a", more={"ports": 3})], resources=(ports,))
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.text) == (
        "no_capacity_ports",
        "b: ports 3 ports taken, 2 ports usable",
    )


def test_a_soft_resource_refuses_nobody() -> None:
    """What is not hard is weighed by goals, and never refused."""
    cpu = Resource("cpu", "millicores", hard=False)
    hosts = [host("a"), host("b", more={"cpu": 1})]
    cluster = fleet(hosts, [guest("g", "a", more={"cpu": 9})], resources=(cpu,))
    assert verify(cluster, {"g": "b"}) == []


def test_a_stopped_guest_holds_its_disks_alone() -> None:
    """A guest that is off takes no memory, and its disks still fill the pool where they lie."""
    off = guest("off", "b", 99, more={"disk:local": 4}, stopped=True)
    hosts = [host("a", more={"disk:local": 9}), host("b", more={"disk:local": 9})]
    light, heavy = (guest("g", "a", more={"disk:local": n}) for n in (5, 6))
    assert verify(fleet(hosts, [off, light], resources=(LOCAL,)), {"g": "b"}) == []
    breach = the_breach(fleet(hosts, [off, heavy], resources=(LOCAL,)), {"g": "b"})
    assert (breach.amount, breach.guests) == (1, ("g", "off"))


def test_overhead_belongs_to_the_kind_of_guest() -> None:
    """What a kind takes on top counts for each guest of that kind, and for no other."""
    overhead = FrozenMap({GuestKind.MICROVM: FrozenMap(memory=2)})
    micro = guest("m", "a", 4, kind=GuestKind.MICROVM)
    cluster = fleet([host("a"), host("b", 5)], [micro, guest("v", "a", 4)], overhead=overhead)
    assert verify(cluster, {"v": "b"}) == []
    assert the_breach(cluster, {"m": "b"}).text == "b: memory 6 MiB taken, 5 MiB usable"


def test_a_shared_pool_holds_each_disk_once() -> None:
    """During a move a disk in a shared pool lies where it lay: it counts once in the total."""
    hosts = [host("a", more={"disk:ceph": 10}), host("b", more={"disk:ceph": 10})]
    cluster = fleet(hosts, [guest("g", "a", more={"disk:ceph": 9})], resources=(CEPH,))
    assert verify(cluster, A_TO_B) == []


def test_a_shared_pool_is_full_from_the_instant_at_which_a_guest_is_placed() -> None:
    """A new guest's disk fills the shared pool when its placement starts, not only at the end."""
    hosts = [host("a", more={"disk:ceph": 10}), host("b", more={"disk:ceph": 10})]
    guests = [guest("g", "a", more={"disk:ceph": 6}), guest("h", None, more={"disk:ceph": 6})]
    cluster = fleet(hosts, guests, resources=(CEPH,))
    text = "shared pool ceph: 12 MiB taken of 10 MiB"
    assert texts(cluster, plan(step(7, 9, ("h", None, "b")))) == [(7, text), (None, text)]


def test_a_soft_shared_pool_refuses_nobody() -> None:
    """A shared pool that isn't hard may be overfilled, like any soft resource."""
    pool = Resource("disk:nfs", "MiB", shared_total=1, hard=False)
    cluster = fleet([host("a")], [guest("g", more={"disk:nfs": 5})], resources=(pool,))
    assert verify(cluster, {"g": "a"}) == []


def test_a_resource_held_until_the_end_stays_on_the_first_host() -> None:
    """A moved guest keeps its first host's share until the plan has ended, and parks freely."""
    seat = Resource("seat", held_until_end=True)
    hosts = [host(name, more={"seat": 1}) for name in "abc"]
    guests = [guest("g", "a", more={"seat": 1}), guest("h", "b", more={"seat": 1})]
    cluster = fleet(hosts, guests, resources=(seat,))
    follow = plan(step(0, 10, ("g", "a", "c")), step(10, 20, ("h", "b", "a")))
    text = "a: seat 2 units taken, 1 units usable"
    assert texts(cluster, follow) == [(10, text), (None, text)]
    (at_start,) = violations(cluster, follow)[:1]
    assert at_start.breach.guests == ("g", "h"), "the one that left still holds its share"
    parked = plan(step(0, 10, ("g", "a", "c")), step(10, 20, ("g", "c", "a")))
    assert verify(cluster, parked) == []


def test_capacity_can_be_a_wish() -> None:
    """Written down as should, capacity costs what is too much and refuses nothing."""
    rule = Capacity(name="room", strength=Strength.SHOULD)
    cluster = fleet([host("a"), host("b", 5)], [guest("g", "a", 8)], rule)
    assert verify(cluster, {"g": "b"}) == []
    assert costs(cluster, {"g": "b"}) == [("b: memory 8 MiB taken, 5 MiB usable", 3)]


def test_the_remedy_names_host_and_resource() -> None:
    """What would help is said of the host and the resource that are concerned."""
    cluster = fleet([host("a"), host("b", 5)], [guest("g", "a", 8)])
    remedy = Capacity().remedy_for(the_breach(cluster, {"g": "b"}))
    assert "memory" in remedy
    assert "b" in remedy.replace(",", "").split()


# --- limits over several hosts -----------------------------------------------------------------


def test_a_group_of_hosts_has_a_limit_of_its_own() -> None:
    """What guests hold over the hosts together is bounded, both ends of a move included."""
    rule = GroupCapacity(name="cage", hosts=("a", "b"), resource="memory", at_most=6)
    cluster = fleet(
        [host("a"), host("b"), host("c")], [guest("g", "a", 4), guest("h", "c", 3)], rule
    )
    assert texts(cluster, A_TO_B) == [
        (0, "a, b: memory 8 MiB taken, at most 6 MiB allowed together")
    ]
    breach = the_breach(cluster, {"h": "b"})
    assert (breach.code, breach.amount, breach.host) == (Reason.NO_CAPACITY_MEMORY, 1, None)
    assert "raise the limit of cage" in rule.remedy_for(breach)


def test_a_count_of_guests_counts_a_mover_once() -> None:
    """A guest that moves between two hosts of the rule is one guest on them."""
    rule = GuestCount(name="few", hosts=("a", "b"), at_most=2)
    hosts = [host("a"), host("b"), host("c")]
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "b"), guest("i", "c")], rule)
    assert texts(cluster, A_TO_B) == []
    breach = the_breach(cluster, {"i": "a"})
    assert (breach.code, breach.text) == (
        Reason.NO_CAPACITY_GUESTS,
        "3 guests on a, b; at most 2 may be",
    )
    assert breach.amount == 1


def test_a_count_for_each_host_counts_both_ends() -> None:
    """With *each* every host has the limit alone, and a mover is on two of them."""
    rule = GuestCount(name="one", hosts=("a", "b"), at_most=1, each=True)
    cluster = fleet([host("a"), host("b")], [guest("g", "a"), guest("h", "b")], rule)
    assert texts(cluster, A_TO_B) == [
        (0, "2 guests on b; at most 1 may be"),
        (None, "2 guests on b; at most 1 may be"),
    ]
    assert the_breach(cluster, {"g": "b"}).host == "b"


def test_a_count_of_hosts_sees_the_one_that_is_being_left() -> None:
    """While a guest moves, source and target are both in use."""
    rule = HostCount(name="licences", hosts=("a", "b", "c"), at_most=2)
    cluster = fleet([host("a"), host("b"), host("c")], [guest("g", "a"), guest("h", "b")], rule)
    through = plan(step(0, 10, ("g", "a", "c")))
    text = "3 hosts in use of a, b, c; at most 2 may be"
    assert texts(cluster, through) == [(0, text)]
    breach = violations(cluster, through)[0].breach
    assert (breach.code, breach.amount) == (Reason.NO_CAPACITY_HOSTS, 1)
    assert verify(cluster, {"g": "c"}) == []


@pytest.mark.parametrize("kind", [GuestCount, HostCount])
def test_a_negative_limit_is_refused(kind: type[GuestCount | HostCount]) -> None:
    """A limit that no placement could keep is refused when the rule is made."""
    with pytest.raises(ValueError, match="at_most is -1, but can't be negative"):
        kind(hosts=("a",), at_most=-1)


# --- quota -------------------------------------------------------------------------------------


def test_a_project_takes_at_most_its_quota() -> None:
    """Placed guests of the project count, each once; other projects and waiting guests don't."""
    rule = Quota(name="q", project="blue", limits=FrozenMap(memory=6), at_most=2)
    blue = [guest(n, on, 3, project="blue") for n, on in (("g", "a"), ("h", "a"), ("i", None))]
    cluster = fleet([host("a"), host("b")], [*blue, guest("x", "b", 9, project="red")], rule)
    assert violations(cluster, A_TO_B, "q") == []
    found = violations(cluster, {"i": "b"}, "q")
    assert [v.breach.text for v in found] == [
        "project blue takes 3 guests; its quota is 2 guests",
        "project blue takes 9 MiB of memory; its quota is 6 MiB",
    ]
    assert {v.breach.code for v in found} == {Reason.QUOTA}
    assert [v.breach.amount for v in found] == [1, 3]


def test_a_quota_over_its_limit_is_old_trouble_until_it_grows() -> None:
    """Moving guests of a project over its quota is free; placing one more is refused."""
    rule = Quota(name="q", project="blue", at_most=1)
    blue = [guest(n, on, project="blue") for n, on in (("g", "a"), ("h", "a"), ("i", None))]
    cluster = fleet([host("a"), host("b")], blue, rule)
    assert {v.breach.rule for v in broken_now(cluster)} == {"placed", "q"}
    assert violations(cluster, A_TO_B, "q") == []
    assert violations(cluster, {"i": "b"}, "q")


def test_a_sum_that_binds_at_the_end_may_be_exceeded_on_the_way() -> None:
    """With when at_end the doubled room of a move is no trouble."""
    rule = GroupCapacity(
        name="cage", hosts=("a", "b"), resource="memory", at_most=6, when=When.AT_END
    )
    cluster = fleet([host("a"), host("b")], [guest("g", "a", 4)], rule)
    assert texts(cluster, A_TO_B) == []
