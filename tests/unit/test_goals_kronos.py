# SPDX-License-Identifier: Apache-2.0
"""Kronos: combined imbalance, what its rounds accept, and how it packs."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from moorage.goals import goal_tiers
from moorage.goals.kronos import follow
from moorage.goals.kronos.cycle import policies_of
from moorage.goals.kronos.spreading import improving
from moorage.model.errors import BadInput
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Load
from moorage.model.hosts import HostState, Pressure
from moorage.model.rule import Rule, Strength
from moorage.problem import compile_fleet
from moorage.rules.apart import Apart
from moorage.rules.stay import Stay
from tests.tiny import fleet, guest, host

MILLION = 1_000_000


def choose(*policies: dict[str, Any]) -> GoalChoice:
    """A choice of Kronos with these policies."""
    rows = tuple(FrozenMap(policy) for policy in policies)
    return GoalChoice("kronos", FrozenMap({"policies": rows}))


MEMORY = {"name": "memory", "weight": 0.6, "threshold": 0.1}
CPU = {"name": "cpu", "weight": 0.4, "threshold": 0.2}
BOTH = choose(MEMORY, CPU)


def some_fleet(rng: random.Random, *rules: Rule, hosts: int = 4, guests: int = 9) -> Fleet:
    """Hosts of several sizes, guests at random."""
    names = [f"h{i}" for i in range(hosts)]
    return fleet(
        [host(n, rng.choice([100, 200]), more={"cpu": 90_000}) for n in names],
        [
            guest(
                f"g{i}",
                rng.choice(names),
                rng.randrange(1, 11),
                more={"cpu": 1000},
                load=Load(cpu_millicores=rng.randrange(9000)),
            )
            for i in range(guests)
        ],
        *rules,
    )


def share(fleet: Fleet, name: str, what: str, after: dict[str, Any]) -> Fraction:
    """How full a host is."""
    here = [g for g in fleet.guests.values() if after[g.id] == name]
    room = fleet.hosts[name].capacity[what]
    if what == "cpu":
        return Fraction(sum(g.load.cpu_millicores or 0 for g in here), room)
    return Fraction(sum(g.demand[what] for g in here), room)


def imbalances(fleet: Fleet, after: dict[str, Any], scale: int = MILLION) -> list[int]:
    """The spread of memory and of CPU, in millionths cut to whole ones."""
    found = []
    for what in ("memory", "cpu"):
        scores = [int(scale * share(fleet, h, what, after)) for h in fleet.hosts]
        found.append(max(scores) - min(scores))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_the_tier_is_the_weighted_sum_of_spreads(seed: int) -> None:
    """Weights in millionths times spreads in basis points."""
    rng = random.Random(seed)
    made = some_fleet(rng)
    problem = compile_fleet(made)
    objective = goal_tiers(problem, BOTH)[1].objective
    assert objective is not None
    for _ in range(5):
        after = {g: rng.choice(list(made.hosts)) for g in made.guests}
        memory, cpu = imbalances(made, after, 10_000)
        value = objective.value(problem, problem.indices(after))
        assert value == 600_000 * memory + 400_000 * cpu


def the_round(fleet: Fleet, after: dict[str, Any]) -> tuple[int, list[tuple[str, str]]]:
    """The largest gain of any acceptable move, and all moves that have it, by trying all."""
    weights, thresholds = (600_000, 400_000), (100_000, 200_000)
    old = imbalances(fleet, after)
    best: tuple[int, list[tuple[str, str]]] = (0, [])
    for name in fleet.guests:
        for target in fleet.hosts:
            new = imbalances(fleet, {**after, name: target})
            pairs = list(zip(new, old, thresholds, strict=True))
            gain = sum(w * (o - n) for w, (n, o, _) in zip(weights, pairs, strict=True))
            hurts = any(n > o and n > limit for n, o, limit in pairs)
            if not hurts and gain > best[0]:
                best = (gain, [(name, target)])
            elif not hurts and gain == best[0] > 0:
                best[1].append((name, target))
    return best


@pytest.mark.parametrize("seed", range(30))
def test_each_round_makes_the_best_acceptable_move(seed: int) -> None:
    """No move that is left untried would have been better, and none that is made hurts."""
    made = some_fleet(random.Random(seed))
    problem = compile_fleet(made)
    policies = policies_of(problem, BOTH)
    loads = policies.loads(problem.start)
    pairs = improving(problem, policies, problem.start, loads)
    gain, moves = the_round(made, dict(made.placement))
    if not gain:
        assert len(pairs.guests) == 0
        return
    first = problem.guests[int(pairs.guests[0])], problem.hosts[int(pairs.targets[0])]
    assert first in moves


def is_well(fleet: Fleet, after: dict[str, Any]) -> bool:
    """Whether both policies are at or below their thresholds."""
    memory, cpu = imbalances(fleet, after)
    return memory <= 100_000 and cpu <= 200_000


@pytest.mark.parametrize("seed", range(10))
def test_rounds_go_on_until_all_is_well_or_the_budget_is_spent(seed: int) -> None:
    """Replayed by trying all moves, a cycle ends where it ends here."""
    made = some_fleet(random.Random(100 + seed))
    problem = compile_fleet(made)
    choice = choose(
        {**MEMORY, "max_migrations_per_cycle": 2}, {**CPU, "max_migrations_per_cycle": 4}
    )
    found = problem.placement(follow(problem, choice))
    after = dict(made.placement)
    steps = 0
    while steps < 4 and not is_well(made, after):
        gain, moves = the_round(made, after)
        if not gain:
            break
        policies = policies_of(problem, choice)
        placement = problem.indices(after)
        pairs = improving(problem, policies, placement, policies.loads(placement))
        move = problem.guests[int(pairs.guests[0])], problem.hosts[int(pairs.targets[0])]
        assert move in moves
        after[move[0]] = move[1]
        steps += 1
    assert found == after


def test_at_the_threshold_all_is_well() -> None:
    """Nothing moves while every policy is at or below its threshold."""
    made = fleet([host("h1", 100), host("h2", 100)], [guest("a", "h1", 5), guest("b", "h1", 5)])
    problem = compile_fleet(made)
    at = choose({"name": "memory", "threshold": 0.1})
    below = choose({"name": "memory", "threshold": 0.099})
    assert (follow(problem, at) == problem.start).all()
    assert (follow(problem, below) != problem.start).sum() == 1


def test_rules_that_should_hold_are_kept_like_those_that_must() -> None:
    """A move onto the host of a partner is refused, and the next best one is made."""
    guests = [guest("a", "h1", 30), guest("b", "h1", 20), guest("c", "h2", 1)]
    hosts = [host("h1", 100), host("h2", 100)]
    choice = choose({"name": "memory", "threshold": 0.05, "max_migrations_per_cycle": 1})
    for rules, moved in (
        ((), {"b"}),
        ((Apart(name="soft", guests=("b", "c"), strength=Strength.SHOULD),), {"a"}),
        ((Apart(name="hard", guests=("b", "c")), Stay(name="stay", guests=("a",))), set()),
    ):
        problem = compile_fleet(fleet(hosts, guests, *rules))
        found = problem.placement(follow(problem, choice))
        assert {g for g, h in found.items() if h != problem.fleet.placement[g]} == moved


def test_the_caller_may_say_what_is_admissible() -> None:
    """Moves are asked for in the order of their gain, until one is admitted."""
    made = fleet([host("h1", 100), host("h2", 100)], [guest("a", "h1", 30), guest("b", "h1", 20)])
    problem = compile_fleet(made)
    asked: list[tuple[int, int]] = []

    def admits(_placement: Any, guest: int, host: int) -> bool:
        asked.append((guest, host))
        return False

    choice = choose({"name": "memory", "threshold": 0.05})
    found = follow(problem, choice, admits=admits)
    assert (found == problem.start).all()
    assert asked == [(0, 1), (1, 1)]


def test_a_policy_out_of_bounds_is_skipped() -> None:
    """A value above one isn't bent: the policy is left out, and the others count."""
    made = fleet(
        [host("h1", 10, more={"cpu": 1000}), host("h2", 10, more={"cpu": 1000})],
        [guest("a", "h1", 5, more={"cpu": 100}, load=Load(cpu_millicores=1001))],
    )
    problem = compile_fleet(made)
    policies = policies_of(problem, BOTH)
    assert policies.skipped == ("cpu",)
    objective = goal_tiers(problem, BOTH)[1].objective
    assert objective is not None
    assert objective.value(problem, problem.start) == 600_000 * 5000


