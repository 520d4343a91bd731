# SPDX-License-Identifier: Apache-2.0
"""What a guest wants at an instant: a pure function of the seed, the guest and the time.

Whole numbers throughout: every machine computes the same load for the same second.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moorage.drivers.simulator.draws import draw

DAY_S = 86_400
MORNING_S = 10 * 3_600
"""What the clock on the wall says at second 0: ten in the morning of a working day."""

NOISE_S = 60
"""Noise has a new value each minute, and goes from one to the next in a straight line."""
NOISE_PERMILLE = 40

BURST_S = 600
BURST_ODDS = 4
"""A bursty guest is busy in one of four stretches of ten minutes."""

LEAK_S = 7 * DAY_S
"""A leaking guest fills its memory in a week; then somebody restarts it."""


class Shape(StrEnum):
    """How the load of a guest goes through the day."""

    STEADY = "steady"
    DAILY = "daily"
    BURSTY = "bursty"
    LEAKING = "leaking"


@dataclass(frozen=True, slots=True)
class Profile:
    """How busy a guest is, in permille of what it was given.

    Attributes:
        cpu: of its vCPUs, at rest.
        cpu_swing: what the day or a burst adds at its height.
        memory: of its memory.
        memory_swing: what the day or a burst adds at its height, or a leak in the end.
        io: how much of a host's disk time it takes when it is at its height.
        phase_s: how much later than usual its day begins, or how old its leak is.
    """

    shape: Shape = Shape.STEADY
    cpu: int = 200
    cpu_swing: int = 0
    memory: int = 700
    memory_swing: int = 0
    io: int = 20
    phase_s: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a guest would take if nobody else wanted anything."""

    cpu_millicores: int
    memory_mib: int
    io_permille: int


def wanted(
    profile: Profile, vcpus: int, memory_mib: int, *, seed: int, guest: str, at_s: int
) -> Wanted:
    """Return what *guest* wants at second *at_s*."""
    height = _height(profile, seed, guest, at_s)
    restless = _noise(seed, guest, at_s)
    leak = _leak(profile, at_s) if profile.shape is Shape.LEAKING else height
    cpu = profile.cpu + profile.cpu_swing * height // 1000
    cpu += cpu * restless // 1000
    memory = profile.memory + profile.memory_swing * leak // 1000
    io = profile.io * (500 + height // 2) // 1000
    return Wanted(
        cpu_millicores=vcpus * min(1000, max(0, cpu)),
        memory_mib=memory_mib * min(1000, max(0, memory)) // 1000,
        io_permille=io,
    )


def _height(profile: Profile, seed: int, guest: str, at_s: int) -> int:
    """How high the day or a burst stands, 0 to 1000."""
    if profile.shape is Shape.STEADY:
        return 1000
    if profile.shape is Shape.BURSTY:
        return _burst(seed, guest, at_s + profile.phase_s)
    return day_height(at_s - profile.phase_s)


def day_height(at_s: int) -> int:
    """How high the day stands: 1000 at two in the afternoon, 0 at two in the night."""
    since_night = (at_s + MORNING_S - 2 * 3_600) % DAY_S
    return (1000 - _cosine(since_night * 360_000 // DAY_S)) // 2


def _cosine(millidegrees: int) -> int:
    """Cosine in permille, after Bhaskara I: off by at most 2 in 1000, and without a float."""
    quarter_later = (millidegrees + 90_000) % 360_000
    half = quarter_later % 180_000
    arc = half * (180_000 - half) // 1_000_000  # square degrees
    height = 4_000 * arc // (40_500 - arc)
    return height if quarter_later < 180_000 else -height


def _burst(seed: int, guest: str, at_s: int) -> int:
    """A plateau with slopes of a minute, in the stretches that chance chose."""
    stretch, into = divmod(at_s, BURST_S)
    if draw(BURST_ODDS, seed, "burst", guest, stretch):
        return 0
    return min(1000, into * 1000 // 60, (BURST_S - into) * 1000 // 60)


def _leak(profile: Profile, at_s: int) -> int:
    return (at_s + profile.phase_s) % LEAK_S * 1000 // LEAK_S


def _noise(seed: int, guest: str, at_s: int) -> int:
    slot, into = divmod(at_s, NOISE_S)
    before, after = (
        draw(2 * NOISE_PERMILLE + 1, seed, "noise", guest, n) - NOISE_PERMILLE
        for n in (slot, slot + 1)
    )
    return before + (after - before) * into // NOISE_S
