# SPDX-License-Identifier: Apache-2.0
"""A view that goes back and forth is the same as one that was always there."""

from __future__ import annotations

import random
from typing import Any

from moorage.model.resources import Resource
from moorage.model.view import View
from tests.tiny import fleet, guest, host

HELD = Resource("scratch", unit="MiB", held_until_end=True)


def seen(view: View) -> dict[str, Any]:
    """All that rules may see."""
    hosts, guests = view.fleet.hosts, view.fleet.guests
    return {
        "on": {h: sorted(view.guests_on(h)) for h in hosts},
        "loads": {h: {r: view.load(h, r) for r in ("memory", "scratch")} for h in hosts},
        "hosts": {g: view.hosts_of(g) for g in guests},
        "entered": {g: sorted(view.entered(g)) for g in guests},
        "came": {h: sorted(view.came_onto(h)) for h in hosts},
        "shares": {(g, h): dict(view.share(g, h)) for g in guests for h in hosts},
    }


def made() -> Any:
    """Three hosts, four guests, one of them without a host."""
    hosts = [host(f"h{i}", 50, more={"scratch": 50}) for i in range(3)]
    places = ("h0", "h1", "h2", None)
    guests = [guest(f"g{i}", at, 1 + i, more={"scratch": 2}) for i, at in enumerate(places)]
    return fleet(hosts, guests, resources=(HELD,))


def test_a_move_that_is_called_off_has_never_been() -> None:
    """Nothing that a rule may see is left of it."""
    rng = random.Random(1)
    view = View(made(), made().placement, at_end=False)
    for _ in range(200):
        name = rng.choice(list(view.fleet.guests))
        away = [h for h in view.fleet.hosts if h not in view.hosts_of(name)]
        target, before = rng.choice(away), seen(view)
        had_entered = target in view.entered(name)
        view.begin_move(name, target)
        if rng.random() < 0.5:
            view.call_off(name, target, had_entered=had_entered)
            assert seen(view) == before
        else:
            view.end_move(name, view.runs_on(name), target)


def test_who_is_put_somewhere_has_gone_straight_there() -> None:
    """However a view came to be where it is, it is that of the placement."""
    rng = random.Random(2)
    view = View(made(), made().placement, at_end=False)
    for _ in range(100):
        name = rng.choice(list(view.fleet.guests))
        choices = [*view.fleet.hosts, *((None,) if name == "g3" else ())]
        view.put(name, rng.choice(choices))
        assert seen(view) == seen(View(view.fleet, view.placement(), at_end=False))