def test_pressure_is_what_the_host_says_of_itself() -> None:
    """What guests don't explain stays on the host."""
    stalls = Pressure(io_bp=4000)
    made = fleet(
        [host("h1", 10, pressure=stalls), host("h2", 10)],
        [guest("a", "h1", 5, load=Load(pressure=Pressure(io_bp=1500)))],
    )
    problem = compile_fleet(made)
    policies = policies_of(problem, choose({"name": "io", "measure": "io_pressure"}))
    assert policies.loads(problem.start).tolist() == [[4000], [0]]
    assert policies.loads(np.array([1], dtype=np.int32)).tolist() == [[2500], [1500]]


def test_hosts_that_are_closed_do_not_count() -> None:
    """Neither for the spread nor as a target."""
    state = HostState.MAINTENANCE
    made = fleet(
        [host("h1", 100), host("h2", 100), host("h3", 100, state=state)],
        [guest("a", "h1", 10), guest("b", "h2", 10)],
    )
    problem = compile_fleet(made)
    choice = choose({"name": "memory", "threshold": 0})
    assert (
        policies_of(problem, choice).imbalance(policies_of(problem, choice).loads(problem.start))
        == 0
    )
    assert (follow(problem, choice) == problem.start).all()


PACK = {"name": "memory", "mode": "pack", "max_migrations_per_cycle": 10}


