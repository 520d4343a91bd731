# SPDX-License-Identifier: Apache-2.0
"""Moves on the simulated platform: how long they take, what they hold, what is refused."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.drivers.base import Driver, Refused, TaskState, UnknownTask
from moorage.drivers.simulator import Simulator, begin, forecast_s, open_simulator
from moorage.model import (
    CPU,
    MEMORY,
    Action,
    Dirtying,
    Fleet,
    FrozenMap,
    GuestKind,
    HostState,
    Link,
    Rule,
    Volume,
)
from moorage.rules.apart import Apart
from moorage.rules.together import Together
from tests.sim.small import GIB, finish, fleet, guest, lasts_s, move, simulator, where
from tests.strategies import fleets

CALM = Dirtying()
"""A guest that writes nothing while it moves."""


def test_the_simulator_is_a_driver() -> None:
    """The simulator has all that the protocol asks of a driver."""
    assert isinstance(simulator(guest("g")), Driver)


# --- safety: what a move holds ------------------------------------------------------------------


def test_a_move_holds_both_ends_until_it_is_done() -> None:
    """From start to end the guest takes room on both hosts; afterwards on the target only."""
    sim = simulator(guest("g"))
    task = move(sim, "g", "b")
    held = {sim.state.holds("g")}
    while not sim.poll(task).state.is_final:
        held.add(sim.state.holds("g"))
        assert where(sim, "g") == "a"
        sim.advance(1)
    assert held == {("a", "b")}
    assert sim.state.holds("g") == ("b",)
    assert where(sim, "g") == "b"


def test_a_guest_on_the_move_is_locked() -> None:
    """A snapshot shows the lock while the guest moves, and no more when it has arrived."""
    sim = simulator(guest("g"))
    task = move(sim, "g", "b")
    assert sim.snapshot().guests["g"].lock == "migrate"
    finish(sim, task)
    assert sim.snapshot().guests["g"].lock is None


@given(fleet=fleets(), data=st.data())
def test_no_sequence_of_moves_overfills_a_host(fleet: Fleet, data: st.DataObject) -> None:
    """Whatever is asked for and when, no host holds more than is usable, unless it began so."""
    sim = Simulator(begin(fleet))
    guests, hosts = sorted(fleet.guests), sorted(fleet.hosts)
    before = _overfull(sim)
    for _ in range(data.draw(st.integers(1, 8))):
        name = data.draw(st.sampled_from(guests))
        action = Action(name, sim.state.host_of(name), data.draw(st.sampled_from(hosts)))
        with suppress(Refused):
            sim.start(action)
        for place, over in _overfull(sim).items():
            assert over <= before.get(place, 0)
        sim.advance(data.draw(st.integers(0, 400)))


def _overfull(sim: Simulator) -> dict[tuple[str, str], int]:
    """Return {(host, resource): how much too much guests hold there}."""
    fleet = sim.state.world.fleet
    over: dict[tuple[str, str], int] = {}
    for name, there in fleet.hosts.items():
        for resource in fleet.resources.values():
            held = sim.state.held_on(name)
            taken = sum(fleet.demand_of(g).get(resource.id, 0) for g in held)
            if resource.hard and taken > there.usable(resource.id):
                over[name, resource.id] = taken - there.usable(resource.id)
    return over


def test_what_two_moves_bring_counts_before_they_arrive() -> None:
    """A host with room for one more of two guests refuses the second while the first comes."""
    sim = simulator(guest("g", memory_gib=10), guest("h", "c", memory_gib=10))
    move(sim, "g", "b")
    with pytest.raises(Refused, match=r"10 GiB of memory wanted, 6 GiB free") as caught:
        move(sim, "h", "b")
    assert caught.value.reason == "no_capacity_memory"


# --- liveness: how long a move takes ------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({"memory_gib": 4, "dirtying": CALM}, 4),
        ({"memory_gib": 12, "dirtying": CALM}, 12),
        ({"memory_gib": 4, "disk_gib": 6, "dirtying": CALM}, 10),
        ({"kind": GuestKind.CONTAINER}, 10),
        ({"kind": GuestKind.CONTAINER, "disk_gib": 20}, 30),
        ({"kind": GuestKind.MICROVM, "memory_gib": 2, "disk_gib": 1}, 4),
        ({"stopped": True, "disk_gib": 7}, 7),
        ({"stopped": True}, 1),
    ],
)
def test_a_move_takes_the_time_to_copy_what_it_copies(fields: dict[str, Any], seconds: int) -> None:
    """At 1 GiB a second: memory of virtual machines, local disks of all, stop and start."""
    sim = simulator(guest("g", **fields))
    assert lasts_s(sim, move(sim, "g", "b")) == seconds
    assert where(sim, "g") == "b"


@pytest.mark.parametrize(
    ("hot_mib", "period_ms", "cold_kib_s", "seconds"),
    [
        (0, 1000, 0, 12),
        (5, 2000, 0, 13),
        # dirtied on the way: 12 s x 256 MiB = 3 GiB, sent at 768 MiB/s net
        (0, 1000, 256 * 1024, 16),
        # 512 MiB hot, half of them dirty again after each pass
        (512, 1000, 0, 13),
    ],
)
def test_what_a_guest_writes_makes_its_move_longer(
    hot_mib: int, period_ms: int, cold_kib_s: int, seconds: int
) -> None:
    """Cold pages cost a second round, hot ones passes that get shorter, as the formula says."""
    writes = Dirtying(hot_mib, period_ms, cold_kib_s)
    sim = simulator(guest("g", memory_gib=12, dirtying=writes))
    assert lasts_s(sim, move(sim, "g", "b")) == seconds


@pytest.mark.parametrize(
    "writes", [Dirtying(0, 1000, 2048 * 1024), Dirtying(2048, 1000, 0)], ids=["cold", "hot"]
)
def test_a_guest_that_writes_faster_than_the_network_does_not_converge(writes: Dirtying) -> None:
    """Such a move sends its memory a few times over, fails with the reason, and changes nothing."""
    sim = simulator(guest("g", dirtying=writes))
    ended = finish(sim, move(sim, "g", "b"))
    assert (ended.state, ended.reason) == (TaskState.FAILED, "does_not_converge")
    assert ended.transferred_mib > 3 * 4 * GIB
    assert where(sim, "g") == "a"
    assert sim.state.holds("g") == ("a",)


def test_hot_memory_that_fits_into_a_short_stop_converges() -> None:
    """A guest that rewrites 100 MiB all the time is stopped for a moment and moved."""
    sim = simulator(guest("g", dirtying=Dirtying(100, 10, 0)))
    assert finish(sim, move(sim, "g", "b")).state is TaskState.DONE


def test_moves_over_the_same_network_share_it() -> None:
    """Two moves into one host take twice as long as one; two that don't meet take no longer."""
    pair = (guest("g", dirtying=CALM), guest("h", "b", dirtying=CALM))
    into_one = simulator(*pair)
    move(into_one, "g", "c")
    assert lasts_s(into_one, move(into_one, "h", "c")) == 8
    apart = simulator(*pair)
    move(apart, "g", "b")
    assert lasts_s(apart, move(apart, "h", "c")) == 4


