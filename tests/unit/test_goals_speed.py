# SPDX-License-Identifier: Apache-2.0
"""Goals over large fleets: wide limits of CPU time that only a walk in Python exceeds."""

from __future__ import annotations

import random
import time
from functools import cache

import numpy as np
import pytest

from moorage.goals import goal_tiers
from moorage.goals.score import gains, score
from moorage.model.fleet import GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest, Load
from moorage.model.hosts import Host
from moorage.model.prices import BalancePrice, PairPrices, Prices
from moorage.model.resources import Resource
from moorage.problem import Problem, compile_fleet
from tests.tiny import fleet

LIMIT_CPU_S = 5.0
GIB = 1024


@cache
def crowd(hosts: int, guests: int) -> Problem:
    """Guests at random, with load and prices of every kind."""
    rng = random.Random(1)
    capacity = FrozenMap({"memory": 512 * GIB, "cpu": 64_000})
    names = tuple(f"h{i}" for i in range(hosts))
    made = [Host(name, capacity=capacity) for name in names]
    demands = [FrozenMap({"memory": n * GIB, "cpu": 1000 * n}) for n in range(1, 9)]
    loads = [Load(cpu_millicores=100 * n) for n in range(10)]
    members = [
        Guest(
            f"g{i}",
            host=rng.choice(names),
            demand=rng.choice(demands),
            load=rng.choice(loads),
            group=f"s{i % 5000}",
            move_price=1,
        )
        for i in range(guests)
    ]
    row = tuple(i % 3 for i in range(hosts))
    prices = Prices((BalancePrice("cpu", "memory", 5, 10),), 1, 10, 100, None)
    if hosts <= 1000:
        prices = Prices(prices.balance, 1, 10, 100, PairPrices(names, (row,) * hosts))
    priced = (Resource("memory", "MiB", price=100),)
    return compile_fleet(fleet(made, members, resources=priced, prices=prices))


def cpu_s(problem: Problem, name: str) -> float:
    """CPU time that stating a goal and asking its value once takes."""
    began = time.process_time()
    for tier in goal_tiers(problem, GoalChoice(name)):
        if tier.objective is not None:
            tier.objective.value(problem, problem.start)
    return time.process_time() - began


@pytest.mark.parametrize("name", ["gmrp", "balance"])
def test_goals_over_fifty_thousand_guests_are_stated_at_once(name: str) -> None:
    """As many guests and hosts as the largest instances of the challenge have."""
    assert cpu_s(crowd(1000, 50_000), name) < LIMIT_CPU_S


def test_the_score_and_all_gains_need_no_search() -> None:
    """Half of fifty thousand guests move, and each gain is known at once."""
    problem = crowd(1000, 50_000)
    rng = np.random.default_rng(1)
    placement = problem.start.copy()
    placement[::2] = rng.integers(0, 1000, len(placement[::2]))
    began = time.process_time()
    score(problem, placement, severity=0)
    gains(problem, placement, severity=0)
    assert time.process_time() - began < LIMIT_CPU_S


@pytest.mark.soak
@pytest.mark.parametrize("name", ["balance", "pack", "evacuate", "proxlb", "kronos"])
def test_goals_over_ten_thousand_hosts_are_stated_at_once(name: str) -> None:
    """300,000 guests on 10,000 hosts take no walk over pairs of them."""
    assert cpu_s(crowd(10_000, 300_000), name) < LIMIT_CPU_S