def packed(made: Fleet, **changes: Any) -> dict[str, str | None]:
    """Where one cycle of packing leads."""
    problem = compile_fleet(made)
    return problem.placement(follow(problem, choose({**PACK, **changes})))


def test_the_coldest_host_is_drained_onto_the_fullest_below_its_ceiling() -> None:
    """Largest guests first; a host that would reach its ceiling is no target."""
    hosts = [host(f"h{i}", 100) for i in range(4)]
    guests = [
        guest("a", "h0", 10), guest("b", "h0", 5),
        guest("c", "h1", 40), guest("d", "h2", 65), guest("e", "h3", 70),
    ]  # fmt: skip
    found = packed(fleet(hosts, guests))
    # a would bring h3 to its 80 % and fits below them on h2; b still fits on h3.
    assert found == {"a": "h2", "b": "h3", "c": "h1", "d": "h2", "e": "h3"}


def test_a_drain_that_gets_stuck_is_taken_back() -> None:
    """Moves that free nothing aren't made."""
    hosts = [host(f"h{i}", 100) for i in range(3)]
    guests = [
        guest("a", "h0", 30), guest("b", "h0", 5), guest("c", "h1", 60), guest("d", "h2", 60),
    ]  # fmt: skip
    assert packed(fleet(hosts, guests)) == {"a": "h0", "b": "h0", "c": "h1", "d": "h2"}


def test_the_budget_cuts_a_drain() -> None:
    """A cycle makes no more moves than it may; the next one goes on."""
    hosts = [host("h0", 100), host("h1", 100)]
    guests = [*(guest(f"g{i}", "h0", 1) for i in range(4)), guest("c", "h1", 40)]
    found = packed(fleet(hosts, guests), max_migrations_per_cycle=3)
    assert sum(found[f"g{i}"] == "h1" for i in range(4)) == 3


@pytest.mark.parametrize(
    ("policies", "text"),
    [
        ([{"name": "a", "measure": "cpu"}, {"name": "a", "measure": "memory"}], "two policies"),
        ([{"name": "cpu", "weight": 0.5}, {**PACK, "weight": 0.5}], "spread and pack"),
        ([{"name": "cpu", "weight": 0.5}], "0.5 together"),
        ([{"name": "cpu", "mode": "stack"}], "mode is 'stack'"),
        ([{"name": "cpu", "weight": 2}], "number 0 to 1"),
        ([{"name": "cpu", "treshold": 2}], "no option treshold"),
        ([{"name": "mem"}], "measures 'mem'"),
    ],
)
def test_policies_that_make_no_sense_are_refused(policies: list[Any], text: str) -> None:
    """Names are unique, modes equal, weights add up to one, and what is measured is there."""
    with pytest.raises(BadInput, match=text):
        policies_of(compile_fleet(some_fleet(random.Random(1))), choose(*policies))


def test_disabled_policies_do_not_count() -> None:
    """Neither their weight nor their spread."""
    problem = compile_fleet(some_fleet(random.Random(1)))
    off = {"name": "cpu", "weight": 0.9, "enabled": False}
    choice = choose({"name": "memory"}, off)
    assert [policy.name for policy in policies_of(problem, choice).active] == ["memory"]