def test_the_slowest_piece_of_the_path_decides() -> None:
    """A link between hosts that is slower than both makes the move as slow as it is."""
    linked = fleet(guest("g", dirtying=CALM)).changed(
        links=(Link("uplink", 9 * 256, (("a",), ("b", "c"))),)
    )
    sim = Simulator(begin(linked))
    assert lasts_s(sim, move(sim, "g", "b")) == 16


def test_a_container_stands_still_while_it_moves() -> None:
    """A container uses no CPU from its stop to its start, a virtual machine does nearly always."""
    sim = open_simulator("sim:homelab")
    task = move(sim, "pihole-1", "tower")
    assert (sim.snapshot().guests["pihole-1"].load.cpu_millicores or 0) == 0
    finish(sim, task)
    assert (sim.snapshot().guests["pihole-1"].load.cpu_millicores or 0) > 0


def test_a_guest_of_a_dead_host_is_started_elsewhere() -> None:
    """From nowhere to a host: a virtual machine starts anew, in the time that takes."""
    sim = simulator(guest("g"), a={"state": HostState.DOWN})
    task = sim.start(Action("g", None, "b"))
    assert lasts_s(sim, task) == 15
    assert where(sim, "g") == "b"


def test_progress_goes_forward_and_ends_at_hundred() -> None:
    """Percent and transferred never fall, 100 comes only with the end, and an end is foreseen."""
    sim = simulator(guest("g", memory_gib=12, dirtying=Dirtying(64, 1000, 100 * 1024)))
    task = move(sim, "g", "b")
    told = [sim.poll(task)]
    while not told[-1].state.is_final:
        sim.advance(1)
        told.append(sim.poll(task))
    percents = [p.percent for p in told]
    assert percents == sorted(percents)
    assert percents[0] == 0
    assert percents[-1] == 100 > percents[-2]
    assert [p.transferred_mib for p in told] == sorted(p.transferred_mib for p in told)
    assert all(p.remaining_s for p in told[:-1])


def test_a_forecast_is_what_happens() -> None:
    """The forecast of a move is its real duration, and asking changes nothing."""
    sim = simulator(guest("g", memory_gib=9, disk_gib=5))
    action = Action("g", "a", "c")
    before = sim.state
    forecast = forecast_s(sim.state, action)
    assert sim.state == before
    assert forecast == lasts_s(sim, sim.start(action))


# --- cancelling and asking ----------------------------------------------------------------------


def test_a_cancelled_move_leaves_the_guest_where_it_was() -> None:
    """After a cancel the guest is on its source, alone, and may be moved again."""
    sim = simulator(guest("g"))
    task = move(sim, "g", "b")
    sim.advance(2)
    sim.cancel(task)
    assert sim.poll(task).state is TaskState.CANCELLED
    assert sim.state.holds("g") == ("a",)
    assert finish(sim, move(sim, "g", "c")).state is TaskState.DONE


def test_cancelling_what_has_ended_changes_nothing() -> None:
    """A final task stays what it is."""
    sim = simulator(guest("g"))
    task = move(sim, "g", "b")
    finish(sim, task)
    before = sim.state
    sim.cancel(task)
    assert sim.state == before


