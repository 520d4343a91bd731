# SPDX-License-Identifier: Apache-2.0
"""Balance: its formula in words, moves that pay, and the fixpoint that follows from it."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil, floor, gcd
from typing import Any

import numpy as np
import pytest

from moorage.goals import goal_tiers
from moorage.model.errors import TooLarge
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest, GuestKind, Load
from moorage.model.hosts import Health, Host, HostState, Pressure, Verdict
from moorage.model.resources import Resource
from moorage.problem import Objective, Problem, compile_fleet
from moorage.rules.pin import Pin
from moorage.rules.stay import Stay
from tests.tiny import fleet, guest, host

After = dict[str, str]
GIB = 1024


def balance(problem: Problem, **options: Any) -> Objective:
    """Return the goal as an objective."""
    found = goal_tiers(problem, GoalChoice("balance", FrozenMap(options)))[-1].objective
    assert found is not None
    return found


def value(fleet: Fleet, after: After | None = None, **options: Any) -> int:
    """What the goal is worth where guests are, or end."""
    problem = compile_fleet(fleet)
    placement = problem.start if after is None else problem.indices({**fleet.placement, **after})
    return balance(problem, **options).value(problem, placement)


def some_fleet(rng: random.Random, *, measured: bool = False) -> Fleet:
    """Hosts of several sizes and guests at random."""
    names = [f"h{i}" for i in range(5)]
    hosts = [host(n, rng.choice([64, 128]) * GIB, more={"cpu": 32_000}) for n in names]
    guests = [
        guest(
            f"g{i}",
            rng.choice(names),
            rng.randrange(1, 12) * GIB,
            more={"cpu": 2000},
            load=Load(cpu_millicores=rng.randrange(4000)) if measured else Load(),
            kind=rng.choice([GuestKind.VM, GuestKind.CONTAINER]),
        )
        for i in range(30)
    ]
    return fleet(hosts, guests)


def somewhere(rng: random.Random, fleet: Fleet) -> After:
    """Each guest anywhere."""
    return {g: rng.choice(list(fleet.hosts)) for g in fleet.guests}


def in_words(fleet: Fleet, after: After) -> Fraction:
    """Imbalance and moves as they are written down, in exact fractions."""
    rooms = {h.id: h.usable("memory") for h in fleet.hosts.values()}
    total, load = sum(rooms.values()), sum(g.demand["memory"] for g in fleet.guests.values())
    mean = Fraction(load, total)
    typical = mean * len(rooms) / len(fleet.guests)
    band = min(max(Fraction(1, 100), (typical - Fraction(5, 100)) / 2), Fraction(10, 100))
    cores = {h.id: h.capacity["cpu"] for h in fleet.hosts.values()}
    busy = sum(g.load.cpu_millicores or 0 for g in fleet.guests.values())
    ceiling = max(Fraction(busy, sum(cores.values())) + Fraction(15, 100), Fraction(70, 100))
    unit = gcd(*(g.demand["memory"] for g in fleet.guests.values()))
    cost = Fraction(0)
    for name, room in rooms.items():
        here = [g for g in fleet.guests.values() if after[g.id] == name]
        memory = sum(g.demand["memory"] for g in here)
        for tenths, price in ((10, 16), (14, 64), (40, 64)):
            reach = band * room * tenths / 10
            # The last loads within the window that guests can add up to.
            low, high = ceil((mean * room - reach) / unit), floor((mean * room + reach) / unit)
            bottom, top = sorted((low * unit, high * unit))
            cost += price * max(0, memory - top, bottom - memory)
        hot = sum(g.load.cpu_millicores or 0 for g in here) - ceiling * cores[name]
        cost += 16 * max(Fraction(0), hot) * total / sum(cores.values())
    return cost + sum(move_price(g) for g in fleet.guests.values() if after[g.id] != g.host)


def move_price(guest: Guest) -> int:
    """What a move costs."""
    stop = 2048 if guest.kind is GuestKind.CONTAINER else 0
    return 2048 + guest.demand["memory"] + 4 * guest.demand.get("disk:local", 0) + stop


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("measured", [False, True])
def test_the_value_is_what_is_written_down(seed: int, measured: bool) -> None:
    """Imbalance and moves add up to the formula; only rounding to whole MiB differs."""
    rng = random.Random(seed)
    made = some_fleet(rng, measured=measured)
    for _ in range(5):
        after = somewhere(rng, made)
        wanted = in_words(made, after)
        # A window is cut to millionths, a load to MiB: a few MiB a host, at the highest price.
        assert abs(value(made, after) - wanted) <= 144 * (5 * len(made.hosts) + len(made.guests))


@pytest.mark.parametrize("seed", range(10))
def test_a_fleet_is_judged_by_the_same_numbers_after_its_plan(seed: int) -> None:
    """What a placement is worth beside its moves doesn't depend on where guests are now."""
    rng = random.Random(seed)
    before = some_fleet(rng, measured=True)
    pinned = Pin(name="pin", guests=("g1", "g2"), hosts=("h1",))
    closed = before.hosts["h3"]
    unwell = Host("h3", capacity=closed.capacity, verdict=Verdict(Health.CRITICAL))
    before = before.changed(
        rules=(pinned, Stay(name="stay", guests=("g3",))),
        hosts=before.hosts.with_items({"h3": unwell}),
    )
    # A plan repairs what is broken, and moves nobody onto or off the closed host.
    after = {g: h for g, h in somewhere(rng, before).items() if h != "h3"}
    after = {g: h for g, h in after.items() if before.guests[g].host != "h3"}
    after |= {"g1": "h1", "g2": "h1", "g3": str(before.guests["g3"].host)}
    moved = before.changed(
        guests=before.guests.with_items(
            {g: Guest(**{**fields(before.guests[g]), "host": h}) for g, h in after.items()}
        )
    )
    one, two = compile_fleet(before), compile_fleet(moved)
    for _ in range(3):
        end = one.indices({**moved.placement, **somewhere(rng, before)})
        a, b = balance(one), balance(two)
        assert a.value(one, end) - a.move_value(one, end) == (
            b.value(two, end) - b.move_value(two, end)
        )


