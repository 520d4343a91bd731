# SPDX-License-Identifier: Apache-2.0
"""The cost of the challenge, against published numbers and against its words."""

from __future__ import annotations

import importlib.util
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from moorage.formats import gmrp
from moorage.goals import goal_tiers
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.prices import BalancePrice, PairPrices, Prices
from moorage.model.resources import Resource
from moorage.model.rule import Strength
from moorage.problem import Objective, Problem, compile_fleet
from moorage.rules.apart import Apart
from tests.tiny import fleet, guest, host

SHARED = Path(__file__).parents[3] / "shared"
CASES = SHARED / "cases" / "gmrp"
CHECKER = SHARED / "accept" / "gmrp.py"
# Of the first assignments, as the challenge published them.
PUBLISHED = {
    "a1_1": 49528750,
    "a1_2": 1061649570,
    "a1_3": 583662270,
    "a1_4": 632499600,
    "a1_5": 782189690,
    "a2_1": 391189190,
    "a2_2": 1876768120,
    "a2_5": 787355300,
    "b_1": 7644173180,
    "b_3": 6336834660,
    "b_5": 12426813010,
}


def cost_of(problem: Problem) -> Objective:
    """Return the cost as an objective."""
    objective = goal_tiers(problem, GoalChoice("gmrp"))[-1].objective
    assert objective is not None
    return objective


def in_words(fleet: Fleet, after: dict[str, str]) -> int:
    """The cost as the challenge states it, guest by guest and host by host."""
    used = {h: Counter[str]() for h in fleet.hosts}
    for name, where in after.items():
        used[where].update(fleet.guests[name].demand)
    cost = 0
    for name, here in fleet.hosts.items():
        for r in fleet.resources.values():
            over = used[name][r.id] - here.thresholds.get(r.id, here.capacity.get(r.id, 0))
            cost += r.price * max(0, over)
        free = {r: here.capacity.get(r, 0) - used[name][r] for r in fleet.resources}
        for b in fleet.prices.balance:
            cost += b.price * max(0, b.target * free[b.of] - free[b.to])
    moved = [g for g in fleet.guests.values() if after[g.id] != g.host]
    cost += fleet.prices.guest_weight * sum(g.move_price for g in moved)
    groups = Counter(g.group or g.id for g in moved)
    cost += fleet.prices.group_weight * max(groups.values(), default=0)
    between = fleet.prices.between
    if between is not None:
        place = {h: i for i, h in enumerate(between.hosts)}
        ways = [(place[g.host or ""], place[after[g.id]]) for g in fleet.guests.values()]
        cost += fleet.prices.pair_weight * sum(between.matrix[a][b] for a, b in ways)
    return cost


def small(rng: random.Random) -> Fleet:
    """A fleet with prices of every kind, even from a host to itself."""
    names = [f"h{i}" for i in range(4)]
    hosts = [
        replace(
            host(name, 100, more={"cpu": rng.randrange(50, 100)}),
            thresholds=fleet([host("t", rng.randrange(20))], []).hosts["t"].capacity,
        )
        for name in names
    ]
    guests = [
        guest(
            f"g{i}",
            rng.choice(names),
            rng.randrange(9),
            more={"cpu": rng.randrange(9)},
            group=rng.choice(["a", "b", None]),
            move_price=rng.randrange(5),
        )
        for i in range(12)
    ]
    matrix = tuple(tuple(rng.randrange(4) for _ in names) for _ in names)
    prices = Prices(
        balance=(BalancePrice("cpu", "memory", 2, 3), BalancePrice("memory", "cpu", 1, 7)),
        guest_weight=2,
        group_weight=11,
        pair_weight=5,
        between=PairPrices(tuple(reversed(names)), matrix),
    )
    priced = (Resource("memory", "MiB", price=3), Resource("cpu", "millicores", price=2))
    return fleet(hosts, guests, resources=priced, prices=prices)


@pytest.mark.parametrize("seed", range(20))
def test_the_cost_is_what_the_challenge_says(seed: int) -> None:
    """Loads, balance, and moves by guest, group and pair add up to the sum in words."""
    rng = random.Random(seed)
    made = small(rng)
    problem = compile_fleet(made)
    cost = cost_of(problem)
    for _ in range(10):
        after = {g: rng.choice(list(made.hosts)) for g in made.guests}
        assert cost.value(problem, problem.indices(after)) == in_words(made, after)


def test_one_tier_is_shown() -> None:
    """What rules ask comes first and unseen; should-rules only where there are any."""
    made = small(random.Random(1))
    tiers = goal_tiers(compile_fleet(made), GoalChoice("gmrp"))
    assert [(t.name, t.shown) for t in tiers] == [("repairs", False), ("gmrp", True)]
    soft = Apart(name="soft", guests=("g1", "g2"), strength=Strength.SHOULD)
    tiers = goal_tiers(compile_fleet(made.changed(rules=(soft,))), GoalChoice("gmrp"))
    assert [t.name for t in tiers if t.shown] == ["gmrp"]
    assert tiers[1].should == 1


@pytest.mark.skipif(not CASES.is_dir(), reason=f"there are no files in {CASES}")
@pytest.mark.parametrize("name", PUBLISHED)
def test_first_assignments_cost_what_was_published(name: str) -> None:
    """The number is the challenge's own, for the first assignment and for others near it."""
    model = CASES / f"model_{name}.txt.gz"
    made = gmrp.read(model, CASES / f"assignment_{name}.txt.gz")
    problem = compile_fleet(made)
    cost = cost_of(problem)
    assert cost.value(problem, problem.start) == PUBLISHED[name]
    rng = random.Random(name)
    after = {g.id: str(g.host) for g in made.guests.values()}
    for _ in range(3):
        for _ in range(5):
            after[rng.choice(problem.guests)] = rng.choice(problem.hosts)
        assert cost.value(problem, problem.indices(after)) == in_words(made, after)


def checker() -> Any:
    """Load the program that scores assignments from the statement of the challenge alone."""
    spec = importlib.util.spec_from_file_location("gmrp_checker", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not CHECKER.is_file(), reason=f"there is no {CHECKER}")
@pytest.mark.parametrize("name", PUBLISHED)
def test_valid_assignments_cost_what_a_checker_says(name: str) -> None:
    """A program that shares no code gives each valid assignment the same cost."""
    judge = checker()
    model, first = CASES / f"model_{name}.txt.gz", CASES / f"assignment_{name}.txt.gz"
    problem = compile_fleet(gmrp.read(model, first))
    cost, read, old = cost_of(problem), judge.Model(model), judge.ints(first)
    rng = np.random.default_rng(len(old))
    new, valid = old.copy(), 0
    for _ in range(12):
        tried = new.copy()
        tried[rng.integers(len(old))] = rng.integers(len(problem.hosts))
        known, _why = judge.score(read, old, tried)
        if known is not None:
            new, valid = tried, valid + 1
            assert cost.value(problem, new.astype(np.int32)) == known
    assert valid