def test_asking_changes_nothing() -> None:
    """Snapshots and polls leave the state as it is."""
    sim = simulator(guest("g"))
    task = move(sim, "g", "b")
    before = sim.state
    sim.snapshot()
    sim.poll(task)
    assert sim.state == before


def test_an_unknown_task_is_told() -> None:
    """Polling or cancelling a task that never was is an error of its own."""
    sim = simulator(guest("g"))
    for ask in (sim.poll, sim.cancel):
        with pytest.raises(UnknownTask):
            ask("sim-9999")


@given(cuts=st.lists(st.integers(0, 9), max_size=12))
def test_time_in_pieces_is_time_in_one(cuts: list[int]) -> None:
    """However a span is cut, the state at its end is the same."""
    once, cut = (simulator(guest("g"), guest("h", "c", disk_gib=9)) for _ in range(2))
    for sim in (once, cut):
        move(sim, "g", "b")
        move(sim, "h", "b")
    once.advance(sum(cuts))
    for seconds in cuts:
        cut.advance(seconds)
    assert once.state == cut.state


# --- refusals -----------------------------------------------------------------------------------

REFUSALS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "memory": ({"memory_gib": 17}, {}, "no_capacity_memory"),
    "local disk": ({"disk_gib": 501}, {}, "no_capacity_disk"),
    "reserve": ({}, {"reserve": FrozenMap({MEMORY: 13 * GIB})}, "no_capacity_memory"),
    "down": ({}, {"state": HostState.DOWN}, "host_unreachable"),
    "maintenance": ({}, {"state": HostState.MAINTENANCE}, "maintenance"),
    "disabled": ({}, {"state": HostState.DISABLED}, "host_disabled"),
    "device": ({"devices": FrozenMap({"gpu": 1})}, {}, "device_missing"),
    "cpu": ({"cpu_features": ("avx512",)}, {}, "cpu_incompatible"),
    "vcpus": ({}, {"cores": 0}, "vcpus_exceed_cores"),
    "lock": ({"lock": "backup"}, {}, "locked"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_the_platform_refuses_what_no_hypervisor_would_start(case: str) -> None:
    """Each lack is refused at the start with its reason, and nothing has changed."""
    of_guest, of_host, reason = REFUSALS[case]
    sim = simulator(guest("g", **of_guest), b=of_host)
    before = sim.state
    with pytest.raises(Refused) as caught:
        move(sim, "g", "b")
    assert caught.value.reason == reason
    assert sim.state == before


def test_a_volume_keeps_its_guest_at_home() -> None:
    """A guest with a local volume isn't moved away from it."""
    base = fleet(guest("g", volumes=("v",)))
    sim = Simulator(begin(base.changed(volumes=FrozenMap({"v": Volume("v", home="a")}))))
    with pytest.raises(Refused) as caught:
        move(sim, "g", "b")
    assert caught.value.reason == "volume_locality_no_node"


@pytest.mark.parametrize(
    "action",
    [
        Action("ghost", "a", "b"),
        Action("g", "b", "c"),
        Action("g", "a", "a"),
        Action("g", None, "b"),
        Action("g", "a", "nowhere"),
    ],
)
def test_a_move_that_makes_no_sense_is_refused(action: Action) -> None:
    """Unknown names, a wrong source, and a target that is the source are refused."""
    with pytest.raises(Refused):
        simulator(guest("g")).start(action)


def test_a_guest_is_moved_once_at_a_time() -> None:
    """A second move of a guest is refused while the first runs."""
    sim = simulator(guest("g"))
    move(sim, "g", "b")
    with pytest.raises(Refused) as caught:
        move(sim, "g", "c")
    assert caught.value.reason == "locked"


@pytest.mark.parametrize(
    ("rule", "refused"),
    [
        (Apart(name="r", guests=("g", "h")), False),
        (Apart(name="r", guests=("g", "h"), origin="pve"), True),
        (Apart(name="r", guests=("g", "h"), origin="nova"), True),
        (Together(name="r", guests=("g", "k"), origin="nova"), True),
        (Together(name="r", guests=("g", "k"), origin="pve"), False),
        (Together(name="r", guests=("g", "k")), False),
    ],
)
def test_the_platform_enforces_its_own_rules_and_no_others(rule: Rule, refused: bool) -> None:
    """Rules of Proxmox and Nova are enforced at the start of a move; ours it doesn't know."""
    sim = simulator(guest("g"), guest("h", "b"), guest("k"), rules=(rule,))
    if refused:
        with pytest.raises(Refused) as caught:
            move(sim, "g", "b")
        assert caught.value.reason == f"{rule.kind}_host"
    else:
        move(sim, "g", "b")


def test_overcommitted_cpu_is_not_refused() -> None:
    """What may be given out more than once is refused only beyond that."""
    twice = {"overcommit_permille": FrozenMap({CPU: 2000}), "cores": 64}
    small = guest("g")
    sim = simulator(replace(small, demand=small.demand.with_items({CPU: 12_000})), b=twice)
    assert move(sim, "g", "b")
