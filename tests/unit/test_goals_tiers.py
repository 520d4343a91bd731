# SPDX-License-Identifier: Apache-2.0
"""Pack, few moves, evacuate and free slots, each against its words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from moorage.goals import goal_tiers
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import GuestKind
from moorage.model.hosts import HostState
from moorage.problem import Problem, compile_fleet, values_of
from tests.tiny import fleet, guest, host

Names = dict[str, str | None]


def best(problem: Problem, choice: GoalChoice) -> tuple[Names, tuple[int, ...]]:
    """The admissible placement with the least tiers, by trying all that hold every rule."""
    tiers = goal_tiers(problem, choice)
    every = product(range(len(problem.hosts)), repeat=len(problem.guests))
    arrays = [np.array(hosts, dtype=np.int32) for hosts in every]
    values, found = min(
        ((values_of(problem, tiers, hosts), tuple(hosts.tolist())) for hosts in arrays),
    )
    return problem.placement(np.array(found, dtype=np.int32)), values


def test_packing_frees_a_host_whatever_it_costs() -> None:
    """Fewer hosts come before cheap moves, and of equal ends the one that copies least."""
    made = fleet(
        [host("h1", 10_000), host("h2", 10_000), host("h3", 10_000)],
        [guest("big", "h1", 6000), guest("mid", "h2", 3000), guest("small", "h3", 1000)],
    )
    found, values = best(compile_fleet(made), GoalChoice("pack"))
    assert found == {"big": "h1", "mid": "h1", "small": "h1"}
    assert values == (0, 0, 1, (2048 + 3000) + (2048 + 1000))


def test_a_drain_that_frees_nothing_is_not_made() -> None:
    """Where no host can be freed, packing moves nobody."""
    made = fleet(
        [host("h1", 10), host("h2", 10)],
        [guest("a", "h1", 6), guest("b", "h2", 6), guest("c", "h2", 3)],
    )
    found, values = best(compile_fleet(made), GoalChoice("pack"))
    assert found == {"a": "h1", "b": "h2", "c": "h2"}
    assert values == (0, 0, 2, 0)


def crowded() -> Fleet:
    """One host that is too full by one, in maintenance nothing."""
    return fleet(
        [host("h1", 10), host("h2", 10), host("h3", 100)],
        [
            guest("a", "h1", 5),
            guest("b", "h1", 4),
            guest("c", "h1", 2, kind=GuestKind.CONTAINER),
            guest("d", "h2", 8),
        ],
    )


def test_few_moves_are_the_fewest_and_then_the_cheapest() -> None:
    """One guest has to go; it is the one that copies least, and a container counts its stop."""
    found, values = best(compile_fleet(crowded()), GoalChoice("few-moves"))
    assert found["b"] == "h3"
    assert values == (0, 0, 1, 2048 + 4)


def test_evacuees_spread() -> None:
    """A host in maintenance is left by all; they don't end on one host together."""
    made = fleet(
        [host("h1", 1000, state=HostState.MAINTENANCE), host("h2", 1000), host("h3", 1000)],
        [guest("a", "h1", 400), guest("b", "h1", 400), guest("c", "h2", 100)],
    )
    found, values = best(compile_fleet(made), GoalChoice("evacuate"))
    assert {found["a"], found["b"]} == {"h2", "h3"}
    assert found["c"] == "h2"
    assert values[2] == 2


@pytest.mark.parametrize("closed", [False, True])
def test_free_slots_are_counted_where_newcomers_may_go(closed: bool) -> None:
    """A slot is the whole shape on one host; scattered room is none."""
    state = HostState.DRAINING if closed else HostState.ACTIVE
    made = fleet(
        [host("h1", 10, more={"cpu": 9}), host("h2", 9, more={"cpu": 9}, state=state)],
        [guest("a", "h1", 3, more={"cpu": 1}), guest("b", "h2", 3, more={"cpu": 5})],
    )
    problem = compile_fleet(made)
    shape = FrozenMap({"memory": 3, "cpu": 2})
    tier = goal_tiers(problem, GoalChoice("free-slots", FrozenMap({"shape": shape})))[2]
    assert tier.objective is not None
    # h1: 7 of memory and 8 of cpu are 2 slots; h2: 6 of memory and 4 of cpu are 2.
    assert tier.objective.value(problem, problem.start) == (-2 if closed else -4)


def test_more_slots_come_before_cheap_moves() -> None:
    """Guests move together when that makes room for another of the shape."""
    made = fleet([host("h1", 10), host("h2", 10)], [guest("a", "h1", 4), guest("b", "h2", 4)])
    choice = GoalChoice("free-slots", FrozenMap({"shape": FrozenMap({"memory": 10})}))
    found, values = best(compile_fleet(made), choice)
    assert found["a"] == found["b"]
    assert values == (0, 0, -1, 2048 + 4)
