# SPDX-License-Identifier: Apache-2.0
"""Headroom: whether the guests of lost hosts find room on what remains."""

from __future__ import annotations

import random
import time
from itertools import product

import pytest

from moorage.model.hosts import HostState
from moorage.model.reasons import Reason
from moorage.model.resources import Resource
from moorage.model.rule import When
from moorage.rules.headroom import Headroom
from moorage.rules.packing import Survey
from moorage.verifying import broken_now, verify
from tests.tiny import fleet, guest, host, plan, step, texts

N_PLUS_1 = Headroom(name="n+1")


def test_one_host_may_be_lost() -> None:
    """Three hosts of 10 with 5 on each survive the loss of any one of them; 6 don't."""
    hosts = [host("a"), host("b"), host("c")]
    fives = [guest(f"g{h.id}", h.id, 5) for h in hosts]
    assert broken_now(fleet(hosts, fives, N_PLUS_1)) == []
    sixes = [guest(f"g{h.id}", h.id, 6) for h in hosts]
    found = [v.breach for v in broken_now(fleet(hosts, sixes, N_PLUS_1))]
    assert [b.host for b in found] == ["a", "b", "c"]
    assert found[0].text == "if a is lost, 1 guest (ga) can't start elsewhere"
    assert found[0].code == Reason.HEADROOM
    assert N_PLUS_1.remedy_for(found[0]) == "add a host, or keep fewer guests on a"


def test_pooled_room_is_no_room() -> None:
    """Two hosts with 3 left each can't take a guest of 5, though together they have 6."""
    hosts = [host("a"), host("b"), host("c")]
    guests = [guest("big", "a", 5), guest("gb", "b", 7), guest("gc", "c", 7)]
    found = broken_now(fleet(hosts, guests, N_PLUS_1))
    assert found[0].breach.guests == ("big",)
    split = [guest("s1", "a", 3), guest("s2", "a", 2), *guests[1:]]
    found = broken_now(fleet(hosts, split, N_PLUS_1))
    assert [v.breach.host for v in found] == ["b", "c"], "two small guests do fit"


def test_two_hosts_may_be_lost_at_once() -> None:
    """With lose 2 every pair is tried, and the text names it."""
    hosts = [host("a"), host("b"), host("c")]
    guests = [guest(f"g{h.id}", h.id, 4) for h in hosts]
    rule = Headroom(name="n+2", lose=2)
    assert broken_now(fleet(hosts, guests, N_PLUS_1)) == []
    found = broken_now(fleet(hosts, guests, rule))
    assert [v.breach.where for v in found] == ["a+b", "a+c", "b+c"]
    assert found[0].breach.text == "if a, b are lost, 1 guest (gb) can't start elsewhere"
    assert found[0].breach.host is None


def test_a_rack_may_be_lost() -> None:
    """A rack goes with all its hosts, and a host outside the racks is never lost but takes over."""
    hosts = [host("a", rack="r1"), host("b", rack="r1"), host("c", rack="r2"), host("d", 4)]
    guests = [guest("g", "a", 6), guest("h", "b", 6), guest("i", "c", 4), guest("j", "d", 1)]
    rule = Headroom(name="rack", domain="rack")
    found = broken_now(fleet(hosts, guests, rule))
    assert [v.breach.where for v in found] == ["r1"]
    assert found[0].breach.text == "if rack r1 is lost, 1 guest (h) can't start elsewhere"


def test_only_active_hosts_of_the_rule_take_over() -> None:
    """A host in maintenance, or one that the rule doesn't name, is no help."""
    guests = [guest("g", "a", 6), guest("h", "b", 6)]
    spare = fleet([host("a"), host("b"), host("c")], guests, N_PLUS_1)
    assert broken_now(spare) == []
    closed = fleet([host("a"), host("b"), host("c", state=HostState.MAINTENANCE)], guests, N_PLUS_1)
    assert len(broken_now(closed)) == 2
    narrow = Headroom(name="ab", hosts=("a", "b"))
    assert len(broken_now(spare.changed(rules=(narrow,)))) == 2


def test_a_soft_resource_asks_for_no_headroom() -> None:
    """What is never refused needs no room kept free."""
    cpu = Resource("cpu", "millicores", hard=False)
    hosts = [host("a", more={"cpu": 4}), host("b", more={"cpu": 4})]
    guests = [guest("g", "a", more={"cpu": 4}), guest("h", "b", more={"cpu": 4})]
    assert broken_now(fleet(hosts, guests, N_PLUS_1, resources=(cpu,))) == []


