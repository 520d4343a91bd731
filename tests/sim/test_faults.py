# SPDX-License-Identifier: Apache-2.0
"""Faults on demand: each does what it says, strikes where it was meant to, and repeats."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.drivers.base import Refused, TaskState, Unreachable
from moorage.drivers.simulator import (
    Effect,
    Fault,
    GuestVanishes,
    HostDies,
    MoveFault,
    RandomFaults,
    Simulator,
    SlowLink,
    read_faults,
    write_faults,
)
from moorage.model import Action, BadInput, Dirtying, HostState
from tests.sim.small import finish, guest, lasts_s, move, simulator, where

CALM = Dirtying()


def struck(*faults: Fault, **fields: Any) -> tuple[Simulator, str]:
    """A move of a guest of 8 GiB from a to b, eight seconds long, with these faults."""
    sim = simulator(guest("g", memory_gib=8, dirtying=CALM, **fields), faults=faults)
    return sim, move(sim, "g", "b")


@pytest.mark.parametrize("percent", [0, 40, 100])
def test_a_move_fails_where_it_was_told_to(percent: int) -> None:
    """It fails in the second in which it gets so far, and the guest stays where it was."""
    sim, task = struck(MoveFault(Effect.FAIL, at_percent=percent))
    ended = finish(sim, task)
    assert ended.state is TaskState.FAILED
    assert ended.reason == "platform_error"
    assert min(percent, 99) <= ended.percent <= percent + 100 // 8
    assert where(sim, "g") == "a"
    assert sim.state.holds("g") == ("a",)


def test_a_move_that_hangs_ends_only_by_a_cancel() -> None:
    """It stands still at its percentage, without an end in sight, and takes no bandwidth."""
    sim, task = struck(MoveFault(Effect.HANG, at_percent=50))
    sim.advance(5_000)
    told = sim.poll(task)
    assert told.state is TaskState.RUNNING
    assert told.remaining_s is None
    assert 25 <= told.percent <= 50
    assert sim.state.holds("g") == ("a", "b")
    sim.cancel(task)
    assert sim.poll(task).state is TaskState.CANCELLED
    assert sim.state.holds("g") == ("a",)


def test_a_move_that_stalls_goes_on_and_is_done() -> None:
    """It takes as much longer as it stood still, give or take the second in which it stopped."""
    quick, task = struck()
    usual = lasts_s(quick, task)
    sim, task = struck(MoveFault(Effect.STALL, at_percent=50, for_s=100))
    assert usual + 100 <= lasts_s(sim, task) <= usual + 101
    assert where(sim, "g") == "b"


def test_a_move_reported_as_failed_may_be_done() -> None:
    """The task says failed; a snapshot sees the guest on its target."""
    sim, task = struck(MoveFault(Effect.SAY_FAILED))
    assert finish(sim, task).state is TaskState.FAILED
    assert where(sim, "g") == "b"
    assert sim.state.holds("g") == ("b",)


def test_a_move_reported_as_done_may_not_be() -> None:
    """The task says done; a snapshot sees the guest on its source."""
    sim, task = struck(MoveFault(Effect.SAY_DONE))
    assert finish(sim, task).state is TaskState.DONE
    assert where(sim, "g") == "a"
    assert sim.state.holds("g") == ("a",)


def test_a_silent_platform_answers_again() -> None:
    """Polls raise for a while once the fault has struck; the move goes on meanwhile."""
    sim, task = struck(MoveFault(Effect.NO_ANSWER, at_percent=25, for_s=60))
    sim.advance(10)
    with pytest.raises(Unreachable):
        sim.poll(task)
    assert where(sim, "g") == "b"
    sim.advance(60)
    assert sim.poll(task).state is TaskState.DONE


@pytest.mark.parametrize("dies", ["a", "b"])
def test_a_host_that_dies_takes_its_moves_with_it(dies: str) -> None:
    """Whichever end dies, the move fails as unreachable and the guest is on its source."""
    sim, task = struck(HostDies(dies, at_s=3))
    ended = finish(sim, task)
    assert (ended.state, ended.reason) == (TaskState.FAILED, "host_unreachable")
    assert sim.now_s == 3
    seen = sim.snapshot()
    assert seen.guests["g"].host == "a"
    assert seen.hosts[dies].state is HostState.DOWN


def test_a_dead_host_takes_nobody_until_it_is_back() -> None:
    """Moves into a dead host are refused; once it is back they go through."""
    sim = simulator(guest("g"), faults=[HostDies("b", at_s=0, back_at_s=50)])
    with pytest.raises(Refused):
        move(sim, "g", "b")
    sim.advance(50)
    assert sim.snapshot().hosts["b"].state is HostState.ACTIVE
    assert finish(sim, move(sim, "g", "b")).state is TaskState.DONE


def test_guests_of_a_dead_host_can_be_started_elsewhere() -> None:
    """A guest whose host died is still listed there, and starts anew on another."""
    sim = simulator(guest("g"), faults=[HostDies("a", at_s=10)])
    sim.advance(20)
    assert where(sim, "g") == "a"
    with pytest.raises(Refused):
        move(sim, "g", "b")
    finish(sim, sim.start(Action("g", None, "b")))
    assert where(sim, "g") == "b"


def test_a_guest_on_local_disks_is_lost_with_its_host() -> None:
    """What lies on the disks of a dead host can't be started elsewhere."""
    sim = simulator(guest("g", disk_gib=1), faults=[HostDies("a", at_s=0)])
    with pytest.raises(Refused, match="the disks of g are on a"):
        sim.start(Action("g", None, "b"))


