# SPDX-License-Identifier: Apache-2.0
"""What the local search follows move by move, against a state built anew and the rules' checks."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np
import pytest

from moorage.model.errors import TooLarge
from moorage.problem.compiling import compile_fleet
from moorage.problem.tiers import REPAIRS, SHOULD, Tier, values_of
from moorage.rules.registry import registry
from moorage.solving.local import LocalSearch, layout
from moorage.solving.local.kernel.entries import descend, drain, heal, level, walk
from moorage.solving.local.kernel.whole import rebuild
from tests.oracle.brute_force import is_admissible, is_within, some_objective
from tests.oracle.choices import Seeded
from tests.oracle.random_fleets import enlarged, some_fleet
from tests.oracle.random_rules import some_rule
from tests.oracle.small_problems import some_budget

KINDS: Final = tuple(registry())
BATCHES: Final = 16
SOAK_BATCHES: Final = 100
FLEETS: Final = 500
"""Of a batch."""
PHASES: Final = 6
STEPS: Final = 400
"""Proposals of a phase."""
SHARES: Final = (
    (0.4, 0.02, 0.3, 0.02), (0.3, 0.4, 0.0, 0.1), (0.0, 0.0, 0.0, 0.3), (0.4, 0.1, 0.4, 0.06),
)  # fmt: skip
"""Of swaps, chains, second thoughts about moved guests, and of shifts that lead home."""
FOLLOWED: Final = (
    layout.ENERGY, layout.OVER, layout.BAD, layout.MOVED, layout.MOVED_MEMORY, layout.TEAM_MOST,
)  # fmt: skip
"""Numbers that each move changes. What repairs and should-rules come to is only ever built anew."""


def search_of(number: int) -> LocalSearch:
    """The search of a number: fleets of up to 12 hosts and 24 guests, rules of a kind or of any.

    One in ten has amounts as large as they are allowed to be.
    """
    choices = Seeded(random.Random(f"walk {number}"))
    hosts, guests = choices.one_of(((3, 4), (5, 8), (12, 24)))
    calm = choices.chance(75)
    fleet = some_fleet(choices, rules=False, calm=calm, hosts=hosts, guests=guests)
    fleet = enlarged(fleet, 2**40) if number % 10 == 9 else fleet
    kind = KINDS[number // 2 % len(KINDS)] if number % 2 else None
    rules = [
        some_rule(choices, fleet, kind or choices.one_of(KINDS), f"rule {i}")
        for i in range(choices.number(1, 4))
    ]
    problem = compile_fleet(fleet.changed(rules=tuple(rules)))
    goals = [Tier(f"goal {i}", objective=some_objective(choices, problem)) for i in range(2)]
    tiers = (REPAIRS, SHOULD, *goals[: choices.number(0, 2)])
    return LocalSearch(problem, tiers, some_budget(choices), seed=number)


def followed(search: LocalSearch) -> dict[str, list[Any]]:
    """All that moves change, of those sets of guests that any rule looks at."""
    state = search.assembly.state
    hosts, guests, zones, sets, ranges = (
        state.hosts, state.guests, state.zones, state.sets, state.ranges,
    )  # fmt: skip
    seen = np.unique(sets.of_set)
    return {
        "numbers": state.num[list(FOLLOWED)].tolist(),
        "loads": hosts.load.tolist(),
        "costs": hosts.cost.tolist(),
        "counts": hosts.count.tolist(),
        "zones": zones.sum.tolist(),
        "moved": sorted(guests.moved[: state.num[layout.MOVED]].tolist()),
        "teams": [guests.team_moved.tolist(), guests.team_buckets.tolist()],
        "sets": [sets.count.tolist(), sets.values[seen].tolist(), sets.placed[seen].tolist()],
        "everybody": [sets.total.tolist(), sets.fresh.tolist()],
        "ranges": [ranges.top.tolist(), ranges.bottom.tolist()],
        "scratch": [bool(sets.scratch.any()), int(state.num[layout.TRAIL])],
    }


def compare(search: LocalSearch, phase: Any) -> None:
    """Build the state anew and look for what differs."""
    before = followed(search)
    rebuild(search.assembly.handle, False)
    after = followed(search)
    wrong = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    assert not wrong, (phase, wrong)


def phase_of(search: LocalSearch, choices: Seeded) -> tuple[Any, ...]:
    """Make some moves of one sort; return which."""
    assembly, state = search.assembly, search.assembly.state
    sort = choices.one_of(("walk", "walk", "walk", "walk", "heal", "level", "descend", "drain"))
    if sort == "heal":
        heal(assembly.handle, 20, assembly.gathered, choices.chance(50))
        return (sort,)
    if sort == "descend":
        descend(assembly.handle, STEPS)
        return (sort,)
    if sort == "drain":
        drain(assembly.handle, np.arange(len(search.problem.hosts), dtype=np.int32))
        return (sort,)
    if sort == "level":
        heap = np.zeros(len(search.problem.hosts), dtype=np.int64)
        for column in range(state.hosts.load.shape[1]):
            level(assembly.handle, column, state.guests.order, heap, heap.copy())
        return (sort,)
    largest = float(assembly.size.max(initial=1.0))
    heat = choices.one_of((0.0, 0.02 * largest, largest, 100.0 * largest))
    hard = choices.chance(60)
    shares = choices.one_of(SHARES)
    last = len(state.guests.order)
    walk(assembly.handle, STEPS, heat, hard, last, *shares, assembly.gathered)
    return (sort, heat, hard, shares)


def best_is_sound(search: LocalSearch) -> None:
    """What the walk kept as the best is admissible, within the budget, and worth what it says."""
    state, problem = search.assembly.state, search.problem
    state.guests.host[:] = state.best
    rebuild(search.assembly.handle, False)
    assert state.num[layout.ENERGY] == state.num[layout.BEST]
    placement = placement_of(search)
    assert is_within(problem, placement, search.assembly.budget)
    if not search.assembly.rows.asked:  # else the search asks before it gives it away
        assert is_admissible(problem, placement)


def placement_of(search: LocalSearch) -> Any:
    """Where the walk is."""
    hosts = search.assembly.state.guests.host
    return np.where(hosts == len(search.problem.hosts), -1, hosts)


def checks_agree(search: LocalSearch) -> None:
    """Where the walk ended the rules' own checks find what the search finds."""
    problem, tiers, placement = search.problem, search.assembly.tiers, placement_of(search)
    assert search.values(placement) == values_of(problem, tiers, placement), placement.tolist()
    expected = is_admissible(problem, placement)
    assert search.is_admissible(placement) == expected, placement.tolist()


