# SPDX-License-Identifier: Apache-2.0
"""A fleet after its own plan rests: a thousand random ones, under each goal."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import moorage
from moorage.model import Fleet, FrozenMap
from tests.oracle.random_fleets import random_case

GOALS = ("balance", "pack", "few-moves", "evacuate")
EACH = 250


def after(fleet: Fleet, placements: FrozenMap[str, str | None]) -> Fleet:
    """Return *fleet* with its guests where *placements* has them."""
    guests = {g.id: replace(g, host=placements[g.id]) for g in fleet.guests.values()}
    return fleet.changed(guests=FrozenMap(guests))


@pytest.mark.parametrize("goal", GOALS)
def test_a_second_run_finds_nothing_to_move(goal: str) -> None:
    """What a run leaves behind, the next run leaves alone; and no run breaks anything."""
    for seed in range(EACH):
        fleet, _ = random_case(random.Random(f"{goal}-{seed}"))
        if fleet.held_until_end:
            continue  # what the first run still held at its end is free in the second
        first = moorage.solve(fleet, goal=goal, effort=5)
        assert not first.is_refused, f"seed {seed}: {first.violations}"
        second = moorage.solve(after(fleet, first.target.placements), goal=goal, effort=5)
        assert not second.target.moves, f"seed {seed}: {second.target.moves}"
