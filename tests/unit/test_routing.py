# SPDX-License-Identifier: Apache-2.0
"""Plans: what waits for what, who is parked, how long it takes."""

from __future__ import annotations

from typing import Any

import pytest

from moorage.model.fleet import Fleet
from moorage.model.plan import ActionKind, Plan
from moorage.model.rule import When
from moorage.model.topology import MoveLimits
from moorage.routing.router import route
from moorage.rules.apart import Apart
from moorage.rules.together import Together
from moorage.verifying import verify
from tests.tiny import fleet, guest, host


def way(made: Fleet, target: dict[str, str | None]) -> Plan:
    """The plan for a target, which the verifier takes."""
    found = route(made, target)
    assert not [v for v in verify(made, found) if not v.pre_existing]
    return found


def kinds(found: Plan) -> list[ActionKind]:
    """What happens, step by step."""
    return [action.kind for step in found.steps for action in step.actions]


def test_nothing_to_move_takes_no_time() -> None:
    """A target that is where guests are has an empty plan that leads there."""
    made = fleet([host("a"), host("b")], [guest("g", "a")])
    assert way(made, {"g": "a"}) == Plan()


def test_a_move_waits_for_enough_leavers_not_for_all() -> None:
    """Of three that leave a full host the newcomer needs one, and waits for no other."""
    hosts = [host("a", 12), host("b", 40), host("c", 40)]
    leaving = [guest(f"g{i}", "a", 4, move_duration_s=10 * (i + 1)) for i in range(3)]
    made = fleet(hosts, [*leaving, guest("new", "c", 4, move_duration_s=5)])
    found = way(made, {**{g.id: "b" for g in leaving}, "new": "a"})
    step = next(s for s in found.steps if s.actions[0].guest == "new")
    (waits_for,) = step.depends_on
    assert found.steps[waits_for].actions[0].guest == "g0"
    assert step.start_s == 10


def test_full_hosts_swap_over_a_spare_one_in_the_least_time() -> None:
    """Parking is scheduled, too: the makespan is proved."""
    hosts = [host(f"h{i}", 10) for i in range(5)]
    guests = [guest(f"g{i}", f"h{i}", 10, move_duration_s=10) for i in range(4)]
    swap: dict[str, str | None] = {f"g{i}": f"h{i ^ 1}" for i in range(4)}
    found = way(fleet(hosts, guests, limits=MoveLimits(at_once=2)), swap)
    assert len(found.steps) == 6
    assert kinds(found).count(ActionKind.PARK) == len(found.parked) == 2
    assert found.makespan_s == found.makespan_bound_s == 60


def test_limits_on_moves_at_once_are_kept() -> None:
    """Two at a time take half as long as one after another, and the bound knows."""
    hosts = [host("a", 50), host("b", 50), host("c", 50), host("d", 50)]
    guests = [guest(f"g{i}", "ab"[i % 2], 4, move_duration_s=7) for i in range(6)]
    target: dict[str, str | None] = {f"g{i}": "cd"[i % 2] for i in range(6)}
    for at_once, takes in ((1, 42), (2, 21)):
        found = way(fleet(hosts, guests, limits=MoveLimits(at_once=at_once)), target)
        assert (found.makespan_s, found.makespan_bound_s) == (takes, takes)


def test_partners_that_never_meet_wait_for_each_other() -> None:
    """Replicas change hosts without ever sharing one, not even while one leaves it."""
    rule = Apart(name="db", guests=("x", "y"))
    made = fleet([host(n, 10) for n in "abc"], [guest("x", "a"), guest("y", "b")], rule)
    found = way(made, {"x": "b", "y": "c"})
    first, second = found.steps
    assert first.actions[0].guest == "y"
    assert second.depends_on == (first.index,)


@pytest.mark.parametrize("when", [None, When.ALWAYS])
def test_a_group_that_is_together_at_every_instant_moves_as_one(when: Any) -> None:
    """Its members start together; together at the end alone lets each go by itself."""
    rule = Together(name="app", guests=("x", "y"), when=when)
    made = fleet([host("a", 10), host("b", 10)], [guest("x", "a", 4), guest("y", "a", 4)], rule)
    found = way(made, {"x": "b", "y": "b"})
    if when is When.ALWAYS:
        assert [action.guest for action in found.steps[0].actions] == ["x", "y"]
        assert kinds(found) == [ActionKind.MIGRATE, ActionKind.CO_MOVE]
    else:
        assert len(found.steps) == 2


def test_what_can_be_reached_is_gone_without_the_rest() -> None:
    """Two that can't swap stay, are named, and stop nobody else."""
    hosts = [host(n, 10) for n in "abcd"]
    guests = [guest("x", "a", 9), guest("y", "b", 9), guest("z", "c", 9), guest("w", "d", 1)]
    made = fleet([*hosts[:3], host("d", 3)], guests)
    found = way(made, {"x": "b", "y": "a", "w": "c"})
    assert not found.feasible
    assert sorted(g for g, _ in found.unreachable) == ["x", "y"]
    assert [s.actions[0].guest for s in found.steps] == ["w"]


def test_who_has_no_host_is_placed() -> None:
    """A guest without a host is started on its target, when there is room."""
    made = fleet([host("a", 10), host("b", 10)], [guest("old", "a", 8), guest("new", None, 8)])
    found = way(made, {"old": "b", "new": "a"})
    assert sorted(kinds(found)) == [ActionKind.MIGRATE, ActionKind.PLACE]
    placing = next(s for s in found.steps if s.actions[0].guest == "new")
    assert len(placing.depends_on) == 1