def is_followed_in_full(search: LocalSearch) -> bool:
    """Whether the energy says all that tiers say: of slots and groups it follows the first goal's.

    Rules whose own check has to be asked are no part of it either.
    """
    goals = [tier.objective for tier in search.assembly.tiers if tier.objective is not None]
    slots = sum(bool(goal.slot_price.any() and goal.slot_shape.any()) for goal in goals)
    groups = sum(bool(goal.group_price) for goal in goals)
    return slots < 2 and groups < 2 and not search.assembly.rows.asked


def energy_is_worth_it(search: LocalSearch, energy: int) -> None:
    """The energy has changed since the start, where it was *energy*, by what the tiers have."""
    num, problem, tiers = search.assembly.state.num, search.problem, search.assembly.tiers
    if num[layout.OVER] or not is_followed_in_full(search):
        return
    before, after = (values_of(problem, tiers, p) for p in (problem.start, placement_of(search)))
    worth = zip(search.assembly.weights, before, after, strict=True)
    expected = sum(weight * (new - old) for weight, old, new in worth)
    assert int(num[layout.ENERGY]) - energy == expected, (before, after)


def walked(number: int) -> bool:
    """Walk over one fleet, looking after each phase; False where nobody can move.

    So it is where a rule costs more than can be counted, which the search refuses to begin with.
    """
    try:
        search = search_of(number)
    except TooLarge:
        return False
    state = search.assembly.state
    if not len(state.guests.order):
        return False
    choices = Seeded(random.Random(f"phases {number}"))
    search._load(search.problem.start)
    energy = int(state.num[layout.ENERGY])
    for _ in range(PHASES):
        compare(search, phase_of(search, choices))
    energy_is_worth_it(search, energy)
    checks_agree(search)
    best_is_sound(search)
    return True


def walked_over(batch: int) -> int:
    """Walk over the fleets of a batch; return how many had anybody who can move."""
    count = 0
    for number in range(batch * FLEETS, (batch + 1) * FLEETS):
        try:
            count += walked(number)
        except AssertionError as error:
            error.add_note(f"walked({number})")
            raise
    return count


@pytest.mark.parametrize("batch", range(BATCHES))
def test_moves_change_what_building_anew_finds(batch: int) -> None:
    """After thousands of moves every sum is what building it anew gives, and checks agree."""
    assert walked_over(batch) > FLEETS // 2


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(BATCHES, BATCHES + SOAK_BATCHES))
def test_moves_change_what_building_anew_finds_for_long(batch: int) -> None:
    """Over 50,000 more fleets too."""
    assert walked_over(batch) > FLEETS // 2
