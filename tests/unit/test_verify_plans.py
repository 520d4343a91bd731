# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a plan itself: sources, overlaps, order, and where it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from moorage.model.errors import BadInput
from moorage.model.hosts import HostState
from moorage.model.plan import Action, ActionKind, Plan, Step
from moorage.model.reasons import Reason
from moorage.model.resources import Resource
from moorage.rules.group_capacity import GroupCapacity
from moorage.verifying import broken_now, is_refused, verify
from tests.tiny import fleet, guest, host, plan, step, texts, violations

ABC = [host("a"), host("b"), host("c")]
PAIR = [guest("g", "a"), guest("h", "b")]


def faults(found: object) -> list[tuple[int | None, str, str]]:
    return [(v.at_s, v.breach.code, v.breach.text) for v in found]  # type: ignore[attr-defined]


def test_a_good_plan_has_no_violation() -> None:
    """Steps in a row and at once, from where the guests are, break nothing."""
    good = plan(step(0, 10, ("g", "a", "b"), ("h", "b", "c")), step(10, 12, ("g", "b", "a")))
    assert verify(fleet(ABC, PAIR), good) == []


def test_an_empty_plan_has_no_violation() -> None:
    """Doing nothing in a fleet that is well breaks nothing."""
    assert verify(fleet(ABC, PAIR), Plan()) == []


def test_a_move_starts_where_its_guest_is() -> None:
    """A move from another host is named at its instant, with both hosts."""
    wrong = plan(step(5, 9, ("g", "b", "c")))
    assert faults(verify(fleet(ABC, PAIR), wrong))[0] == (
        5,
        Reason.PLAN_SOURCE,
        "g is moved from b but is on a",
    )


def test_a_second_move_starts_where_the_first_ended() -> None:
    """The source of each move is where the guest is then, not where it was at the start."""
    wrong = plan(step(0, 5, ("g", "a", "b")), step(5, 9, ("g", "a", "c")))
    assert faults(verify(fleet(ABC, PAIR), wrong))[0] == (
        5,
        Reason.PLAN_SOURCE,
        "g is moved from a but is on b",
    )


def test_a_placed_guest_comes_from_nowhere() -> None:
    """A guest without a host has no source, and one with a host isn't placed anew."""
    cluster = fleet(ABC, [guest("g", "a"), guest("new")])
    assert faults(verify(cluster, plan(step(0, 5, ("new", "b", "c")))))[0][2] == (
        "new is moved from b but is on no host"
    )
    assert faults(verify(cluster, plan(step(0, 5, ("g", None, "b")))))[0][2] == (
        "g is moved from nowhere but is on a"
    )


def test_nothing_is_moved_off_a_dead_host() -> None:
    """A guest of a host that is down is placed anew, from nowhere: there is nobody to copy it."""
    hosts = [host("dead", state=HostState.DOWN), host("b")]
    cluster = fleet(hosts, [guest("g", "dead")])
    assert texts(cluster, plan(step(0, 10, ("g", "dead", "b")))) == [
        (0, "g is moved off dead, which is down; it has to be placed anew")
    ]
    placed = plan(step(0, 10, ("g", None, "b"), kind=ActionKind.PLACE))
    assert verify(cluster, placed) == []


def test_a_move_leads_somewhere_else() -> None:
    """A move to the host where the guest runs already is no move."""
    assert faults(verify(fleet(ABC, PAIR), plan(step(0, 5, ("g", "a", "a")))))[0] == (
        0,
        Reason.PLAN_SOURCE,
        "g is moved to a, where it is already",
    )


def test_a_stopped_guest_is_not_moved() -> None:
    """A plan that moves or starts a guest that is off is refused, and holds no room for it."""
    pool = Resource("disk:local", "MiB")
    hosts = [host(name, more={"disk:local": 5}) for name in "ab"]
    off = guest("off", "a", 99, more={"disk:local": 5}, stopped=True)
    cluster = fleet(hosts, [off], resources=(pool,))
    for source in ("a", None):
        found = verify(cluster, plan(step(0, 5, ("off", source, "b"))))
        assert faults(found) == [(0, Reason.PLAN_SOURCE, "off is moved but is stopped")]