def test_a_guest_that_vanishes_is_gone() -> None:
    """It is in no snapshot, holds no room, and its move fails."""
    sim, task = struck(GuestVanishes("g", at_s=4))
    ended = finish(sim, task)
    assert (ended.state, ended.reason) == (TaskState.FAILED, "guest_vanished")
    assert "g" not in sim.snapshot().guests
    assert sim.state.held_on("a") == sim.state.held_on("b") == ()
    with pytest.raises(Refused):
        move(sim, "g", "b")


def test_a_slow_link_makes_moves_slow_while_it_lasts() -> None:
    """At a quarter of the bandwidth a move takes four times as long; afterwards as usual."""
    sim = simulator(
        guest("g", memory_gib=8, dirtying=CALM), faults=[SlowLink("b", 250, until_s=100)]
    )
    assert lasts_s(sim, move(sim, "g", "b")) == 32
    sim.advance(100)
    assert lasts_s(sim, move(sim, "g", "a")) == 8


def test_a_fault_strikes_the_nth_move_that_fits() -> None:
    """Only the second move of this guest into that host fails; all others are done."""
    fault = MoveFault(Effect.FAIL, guest="g", into="b", nth=2)
    sim = simulator(guest("g"), guest("h", "c"), faults=[fault])
    ends = []
    for name, target in (("h", "b"), ("g", "b"), ("g", "a"), ("g", "b"), ("g", "b")):
        ends.append(finish(sim, move(sim, name, target)).state)
    assert ends == ["done", "done", "done", "failed", "done"]


def test_random_faults_repeat_with_their_seed() -> None:
    """The same seed gives the same outcomes, another seed others, and the rate is kept."""

    def outcomes(seed: int) -> list[str]:
        sim = Simulator(simulator(guest("g")).state, seed, [RandomFaults(300, (Effect.FAIL,))])
        hosts = ["b", "a"]
        told = []
        for i in range(100):
            target = hosts[i % 2] if where(sim, "g") != hosts[i % 2] else hosts[(i + 1) % 2]
            told.append(finish(sim, move(sim, "g", target)).state.value)
        return told

    assert outcomes(1) == outcomes(1) != outcomes(2)
    assert 15 <= outcomes(1).count("failed") <= 45


def test_faults_of_unknown_names_are_refused() -> None:
    """A fault that could never strike, for a wrong name, is bad input."""
    for fault in (HostDies("x", 1), GuestVanishes("x", 1), MoveFault(Effect.FAIL, into="x")):
        with pytest.raises(BadInput, match=r"unknown (host|guest) 'x'"):
            simulator(guest("g"), faults=[fault])


# --- reading ------------------------------------------------------------------------------------

ALL: list[Fault] = [
    *(MoveFault(effect, "g", "b", 3, 10, 20) for effect in Effect),
    MoveFault(Effect.FAIL),
    HostDies("a", 1, 2),
    HostDies("a", 1),
    GuestVanishes("g", 5),
    SlowLink("b", 500, 1, 2),
    RandomFaults(20),
    RandomFaults(20, (Effect.FAIL, Effect.HANG)),
]


def test_faults_are_read_as_they_are_written() -> None:
    """Writing and reading every kind of fault gives it back."""
    assert read_faults(write_faults(ALL)) == tuple(ALL)


def test_faults_are_read_from_a_mapping() -> None:
    """A document as YAML gives it: short, with defaults, and perhaps under a key."""
    rows = [
        {"fail": {"guest": "g", "nth": 2}},
        {"hang": None},
        {"host_dies": {"host": "a", "at_s": 9}},
    ]
    read = read_faults({"faults": rows})
    assert read == (
        MoveFault(Effect.FAIL, guest="g", nth=2),
        MoveFault(Effect.HANG),
        HostDies("a", 9),
    )
    assert read_faults(rows) == read


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ("fail", "faults"),
        ([3], "faults[0]"),
        ([{}], "faults[0]"),
        ([{"fail": {}, "hang": {}}], "faults[0]"),
        ([{"explode": {}}], "faults[0].explode"),
        ([{"fail": {"gust": "g"}}], "faults[0].fail"),
        ([{"fail": {"effect": "hang"}}], "faults[0].fail"),
        ([{"fail": {"nth": 0}}], "faults[0].fail.nth"),
        ([{"fail": {"nth": True}}], "faults[0].fail.nth"),
        ([{"fail": {"guest": 7}}], "faults[0].fail.guest"),
        ([{"fail": {"at_percent": 101}}], "faults[0].fail.at_percent"),
        ([{"host_dies": {"host": "a"}}], "faults[0].host_dies"),
        ([{"host_dies": {"host": "a", "at_s": -1}}], "faults[0].host_dies.at_s"),
        ([{"random": {"permille": 5, "effects": ["boom"]}}], "faults[0].random.effects[0]"),
        ([{"random": {"permille": 5, "effects": "fail"}}], "faults[0].random.effects"),
        ([{"slow_link": []}], "faults[0].slow_link"),
    ],
)
def test_a_wrong_fault_is_refused_with_its_place(document: object, place: str) -> None:
    """Whatever is wrong is named by the place where it stands."""
    with pytest.raises(BadInput) as caught:
        read_faults(document)
    assert caught.value.place == place


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["faults", *Effect, "host_dies", "random", "slow_link", "guest", "host",
                         "at_s", "permille", "effects", "nth"]) | st.integers(),
        inner, max_size=3,
    ),
    max_leaves=8,
)  # fmt: skip


@given(document=PLAIN)
def test_nonsense_is_refused_in_an_orderly_way(document: object) -> None:
    """Any plain value is read as faults, or refused as bad input, and nothing else happens."""
    with suppress(BadInput):
        read_faults(document)
