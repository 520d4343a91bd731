# SPDX-License-Identifier: Apache-2.0
"""The objective of proxlb's solver, against its words and against numbers of its own."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import moorage.formats
from moorage.goals import goal_tiers
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest, Load
from moorage.model.hosts import Host, HostState, Pressure
from moorage.model.resources import Resource
from moorage.model.rule import Strength
from moorage.problem import Problem, compile_fleet, values_of
from moorage.rules.apart import Apart
from moorage.rules.drain import Drain
from moorage.rules.pin import Pin
from tests.tiny import fleet, guest, host

CASES = Path(__file__).parents[3] / "shared" / "cases"
# Of staying put, as measured with the original.
STAY_PUT = {
    "plain_10x100": 176_250,
    "plain_32x500": 158_340,
    "plain_64x1000": 157_030,
    "plain_128x3000": 160_330,
    "plain_300x10000": 158_200,
}
METHODS = (
    *("memory", "cpu", "disk", "memory_psi", "cpu_psi", "io_psi"),
    *("memory_smart", "cpu_smart", "io_smart", "global_smart", "unheard_of"),
)
LEVELS = {
    1: (0, 1, "1"),
    2: (1, 50, "1/4"),
    3: (10, 10, "3/20"),
    4: (50, 5, "1/20"),
    5: (100, 1, "0"),
}
POOL = Resource("disk:a", "MiB")
OTHER = Resource("disk:b", "MiB")


def some_fleet(rng: random.Random) -> Fleet:
    """Nodes of many kinds, one of them in maintenance, one evacuated."""
    hosts = [
        host(
            f"n{i}",
            rng.randrange(4000, 9000),
            more={"cpu": rng.randrange(4, 9) * 1000, "disk:a": 9000, "disk:b": 500 * (i + 1)},
            reserve=FrozenMap({"memory": 100 * i, "cpu": 1000, "disk:a": 2000}),
            state=HostState.MAINTENANCE if i == 3 else HostState.ACTIVE,
        )
        for i in range(4)
    ]
    guests = [
        guest(
            f"v{i}",
            f"n{rng.randrange(3)}",
            rng.randrange(100, 2000),
            more={"cpu": 1000 * rng.randrange(1, 4), "disk:a": rng.randrange(700)},
            load=Load(
                cpu_millicores=rng.randrange(1000),
                pressure=Pressure(rng.randrange(900), rng.randrange(900), rng.randrange(900)),
            ),
            priority=rng.randrange(1, 4),
        )
        for i in range(6)
    ]
    rules = (
        Drain(name="evacuate", hosts=("n2",)),
        Apart(name="soft", guests=("v0", "v1", "v2"), strength=Strength.SHOULD),
    )
    return fleet(hosts, guests, *rules, resources=(POOL, OTHER))


def used(guest: Guest, what: str, assigned: bool) -> int:
    """What a guest uses of memory, cpu or disks, or how much it stalls."""
    if what.endswith("psi"):
        stalls = guest.load.pressure
        return {"memory_psi": stalls.memory_bp, "cpu_psi": stalls.cpu_bp, "io_psi": stalls.io_bp}[
            what
        ]
    if what == "memory":
        return guest.demand["memory"]
    if what == "cpu":
        return guest.demand["cpu"] if assigned else guest.load.cpu_millicores or 0
    return guest.demand.get("disk:a", 0) + guest.demand.get("disk:b", 0)


def there_is(host: Host, what: str) -> int:
    """What the load of a node is measured against."""
    if what.endswith("psi"):
        return 10_000
    if what == "memory":
        return host.capacity["memory"] - host.reserve.get("memory", 0)
    if what == "cpu":
        return max(1000, host.capacity["cpu"] - host.reserve.get("cpu", 0))
    return host.capacity["disk:a"] + host.capacity["disk:b"]


def shares(fleet: Fleet, after: dict[str, str], what: str, assigned: bool) -> list[Fraction]:
    """The exact load of each node that counts."""
    nodes = [h for h in fleet.hosts.values() if h.state is HostState.ACTIVE]
    guests = fleet.guests.values()
    return [
        Fraction(
            sum(used(g, what, assigned) * g.priority for g in guests if after[g.id] == node.id),
            there_is(node, what),
        )
        for node in nodes
    ]


def weighted(options: dict[str, Any]) -> list[tuple[int, str, bool]]:
    """(weight, what, whether it is a usage) of each gap that counts."""
    method, mode = options["method"], options.get("mode", "used")
    short = {"memory": "mem", "cpu": "cpu", "io": "io"}

    def smart(name: str, factor: int) -> list[tuple[int, str, bool]]:
        usage = factor * options.get(f"w_{short[name]}_usage", 1)
        psi = factor * options.get(f"w_{short[name]}_psi", 1)
        return [(usage, "disk" if name == "io" else name, True), (psi, f"{name}_psi", False)]

    if method == "global_smart":
        factors = {n: options.get(f"w_global_{short[n]}", 1 if n == "io" else 10) for n in short}
        return [part for name, factor in factors.items() for part in smart(name, factor)]
    if method.endswith("_smart"):
        return smart(method.removesuffix("_smart"), 1)
    if method.endswith("_psi"):
        return [(1, method, False)]
    plain = method if method in ("memory", "cpu") else "disk"
    if mode == "psi":
        return [(1, {"disk": "io"}.get(plain, plain) + "_psi", False)]
    return [(1, plain, True)]


def trigger_gap(fleet: Fleet, options: dict[str, Any]) -> Fraction:
    """The gap now that is held against the trigger."""
    if options["method"] == "unheard_of":
        return Fraction(0)
    now = {g.id: str(g.host) for g in fleet.guests.values()}
    assigned = options.get("mode") == "assigned"
    parts = weighted(options)
    if options["method"] == "global_smart":
        factors = (options.get("w_global_mem", 10), options.get("w_global_cpu", 10), 1)
        usages = [what for _, what, usage in parts if usage]
        parts = [(f, what, True) for f, what in zip(factors, usages, strict=True)]
    gaps = []
    for weight, what, _ in parts:
        found = shares(fleet, now, what, assigned)
        gaps.append(weight * (max(found) - min(found)))
    return sum(gaps, Fraction(0)) / sum(weight for weight, _, _ in parts)


def in_words(fleet: Fleet, options: dict[str, Any], after: dict[str, str]) -> int:
    """The objective as it is written down: gap, moves, penalties."""
    w_balance, w_stickiness, trigger = LEVELS[options.get("balanciness", 3)]
    w_balance = options.get("w_balance", w_balance)
    if trigger_gap(fleet, options) < Fraction(trigger):
        w_balance = 0
    gap = 0
    for weight, what, _ in weighted(options):
        loads = [
            int(10_000 * s) for s in shares(fleet, after, what, options.get("mode") == "assigned")
        ]
        gap += weight * (max(loads) - min(loads))
    cost = 0
    for g in fleet.guests.values():
        if after[g.id] != g.host:
            disks = sum(a for r, a in g.demand.items() if r.startswith("disk:"))
            cost += max(1, g.demand["memory"] // 256) + 4 * (disks // 256)
    members = [after[g] for g in ("v0", "v1", "v2")]
    collisions = sum(a == b for i, a in enumerate(members) for b in members[i + 1 :])
    stickiness = options.get("w_stickiness", w_stickiness)
    return int(w_balance * gap + stickiness * cost + 1_000_000 * collisions)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", ["used", "assigned", "psi"])
@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_the_objective_is_what_is_written_down(method: str, mode: str, level: int) -> None:
    """Every method, mode and level gives the number that its words give."""
    rng = random.Random(f"{method} {mode} {level}")
    for _ in range(3):
        made = some_fleet(rng)
        options: dict[str, Any] = {"method": method, "mode": mode, "balanciness": level}
        if rng.random() < 0.5:
            options |= {"w_balance": 7, "w_stickiness": 3, "w_mem_psi": 2, "w_cpu_usage": 4}
        problem = compile_fleet(made)
        tiers = goal_tiers(problem, GoalChoice("proxlb", FrozenMap(options)))[:2]
        for _ in range(3):
            after = {g: rng.choice(["n0", "n1", "n2"]) for g in made.guests}
            value = values_of(problem, tiers, problem.indices(after))[1]
            assert value == in_words(made, options, after)


@pytest.mark.parametrize(
    ("limits", "balances"),
    [
        ({"memory_threshold": 50}, False),
        ({"memory_threshold": 49.9}, True),
        ({"memory_threshold": 90, "cpu_threshold": 20}, True),
        ({"cpu_threshold": 25, "disk_threshold": 0}, False),
        ({}, True),
    ],
)
def test_thresholds_are_a_gate(limits: dict[str, float], balances: bool) -> None:
    """Nothing is balanced unless some node is strictly above one of the limits that are given."""
    here = Load(cpu_millicores=1000)
    made = fleet(
        [host("n1", 1000, more={"cpu": 4000}), host("n2", 1000, more={"cpu": 4000})],
        [guest("v", "n1", 500, more={"cpu": 1000}, load=here, priority=2)],
    )
    problem = compile_fleet(made)
    objective = goal_tiers(problem, GoalChoice("proxlb", FrozenMap(limits)))[1].objective
    assert objective is not None
    assert objective.value(problem, problem.start) == (100_000 if balances else 0)


def test_ties_follow_in_their_order() -> None:
    """Pins, pressure, moves, priority, memory, CPU: those that can tell something apart."""
    made = some_fleet(random.Random(3))
    calm = made.changed(rules=())
    assert tie_names(calm, "memory") == ["moves", "priority", "moved memory", "moved cpu"]
    pinned = made.changed(rules=(Pin(guests=("v1",), hosts=("n1", "n0")),))
    stalling = made.hosts["n0"]
    stalls = Host("n0", capacity=stalling.capacity, pressure=Pressure(memory_bp=100))
    pinned = pinned.changed(hosts=pinned.hosts.with_items({"n0": stalls}))
    names = tie_names(pinned, "memory_psi")
    assert names[:3] == ["order of pins", "pressure", "moves"]
    problem = compile_fleet(pinned)
    choice = GoalChoice("proxlb", FrozenMap({"method": "memory_psi"}))
    order, pressure = (t.objective for t in goal_tiers(problem, choice)[2:4])
    assert order is not None
    assert pressure is not None
    on_n0 = problem.indices(dict.fromkeys(made.guests, "n0"))
    assert order.value(problem, on_n0) == 1
    brings = sum(g.load.pressure.memory_bp * g.priority for g in made.guests.values())
    assert pressure.value(problem, on_n0) == 100 * brings


def tie_names(fleet: Fleet, method: str) -> list[str]:
    """The names of the tiers after the objective, none of which is shown."""
    choice = GoalChoice("proxlb", FrozenMap({"method": method}))
    tiers = goal_tiers(compile_fleet(fleet), choice)[2:]
    assert not any(tier.shown for tier in tiers)
    return [tier.name for tier in tiers]


@pytest.mark.skipif(not CASES.is_dir(), reason=f"there are no files in {CASES}")
@pytest.mark.parametrize("name", STAY_PUT)
def test_staying_put_costs_what_the_original_says(name: str) -> None:
    """The objective of real scenarios, before anything moves, is the original's number."""
    made = moorage.formats.read(CASES / "proxlb-scale" / f"{name}.yaml.gz")
    problem = compile_fleet(made)
    objective = goal_tiers(problem, made.goal)[1].objective
    assert objective is not None
    assert objective.value(problem, problem.start) == STAY_PUT[name]


