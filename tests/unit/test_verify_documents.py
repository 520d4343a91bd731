# SPDX-License-Identifier: Apache-2.0
"""What can be verified: targets, plans and plan documents, and what is refused as neither."""

from __future__ import annotations

import random
from typing import Any

import pytest

from moorage.model.errors import BadInput
from moorage.model.plan import ActionKind
from moorage.verifying import verify
from tests.tiny import fleet, guest, host, plan, step

CLUSTER = fleet([host("a"), host("b", 1)], [guest("g", "a", 2), guest("h", "a")])
MOVE = plan(step(0, 10, ("g", "a", "b")))


def test_a_target_a_plan_and_a_document_are_told_apart() -> None:
    """The same move is found wrong as a target, as a plan, and as a document with both."""
    plan_object = MOVE.to_dict()
    for document in (
        {"g": "b"},
        {"placements": {"g": "b"}},
        {"placements": {"g": "b"}, "plan": None},
    ):
        assert [v.at_s for v in verify(CLUSTER, document)] == [None]
    for document in (plan_object, {"placements": {"g": "b"}, "plan": plan_object}):
        assert [v.at_s for v in verify(CLUSTER, document)] == [0, None]
    assert verify(CLUSTER, plan_object) == verify(CLUSTER, MOVE)


def test_a_plan_reads_back_as_it_was_written() -> None:
    """Kinds, dependencies and times survive the way through the plan object."""
    made = plan(
        step(0, 10, ("h", "a", "b"), kind=ActionKind.PARK),
        step(10, 20, ("h", "b", "a"), kind=ActionKind.RETURN),
    )
    assert verify(CLUSTER, made.to_dict()) == verify(CLUSTER, made)


def test_guests_may_be_called_like_parts_of_documents() -> None:
    """Names such as steps, placements and plan are names as good as any."""
    names = ("steps", "placements", "plan")
    cluster = fleet([host("a"), host("b")], [guest(name, "a") for name in names])
    assert verify(cluster, dict.fromkeys(names, "b")) == []
    assert len(verify(cluster, dict.fromkeys(names))) == 1


def test_the_fleet_is_not_changed_by_a_replay() -> None:
    """Verifying the same plan twice finds the same, from the same start."""
    first = verify(CLUSTER, MOVE)
    assert verify(CLUSTER, MOVE) == first
    assert CLUSTER.placement == {"g": "a", "h": "a"}


@pytest.mark.parametrize(
    ("document", "message", "place"),
    [
        ([], "is a mapping", None),
        ("g=b", "is a mapping", None),
        ({"x": "a"}, "unknown guest 'x'", "target"),
        ({"g": "z"}, "unknown host 'z'", "target.g"),
        ({"g": 7}, "unknown host 7", "target.g"),
        ({"g": ["a"]}, r"unknown host \['a'\]", "target.g"),
        ({7: "a"}, "unknown guest 7", "target"),
        ({"placements": {"x": "a"}}, "unknown guest 'x'", "placements"),
        ({"placements": {}, "plan": 3}, "a plan is a mapping", "plan"),
        ({"steps": 3}, "steps has to be a list", "plan.steps"),
        ({"steps": [3]}, "a step is a mapping", "plan.steps[0]"),
        ({"steps": [], "feasible": "no"}, "feasible has to be true or false", "plan.feasible"),
    ],
)
def test_what_is_no_document_is_refused(document: Any, message: str, place: str | None) -> None:
    """A document of another form is refused as bad input, with the place in it."""
    with pytest.raises(BadInput, match=message) as refused:
        verify(CLUSTER, document)
    assert refused.value.place == place


ACTION = {"guest": "g", "source": "a", "target": "b"}
STEP = {"index": 0, "start_s": 0, "end_s": 10, "actions": [ACTION]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"index": "0"}, "index has to be a whole number"),
        ({"index": None}, "index has to be a whole number"),
        ({"start_s": 0.5}, "start_s has to be a whole number"),
        ({"start_s": True}, "start_s has to be a whole number"),
        ({"start_s": -1}, "starts at 0 or later"),
        ({"end_s": 0}, "ends after its start"),
        ({"actions": {}}, "have to be lists"),
        ({"actions": [3]}, "an action is a mapping"),
        ({"depends_on": [9]}, "there is no step 9"),
        ({"depends_on": ["0"]}, "depends_on holds the numbers of steps"),
        ({"depends_on": [False]}, "depends_on holds the numbers of steps"),
        ({"depends_on": 0}, "have to be lists"),
        ({"actions": [{**ACTION, "guest": ["g"]}]}, "unknown guest"),
        ({"actions": [{**ACTION, "guest": None}]}, "unknown guest None"),
        ({"actions": [{**ACTION, "source": {}}]}, "unknown host"),
        ({"actions": [{**ACTION, "target": None}]}, "unknown host None"),
        ({"actions": [{**ACTION, "target": ["b"]}]}, "unknown host"),
        ({"actions": [{**ACTION, "kind": "teleport"}]}, "unknown kind 'teleport'"),
        ({"actions": [{**ACTION, "kind": []}]}, "unknown kind"),
    ],
)
def test_a_step_of_another_form_is_refused(changes: dict[str, Any], message: str) -> None:
    """Each field of a step and an action has its form, and a wrong one is named."""
    with pytest.raises(BadInput, match=message):
        verify(CLUSTER, {"steps": [{**STEP, **changes}]})


def test_an_unknown_name_comes_with_a_hint() -> None:
    """Who mistypes a name is told which names there are."""
    with pytest.raises(BadInput) as refused:
        verify(CLUSTER, {"g": "c"})
    assert refused.value.hint == "the fleet has a, b"


def test_mutilated_documents_raise_nothing_but_bad_input() -> None:
    """Of 3,000 documents with parts swapped for rubbish each is judged or refused by type."""
    rng = random.Random(11)
    rubbish: list[Any] = [None, True, -1, 3, 0.5, "", "g", "b", [], [[]], {}, {"g": "b"}, 10**30]
    refused = 0
    for _ in range(3_000):
        action = dict(ACTION)
        made: dict[str, Any] = {**STEP, "depends_on": [], "actions": [action]}
        document: dict[str, Any] = {"placements": {"g": "b"}, "plan": {"steps": [made]}}
        for part in rng.sample([document, document["plan"], made, action], 2):
            part[rng.choice([*part, "extra"])] = rng.choice(rubbish)
        try:
            verify(CLUSTER, document)
        except BadInput:
            refused += 1
    assert 1_000 < refused < 2_950