def test_a_target_may_not_carry_a_stopped_guest() -> None:
    """A target that has a stopped guest elsewhere is not what would come about, and says so."""
    cluster = fleet(ABC, [guest("off", "a", stopped=True)])
    assert faults(verify(cluster, {"off": "b"})) == [
        (None, Reason.PLAN_INCOMPLETE, "it ends with off on a, not on b")
    ]
    assert verify(cluster, {"off": "a"}) == []


@pytest.mark.parametrize("start_s", [0, 5, 9])
def test_a_guest_makes_one_move_at_a_time(start_s: int) -> None:
    """A second move that starts before the first has ended is named at its instant."""
    cluster = fleet(ABC, PAIR)
    both = plan(step(0, 10, ("g", "a", "b")), step(start_s, 20, ("g", "a", "c")))
    assert faults(verify(cluster, both))[0] == (
        start_s,
        Reason.PLAN_OVERLAP,
        "g is moved while it is on the move",
    )


def test_an_overlap_inside_one_step_is_seen() -> None:
    """The same guest twice in one step is two moves at a time."""
    twice = plan(step(0, 10, ("g", "a", "b"), ("g", "a", "c")))
    assert [f[1] for f in faults(verify(fleet(ABC, PAIR), twice))] == [Reason.PLAN_OVERLAP]


def test_a_step_waits_for_those_it_depends_on() -> None:
    """A step that starts before one that it depends on has ended is named, at its start."""
    first = step(0, 10, ("g", "a", "b"))
    second = replace(step(9, 20, ("h", "b", "c")), depends_on=(0,))
    cluster = fleet(ABC, PAIR)
    assert faults(verify(cluster, plan(first, second))) == [
        (9, Reason.PLAN_ORDER, "step 1 starts before step 0, on which it depends, ends")
    ]
    in_time = replace(second, start_s=10)
    assert verify(cluster, plan(first, in_time)) == []


def test_a_step_can_not_wait_for_itself() -> None:
    """A step that depends on itself never starts in time."""
    circle = replace(step(0, 10, ("g", "a", "b")), depends_on=(0,))
    assert faults(verify(fleet(ABC, PAIR), plan(circle)))[0][1] == Reason.PLAN_ORDER


def test_the_order_of_steps_in_the_document_does_not_matter() -> None:
    """Steps are replayed by their times, in whatever order they are written."""
    cluster = fleet(ABC, PAIR)
    forth = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "c")))
    assert verify(cluster, Plan(forth.steps[::-1])) == verify(cluster, forth) == []


def test_a_plan_ends_at_its_placements() -> None:
    """A document whose plan leaves guests elsewhere than it says is incomplete."""
    cluster = fleet(ABC, PAIR)
    document = {
        "placements": {"g": "b", "h": "c"},
        "plan": plan(step(0, 5, ("g", "a", "b"))).to_dict(),
    }
    assert faults(verify(cluster, document)) == [
        (None, Reason.PLAN_INCOMPLETE, "it ends with h on b, not on c")
    ]
    document["placements"] = {"g": "c", "h": "c"}
    assert faults(verify(cluster, document))[0][2] == (
        "it ends with g on b, not on c, and 1 more elsewhere than placements say"
    )


def test_a_plan_that_says_it_is_partial_may_end_early() -> None:
    """A plan that isn't feasible is the part that can be reached, and ends where it ends."""
    partial = replace(plan(step(0, 5, ("g", "a", "b"))), feasible=False)
    document = {"placements": {"g": "b", "h": "c"}, "plan": partial.to_dict()}
    assert verify(fleet(ABC, PAIR), document) == []


