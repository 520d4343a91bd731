# SPDX-License-Identifier: Apache-2.0
"""The score, and what each move adds to it."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from moorage.goals.score import gains, score
from moorage.model.fleet import Fleet
from moorage.model.hosts import HostState
from moorage.model.resources import Resource
from moorage.problem import compile_fleet
from moorage.problem.tiers import severity_of
from moorage.rules.ban import Ban
from moorage.rules.pin import Pin
from moorage.verifying.standing import Standing
from tests.tiny import fleet, guest, host


def some_fleet(rng: random.Random) -> Fleet:
    """A fleet with guests over capacity, pinned elsewhere, banned, and without a host."""
    names = [f"h{i}" for i in range(4)]
    hosts = [host(n, 40, more={"disk:a": 60}) for n in names[:3]]
    hosts.append(host("h3", 40, more={"disk:a": 60}, state=HostState.MAINTENANCE))
    guests = [
        guest(
            f"g{i}",
            rng.choice([*names, None]),
            rng.randrange(1, 16),
            more={"disk:a": rng.randrange(30)},
        )
        for i in range(9)
    ]
    rules = (
        Pin(name="pin", guests=("g0", "g1"), hosts=("h1", "h2")),
        Ban(name="ban", guests=("g2", "g3"), hosts=("h0",)),
    )
    return fleet(hosts, guests, *rules, resources=(Resource("disk:a", "MiB"),))


def test_a_perfect_fleet_has_all_points() -> None:
    """Nothing broken, and memory in equal shares, is 100."""
    made = fleet([host("h1", 100), host("h2", 200)], [guest("a", "h1", 30), guest("b", "h2", 60)])
    problem = compile_fleet(made)
    assert score(problem, problem.start) == 100.0


def test_one_breach_of_a_small_fleet_costs_ten_points() -> None:
    """Of the fifty for rules; the other fifty are those of balance."""
    made = fleet(
        [host("h1", 100), host("h2", 100)],
        [guest("a", "h1", 30), guest("b", "h2", 30)],
        Ban(name="ban", guests=("a",), hosts=("h1",)),
    )
    problem = compile_fleet(made)
    # One collision against a forbearance of 4.02.
    assert score(problem, problem.start) == round(50 + 50 * 4.02 / 5.02, 2)


def test_balance_is_the_share_of_memory_in_the_wrong_place() -> None:
    """Everything on one of two hosts is half of it in the wrong place."""
    hosts = [host("h1", 100), host("h2", 100)]
    problem = compile_fleet(fleet(hosts, [guest("a", "h1", 20), guest("b", "h1", 20)]))
    assert score(problem, problem.start) == 75.0
    assert score(problem, problem.indices({"a": "h2", "b": "h1"})) == 100.0


@pytest.mark.parametrize("seed", range(30))
def test_the_score_is_within_its_bounds(seed: int) -> None:
    """0 to 100 with two decimals, and at least what rules alone give."""
    made = some_fleet(random.Random(seed))
    problem = compile_fleet(made)
    found = score(problem, problem.start)
    assert found == round(found, 2)
    rules = of_rules(made, sum(problem.severity(breach) for breach in Standing(made).breaches))
    assert -0.01 <= found - rules <= 50.01


def of_rules(fleet: Fleet, severity: int) -> float:
    """The points for rules, as they are written down."""
    patience = 4 + Fraction(len(fleet.guests), 100)
    return float(50 * patience / (patience + Fraction(severity, 10**6)))


@pytest.mark.parametrize("seed", range(20))
def test_the_score_is_what_is_written_down(seed: int) -> None:
    """Breaches and memory in the wrong place, from the fleet's own numbers."""
    rng = random.Random(seed)
    names = [f"h{i}" for i in range(4)]
    hosts = [host(n, rng.choice([20, 60, 90]) * 1000) for n in names]
    guests = [guest(f"g{i}", rng.choice(names), 1000 * rng.randrange(1, 9)) for i in range(20)]
    made = fleet(hosts, guests)
    problem = compile_fleet(made)
    total = sum(g.demand["memory"] for g in guests)
    mean = Fraction(total, sum(h.capacity["memory"] for h in hosts))
    loads = {n: sum(g.demand["memory"] for g in guests if g.host == n) for n in names}
    off = sum(abs(loads[h.id] - mean * h.capacity["memory"]) for h in hosts)
    severity = sum(problem.severity(breach) for breach in Standing(made).breaches)
    wanted = of_rules(made, severity) + 50 - float(50 * off / (2 * total))
    assert abs(score(problem, problem.start) - wanted) <= 0.02


@pytest.mark.parametrize("seed", range(60))
def test_a_gain_is_the_score_less_the_score_without_that_move(seed: int) -> None:
    """For rules that look at one guest, capacity and balance, to the last decimal."""
    rng = random.Random(seed)
    problem = compile_fleet(some_fleet(rng))
    after = {g: rng.choice(problem.hosts) for g in problem.guests}
    # Nothing in the fleet keeps a guest off a host that it goes to, as in every answer.
    placement = problem.indices(after)
    for index in range(len(placement)):
        if not problem.restrictions.may_be(index, int(placement[index])):
            placement[index] = problem.start[index]
    found = gains(problem, placement)
    severity = severity_of(problem, placement)
    assert (gains(problem, placement, severity) == found).all()
    for index in np.flatnonzero(placement != problem.start).tolist():
        left = placement.copy()
        left[index] = problem.start[index]
        assert abs(found[index] - (score(problem, placement) - score(problem, left))) <= 0.02
    assert not found[placement == problem.start].any()


def test_what_stays_held_on_the_source_brings_nothing_there() -> None:
    """A resource that is held until the end is there whether the guest leaves or not."""
    held = Resource("disk:a", "MiB", held_until_end=True)
    made = fleet(
        [host("h1", 100, more={"disk:a": 5}), host("h2", 100, more={"disk:a": 50})],
        [guest("a", "h1", 10, more={"disk:a": 9}), guest("b", "h2", 10)],
        resources=(held,),
    )
    problem = compile_fleet(made)
    placement = problem.indices({"a": "h2", "b": "h2"})
    wanted = score(problem, placement) - score(problem, problem.start)
    assert abs(gains(problem, placement)[0] - wanted) <= 0.01


def test_nothing_to_plan_is_perfect() -> None:
    """Empty fleets have no fault."""
    for empty in (Fleet(), fleet([host("h")], [])):
        problem = compile_fleet(empty)
        assert score(problem, problem.start) == 100.0
        assert gains(problem, problem.start).tolist() == []