def fields(guest: Guest) -> dict[str, Any]:
    """The fields of a guest, to make another one of."""
    return {name: getattr(guest, name) for name in Guest.__dataclass_fields__}


@pytest.mark.parametrize("seed", range(10))
def test_going_straight_never_costs_more(seed: int) -> None:
    """Moves from now to an end cost at most those by way of any other placement."""
    rng = random.Random(seed)
    made = some_fleet(rng)
    problem = compile_fleet(made)
    middle, end = (problem.indices(somewhere(rng, made)) for _ in range(2))
    price = balance(problem).move_price
    onwards = int(price[middle != end].sum())
    goal = balance(problem)
    assert goal.move_value(problem, end) <= goal.move_value(problem, middle) + onwards


def test_a_second_run_finds_nothing() -> None:
    """From the best placement of a small fleet, no other one is better any more."""
    made = fleet(
        [host("h1", 64 * GIB), host("h2", 64 * GIB)],
        [guest(f"g{i}", "h1", (i + 1) * GIB) for i in range(7)],
    )
    problem = compile_fleet(made)
    goal = balance(problem)
    ends = [np.array([n >> i & 1 for i in range(7)], dtype=np.int32) for n in range(128)]
    best = min(ends, key=lambda end: goal.value(problem, end))
    assert (best != problem.start).any()
    names = problem.placement(best)
    moved = {g: Guest(**{**fields(made.guests[g]), "host": h}) for g, h in names.items()}
    again = compile_fleet(made.changed(guests=FrozenMap(moved)))
    after = balance(again)
    assert min(after.value(again, end) for end in ends) == after.value(again, again.start)


def test_a_balanced_fleet_costs_nothing() -> None:
    """Within the band there is no reason to move anybody."""
    made = fleet(
        [host("h1", 100 * GIB), host("h2", 100 * GIB)],
        [guest(f"g{i}", f"h{i % 2 + 1}", GIB) for i in range(40)],
    )
    assert value(made) == 0


def test_one_stuck_host_does_not_hide_the_others() -> None:
    """Hosts are held to the mean of those that can reach it, and the stuck one pays nothing."""
    hosts = [host(f"h{i}", 100 * GIB) for i in range(3)]
    big = guest("big", "h0", 90 * GIB)
    even = [guest(f"g{i}", f"h{i % 2 + 1}", GIB) for i in range(40)]
    stay = Stay(name="stay", guests=("big",))
    assert value(fleet(hosts, [big, *even], stay)) == 0
    assert value(fleet(hosts, [big, *even])) > 0
    # What joins the stuck host costs, from its first MiB on.
    joined = value(fleet(hosts, [big, *even], stay), {"g0": "h0"})
    assert joined >= GIB * (16 + 64 + 64)


def test_a_pinned_guest_counts_where_it_will_be() -> None:
    """Load that is about to be stuck on a host is stuck there already."""
    hosts = [host(f"h{i}", 100 * GIB) for i in range(3)]
    even = [guest(f"g{i}", f"h{i % 2 + 1}", GIB) for i in range(40)]
    pin = Pin(name="pin", guests=("big",), hosts=("h0",))
    there = fleet(hosts, [guest("big", "h0", 90 * GIB), *even], pin)
    away = fleet(hosts, [guest("big", "h1", 90 * GIB), *even], pin)
    assert value(away, {"big": "h0"}) == value(there) + 2048 + 90 * GIB


@pytest.mark.parametrize("state", [HostState.MAINTENANCE, HostState.DRAINING, HostState.DOWN])
def test_closed_hosts_pay_nothing_once_they_are_empty(state: HostState) -> None:
    """A host that nobody may come onto isn't asked for its share."""
    hosts = [host("h0", 100 * GIB, state=state), host("h1", 100 * GIB), host("h2", 100 * GIB)]
    even = [guest(f"g{i}", f"h{i % 2 + 1}", GIB) for i in range(40)]
    assert value(fleet(hosts, even)) == 0