def test_a_target_out_of_reach_keeps_the_rules_too() -> None:
    """That a plan doesn't reach its placements is no leave for them to break a rule."""
    cluster = fleet([host("a"), host("b", 1)], [guest("g", "a"), guest("h", "a")])
    partial = {"feasible": False, "steps": []}
    assert verify(cluster, {"placements": {"g": "b"}, "plan": partial}) == []
    crowded = {"placements": {"g": "b", "h": "b"}, "plan": partial}
    assert texts(cluster, crowded) == [(None, "b: memory 2 MiB taken, 1 MiB usable")]
    arrived = {"feasible": False, "steps": plan(step(0, 9, ("g", "a", "b"))).to_dict()["steps"]}
    assert texts(cluster, {**crowded, "plan": arrived}) == texts(cluster, crowded)


def test_guests_that_a_target_does_not_name_stay() -> None:
    """A document names those that move; a plan that moves others doesn't end at it."""
    document = {"placements": {}, "plan": plan(step(0, 5, ("g", "a", "b"))).to_dict()}
    assert [f[1] for f in faults(verify(fleet(ABC, PAIR), document))] == [Reason.PLAN_INCOMPLETE]


def test_moves_end_before_others_start() -> None:
    """A guest that arrives at 10 frees its source for one that starts at 10."""
    cluster = fleet([host("a", 1), host("b", 1), host("c", 1)], PAIR)
    chain = plan(step(0, 10, ("h", "b", "c")), step(10, 20, ("g", "a", "b")))
    assert verify(cluster, chain) == []
    early = plan(step(0, 10, ("h", "b", "c")), step(9, 20, ("g", "a", "b")))
    assert texts(cluster, early) == [(9, "b: memory 2 MiB taken, 1 MiB usable")]


def test_trouble_is_said_when_it_begins_and_when_it_grows() -> None:
    """A breach that lasts is named once; a worse one is named again, a better one isn't."""
    hosts = [host("a", 9), host("b", 1), host("c", 9)]
    guests = [guest("g", "a", 2), guest("h", "a", 2), guest("i", "c", 1)]
    longer = plan(
        step(0, 10, ("g", "a", "b")),
        step(5, 15, ("h", "a", "b")),
        step(15, 20, ("h", "b", "a")),
        step(20, 25, ("g", "b", "a")),
        step(25, 26, ("i", "c", "a")),
    )
    assert texts(fleet(hosts, guests), longer) == [
        (0, "b: memory 2 MiB taken, 1 MiB usable"),
        (5, "b: memory 4 MiB taken, 1 MiB usable"),
    ]


def test_two_rules_of_one_name_do_not_excuse_each_other() -> None:
    """Old trouble of an unnamed rule hides no new trouble of another unnamed rule."""
    rules = (
        GroupCapacity(hosts=("a", "b"), resource="memory", at_most=1),
        GroupCapacity(hosts=("c", "d"), resource="memory", at_most=1),
    )
    hosts = [*ABC, host("d")]
    cluster = fleet(hosts, [guest("g", "a", 4), guest("h", "b", 4), guest("i", None, 3)], *rules)
    assert [v.breach.rule for v in broken_now(cluster)] == ["group_capacity", "placed"]
    (found,) = violations(cluster, {"i": "c"})
    assert found.breach.rule == "group_capacity #2"
    assert is_refused(verify(cluster, {"i": "c"}))


# --- plans that are no plans -------------------------------------------------------------------


def one_step(**changes: Any) -> Plan:
    made = Step(0, 0, 10, (Action("g", "a", "b"),))
    return Plan((replace(made, **changes),))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (one_step(end_s=0), "ends after its start"),
        (one_step(start_s=-1), "starts at 0 or later"),
        (one_step(depends_on=(7,)), "there is no step 7"),
        (one_step(actions=(Action("ghost", "a", "b"),)), "unknown guest 'ghost'"),
        (one_step(actions=(Action("g", "a", "z"),)), "unknown host 'z'"),
        (one_step(actions=(Action("g", "z", "b"),)), "unknown host 'z'"),
        (Plan((*one_step().steps, *one_step().steps)), "two steps have the same index"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(bad: Plan, message: str) -> None:
    """A plan value is held to the same form as a plan document, and refused with a reason."""
    with pytest.raises(BadInput, match=message):
        verify(fleet(ABC, PAIR), bad)
