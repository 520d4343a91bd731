# SPDX-License-Identifier: Apache-2.0
"""How guests of a kind usually behave through the day."""

from __future__ import annotations

from moorage.drivers.simulator.draws import Dice
from moorage.drivers.simulator.load import LEAK_S, Profile, Shape

HOUR_S = 3_600


def office(dice: Dice, cpu: int = 120, swing: int = 350) -> Profile:
    """Busy while people are at work: web servers, interfaces."""
    return Profile(
        Shape.DAILY,
        cpu=cpu + dice.between(-30, 30),
        cpu_swing=swing + dice.between(-80, 80),
        memory=dice.between(550, 700),
        memory_swing=dice.between(80, 160),
        io=dice.between(20, 50),
        phase_s=dice.between(-2 * HOUR_S, 2 * HOUR_S),
    )


def database(dice: Dice) -> Profile:
    """Memory full of cache all the time, busy disks, a calm day."""
    return Profile(
        Shape.DAILY,
        cpu=dice.between(150, 250),
        cpu_swing=dice.between(150, 300),
        memory=dice.between(850, 930),
        io=dice.between(80, 160),
        phase_s=dice.between(-2 * HOUR_S, 2 * HOUR_S),
    )


def steady(dice: Dice, cpu: int = 120) -> Profile:
    """The same at all times: name servers, directories."""
    return Profile(
        Shape.STEADY,
        cpu=cpu + dice.between(-40, 40),
        memory=dice.between(450, 700),
        io=dice.between(5, 25),
    )


def batch(dice: Dice) -> Profile:
    """Nothing, then all at once: builds, reports."""
    return Profile(
        Shape.BURSTY,
        cpu=dice.between(40, 100),
        cpu_swing=dice.between(600, 850),
        memory=dice.between(300, 450),
        memory_swing=dice.between(300, 450),
        io=dice.between(60, 140),
        phase_s=dice.between(0, HOUR_S),
    )


def leaking(dice: Dice) -> Profile:
    """Grows until somebody restarts it."""
    return Profile(
        Shape.LEAKING,
        cpu=dice.between(120, 220),
        memory=dice.between(350, 450),
        memory_swing=dice.between(450, 550),
        io=dice.between(10, 30),
        phase_s=dice.between(0, LEAK_S),
    )


def hard_at_work(dice: Dice) -> Profile:
    """All it can, all the time: what makes a host hot."""
    return Profile(
        Shape.STEADY,
        cpu=dice.between(880, 950),
        memory=dice.between(860, 950),
        io=dice.between(60, 120),
    )