def test_hosts_that_admit_nobody_keep_whom_they_have() -> None:
    """Guests of an unwell host are not there to fill others."""
    unwell = host("h0", 100 * GIB, verdict=Verdict(Health.CRITICAL))
    hosts = [unwell, host("h1", 100 * GIB), host("h2", 100 * GIB)]
    kept = [guest(f"k{i}", "h0", GIB) for i in range(30)]
    uneven = [guest(f"g{i}", "h1", GIB) for i in range(30)]
    made = fleet(hosts, [*kept, *uneven])
    assert value(made, {"k0": "h2"}) > value(made)
    assert value(made, {"g0": "h2"}) < value(made)


def test_a_window_ends_where_guests_can_fill_a_host_to() -> None:
    """What lies in the window is free; where nothing can, the two loads next to it are."""
    hosts = [host(f"h{i}", 100 * GIB) for i in range(4)]
    # A mean of 51 GiB with a band of 10 %, which no number of guests of 34 GiB comes into.
    coarse = [guest(f"g{i}", f"h{i % 4}", 34 * GIB) for i in range(6)]
    assert value(fleet(hosts, coarse)) == 0
    assert value(fleet(hosts, coarse), {"g5": "h0"}) >= 34 * GIB * (1 + 16)
    # A band of 5 % around 56 GiB holds 51 to 61: with guests of 28, 56 alone.
    even = [guest(f"g{i}", f"h{i // 2}", 28 * GIB) for i in range(8)]
    assert value(fleet(hosts, even), {"g7": "h0"}, band_percent=5) >= 2 * 28 * GIB * (16 + 64)


def test_cpu_counts_only_where_it_was_measured() -> None:
    """Demanded CPU alone says nothing; what isn't measured counts like the others' average."""
    hosts = [host(f"h{i}", 100 * GIB, more={"cpu": 10_000}) for i in range(2)]

    def with_load(load: Load, other: Load) -> Fleet:
        each = [
            guest(f"g{i}", f"h{i % 2}", GIB, more={"cpu": 4000}, load=(load, other)[i % 2])
            for i in range(10)
        ]
        return fleet(hosts, each)

    assert value(with_load(Load(), Load())) == 0
    assert value(with_load(Load(cpu_millicores=1200), Load(cpu_millicores=1200))) == 0
    hot = value(with_load(Load(cpu_millicores=2000), Load(cpu_millicores=0)))
    # 10 of 10 cores, 3 above the ceiling of 7: 3/20 of all cores are worth 3/20 of all memory.
    assert hot == 16 * 200 * GIB * 3 // 20
    assert value(with_load(Load(cpu_millicores=2000), Load())) == 0


def test_weights_and_band_are_the_options() -> None:
    """Each dimension is weighed on its own, and the band is as wide as asked."""
    hosts = [host(f"h{i}", 100 * GIB, more={"disk:a": 1000 * GIB, "cpu": 8000}) for i in range(2)]
    stalls = Load(pressure=Pressure(io_bp=3000))
    guests = [
        *(guest(f"a{i}", "h0", GIB, more={"disk:a": 60 * GIB}, load=stalls) for i in range(10)),
        *(guest(f"b{i}", "h1", GIB) for i in range(10)),
    ]
    made = fleet(hosts, guests, resources=(Resource("disk:a", "MiB"),))
    assert value(made) == 0
    disk = value(made, weights=FrozenMap({"disk:a": 1}))
    assert disk > 0
    assert value(made, weights=FrozenMap({"disk:a": 2})) == 2 * disk
    assert value(made, weights=FrozenMap({"disk:a": 1, "memory": 0})) == disk
    assert value(made, weights=FrozenMap({"io_pressure": 1})) > 0
    uneven = made.changed(guests=made.guests.with_items({"c": guest("c", "h0", 8 * GIB)}))
    assert value(uneven) > value(uneven, band_percent=2) > value(uneven, band_percent=4) == 0


def test_amounts_that_leave_64_bits_are_refused() -> None:
    """A fleet beyond any size gets an error, never a wrong number."""
    vast = fleet([host(f"h{i}", 2**61) for i in range(3)], [guest("g", "h0", 2**44)])
    with pytest.raises(TooLarge):
        value(vast)


@pytest.mark.parametrize("memory", [1, 2, 5])
def test_what_is_worth_less_than_a_mib_is_left_out(memory: int) -> None:
    """Where hosts have next to no memory, all stalls of a host may come to less than a MiB."""
    load = Load(pressure=Pressure(cpu_bp=6000))
    hosts = [host("a", memory), host("b", memory), host("c", memory)]
    tiny = fleet(hosts, [guest("g", "a", load=load), guest("h", "b", load=load)])
    found = balance(compile_fleet(tiny), weights={"cpu_pressure": 1})
    assert found.amounts.shape[1] == (1 if memory == 1 else 2)
