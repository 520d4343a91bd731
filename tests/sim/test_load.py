# SPDX-License-Identifier: Apache-2.0
"""Load: a pure function of seed, guest and time; and what a host makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.drivers.simulator import NAMES, Simulator, begin, build, read_address
from moorage.drivers.simulator.contention import share
from moorage.drivers.simulator.load import (
    DAY_S,
    LEAK_S,
    Profile,
    Shape,
    Wanted,
    day_height,
    wanted,
)
from moorage.drivers.simulator.state import State
from moorage.model import Fleet

NIGHT_S = 16 * 3_600
"""From ten in the morning to two in the night."""


def at(name: str, second: int, seed: int = 1) -> Fleet:
    """What a fleet looks like at a second."""
    return Simulator(State(build(name, seed), now_s=second)).snapshot()


def want(profile: Profile, at_s: int, seed: int = 1, guest: str = "g") -> Wanted:
    """What a guest of 4 vCPUs and 8 GiB wants."""
    return wanted(profile, 4, 8 * 1024, seed=seed, guest=guest, at_s=at_s)


@pytest.mark.parametrize("name", NAMES)
def test_load_is_a_pure_function_of_time(name: str) -> None:
    """An instant looks the same whether it was jumped to or lived through, in any order."""
    lived = Simulator(begin(read_address(f"sim:{name}")))
    for _ in range(5):
        lived.advance(700)
        lived.snapshot()
    at(name, 9_999)
    assert lived.snapshot() == at(name, 3_500)


@pytest.mark.parametrize("name", NAMES)
def test_load_changes_over_time(name: str) -> None:
    """Guests do not want the same an hour later, and most of them differ."""
    now, later = at(name, 0), at(name, 3_600)
    changed = [g for g in now.guests if now.guests[g].load != later.guests[g].load]
    assert len(changed) > len(now.guests) // 2


@given(
    shape=st.sampled_from(Shape),
    cpu=st.integers(0, 1000),
    swing=st.integers(0, 1000),
    phase_s=st.integers(-DAY_S, DAY_S),
    at_s=st.integers(0, 100 * DAY_S),
    seed=st.integers(0, 1000),
)
def test_nobody_wants_more_than_it_was_given(
    shape: Shape, cpu: int, swing: int, phase_s: int, at_s: int, seed: int
) -> None:
    """Whatever the profile and the instant, load is between nothing and the guest's size."""
    profile = Profile(shape, cpu, swing, cpu, swing, 50, phase_s)
    wish = want(profile, at_s, seed)
    assert 0 <= wish.cpu_millicores <= 4_000
    assert 0 <= wish.memory_mib <= 8 * 1024
    assert 0 <= wish.io_permille <= 1000


def test_the_day_has_a_height_and_a_depth() -> None:
    """Half a day after the deepest point of the night the day stands highest."""
    assert day_height(NIGHT_S) == 0
    assert day_height(NIGHT_S + DAY_S // 2) == 1000
    assert day_height(NIGHT_S + DAY_S) == 0


def test_a_daily_guest_is_busier_at_noon_than_at_night() -> None:
    """A daily profile goes up by its swing from night to afternoon."""
    office = Profile(Shape.DAILY, cpu=100, cpu_swing=500)
    night, noon = want(office, NIGHT_S), want(office, NIGHT_S + DAY_S // 2)
    assert night.cpu_millicores < 500 < 2_000 < noon.cpu_millicores


def test_a_steady_guest_only_trembles() -> None:
    """A steady profile stays within its noise all day."""
    steady = Profile(Shape.STEADY, cpu=500)
    values = [want(steady, t).cpu_millicores for t in range(0, DAY_S, 600)]
    assert max(values) - min(values) <= 2_000 * 8 // 100


def test_a_bursty_guest_is_mostly_idle() -> None:
    """A bursty profile is at rest most of the time, and at its height some of it."""
    batch = Profile(Shape.BURSTY, cpu=50, cpu_swing=900)
    values = [want(batch, t).cpu_millicores for t in range(0, 10 * DAY_S, 60)]
    busy = sum(v > 2_000 for v in values)
    assert 0 < busy < len(values) // 2


def test_a_leak_grows_for_a_week_and_starts_anew() -> None:
    """A leaking profile takes more memory each day until the week is over."""
    leak = Profile(Shape.LEAKING, memory=200, memory_swing=700)
    week = [want(leak, day * DAY_S).memory_mib for day in range(8)]
    assert week[:7] == sorted(week[:7])
    assert week[0] == week[LEAK_S // DAY_S] < week[6]


def test_seeds_give_different_noise() -> None:
    """Two seeds do not give the same load."""
    bursty = Profile(Shape.BURSTY, cpu=200, cpu_swing=700)
    loads = {tuple(want(bursty, t, seed).cpu_millicores for t in range(50)) for seed in range(20)}
    assert len(loads) > 10


def test_a_busy_host_shares_its_cores_and_shows_pressure() -> None:
    """When more is wanted than there is, all get the same part, no more than all, and wait."""
    wishes = {"x": Wanted(6_000, 1024, 0), "y": Wanted(3_000, 1024, 0)}
    shared = share(wishes, cpu_millicores=6_000, memory_mib=64 * 1024, vcpus={"x": 6, "y": 3})
    loads = [shared.loads[g].cpu_millicores or 0 for g in ("x", "y")]
    assert sum(loads) <= 6_000
    assert loads[0] == 2 * loads[1]
    assert shared.pressure.cpu_bp > 3_000
    assert shared.loads["x"].pressure.cpu_bp > 0


def test_a_calm_host_shows_no_pressure() -> None:
    """Where half is wanted everybody gets its wish, and nobody waits."""
    shared = share(
        {"x": Wanted(3_000, 1024, 100)}, cpu_millicores=6_000, memory_mib=4096, vcpus={"x": 4}
    )
    assert shared.loads["x"].cpu_millicores == 3_000
    assert shared.pressure.cpu_bp == shared.pressure.io_bp == shared.pressure.memory_bp == 0


@given(use=st.integers(0, 3_000), more=st.integers(0, 500))
def test_pressure_never_falls_when_more_is_wanted(use: int, more: int) -> None:
    """Stall grows with what is wanted, and stays below all of the time."""
    stalls = [
        share(
            {"x": Wanted(w * 10, w, w)}, cpu_millicores=10_000, memory_mib=1_000, vcpus={"x": 9}
        ).pressure
        for w in (use, use + more)
    ]
    assert stalls[0].cpu_bp <= stalls[1].cpu_bp < 10_000
    assert stalls[0].memory_bp <= stalls[1].memory_bp < 10_000
    assert stalls[0].io_bp <= stalls[1].io_bp < 10_000