def test_a_full_host_is_no_trouble_where_others_take_over() -> None:
    """An overloaded host that remains takes nobody, and by itself it strands nobody."""
    hosts = [host("a"), host("b"), host("c", 2)]
    guests = [guest("g", "a", 3), guest("h", "b", 3), guest("i", "c", 3)]
    found = [v.breach.rule for v in broken_now(fleet(hosts, guests, N_PLUS_1))]
    assert found == ["capacity"]


def test_headroom_is_asked_for_at_the_end() -> None:
    """On the way the fleet may lean on one host, unless the rule says always."""
    hosts = [host("a"), host("b"), host("c")]
    guests = [guest("g", "a", 6), guest("h", "b", 4)]
    lean = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "c")))
    assert texts(fleet(hosts, guests, N_PLUS_1), lean) == []
    narrow = Headroom(name="ab", hosts=("a", "b"), when=When.ALWAYS)
    crowd = [guest("g", "c", 6), guest("h", "b", 6)]
    join = plan(step(0, 10, ("g", "c", "a")))
    found = texts(fleet(hosts, crowd, narrow), join)
    assert found[0] == (0, "if b is lost, 1 guest (h) can't start elsewhere")


def test_a_mover_may_start_again_where_it_was_going() -> None:
    """A guest whose source is lost needs no second room on the host that it is moving to."""
    rule = Headroom(name="always", when=When.ALWAYS)
    cluster = fleet([host("a"), host("b")], [guest("g", "a", 8)], rule)
    assert texts(cluster, plan(step(0, 10, ("g", "a", "b")))) == []


def test_more_hosts_to_lose_than_there_are_means_all() -> None:
    """Losing two of two hosts strands every guest."""
    rule = Headroom(name="n+2", lose=2)
    cluster = fleet([host("a"), host("b")], [guest("g", "a", 1)], rule)
    assert broken_now(cluster)[0].breach.where == "a+b"


def test_losing_nothing_is_refused() -> None:
    """A headroom for no loss is refused when the rule is made."""
    with pytest.raises(ValueError, match="lose is 0, but must be at least 1"):
        Headroom(lose=0)


def test_moving_a_guest_may_restore_headroom() -> None:
    """A small guest in the way of a large one moves aside, and the loss is survived."""
    hosts = [host("a", 12), host("b", 8), host("c", 9)]
    guests = [guest("g", "a", 6), guest("h", "a", 6), guest("small", "b", 3)]
    cluster = fleet(hosts, guests, N_PLUS_1)
    (now,) = broken_now(cluster)
    assert now.breach.text == "if a is lost, 1 guest (h) can't start elsewhere"
    assert verify(cluster, {"small": "c"}) == []


def test_what_first_fit_misses_a_search_finds() -> None:
    """4, 3, 3, 2 fit into rooms of 6 and 6 only as 4+2 and 3+3: a way that exists is found."""
    survey = Survey({"a": {"memory": 6}, "b": {"memory": 6}})
    wanted = {f"g{i}": {"memory": size} for i, size in enumerate((4, 3, 3, 2))}
    assert survey.stranded(wanted, (), {}) == []
    assert survey.stranded({**wanted, "g9": {"memory": 1}}, (), {}) != []


def test_small_packings_agree_with_trying_everything() -> None:
    """Of 2,000 random packings in two resources none is called impossible that is possible."""
    rng = random.Random(7)
    impossible = 0
    for _ in range(2_000):
        rooms = {f"h{i}": {"m": rng.randint(0, 9), "c": rng.randint(0, 9)} for i in range(3)}
        wanted = {
            f"g{i}": {"m": rng.randint(0, 5), "c": rng.randint(0, 5)}
            for i in range(rng.randint(1, 5))
        }
        fits = any_assignment(list(wanted.values()), list(rooms.values()))
        impossible += not fits
        assert (Survey(rooms).stranded(wanted, (), {}) == []) == fits
    assert 200 < impossible < 1_800


def any_assignment(wanted: list[dict[str, int]], rooms: list[dict[str, int]]) -> bool:
    for choice in product(range(len(rooms)), repeat=len(wanted)):
        taken = [
            {r: sum(w[r] for w, c in zip(wanted, choice, strict=True) if c == i) for r in "mc"}
            for i in range(len(rooms))
        ]
        if all(t[r] <= room[r] for t, room in zip(taken, rooms, strict=True) for r in "mc"):
            return True
    return False


def test_a_large_fleet_is_surveyed_in_seconds() -> None:
    """The loss of each of 1,000 nearly full hosts is judged within ten seconds of CPU."""
    hosts = [host(f"h{i}", 100) for i in range(1_000)]
    guests = [guest(f"g{i}", f"h{i % 1_000}", 18 + i % 3) for i in range(4_900)]
    before = time.process_time()
    broken_now(fleet(hosts, guests, N_PLUS_1))
    assert time.process_time() - before < 10