def small_scenarios() -> list[Path]:
    """Scenarios with few enough placements to try them all."""
    found = sorted(CASES.glob("proxlb/**/*.yaml"))
    return [path for path in found if 0 < combinations(path) <= 20_000]


@cache
def scenario(path: Path) -> Fleet:
    """Read a scenario once."""
    return moorage.formats.read(path)


def combinations(path: Path) -> int:
    """How many placements a scenario has."""
    return int(len(scenario(path).hosts) ** len(scenario(path).guests))


@pytest.mark.parametrize("path", small_scenarios(), ids=lambda path: path.stem)
def test_the_best_of_all_placements_is_what_a_scenario_expects(path: Path) -> None:
    """Goal and ties lead to the guests' hosts, and to as few moves, as the file expects."""
    made = scenario(path)
    problem = compile_fleet(made)
    expected = made.notes.get("expect", {})
    found = best(problem, made.goal)
    after = problem.placement(found)
    for name, where in expected.get("placements", {}).items():
        wanted = after[where.removeprefix("==").strip()] if where.startswith("==") else where
        assert after[name] == wanted
    most = expected.get("max_migrations")
    assert most is None or int((found != problem.start).sum()) <= most
    if expected.get("node_empty"):
        assert expected["node_empty"] not in after.values()


def best(problem: Problem, choice: GoalChoice | None) -> Any:
    """Return the placement with the least tiers, asking rules only where it may matter."""
    tiers = goal_tiers(problem, choice)
    every = product(range(len(problem.hosts)), repeat=len(problem.guests))
    arrays = [np.array(hosts, dtype=np.int32) for hosts in every]
    cheap = [
        tuple(t.objective.value(problem, hosts) for t in tiers if t.objective) for hosts in arrays
    ]
    order = sorted(range(len(arrays)), key=lambda i: (cheap[i], i))
    least: tuple[tuple[int, ...], int] | None = None
    for index in order:
        if least is not None and least[0][0] == 0 and cheap[index][0] > least[0][1]:
            break
        values = values_of(problem, tiers, arrays[index])
        if least is None or (values, index) < least:
            least = (values, index)
    assert least is not None
    return arrays[least[1]]
