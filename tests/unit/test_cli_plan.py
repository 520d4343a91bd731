# SPDX-License-Identifier: Apache-2.0
"""`moorage plan` and `moorage route`, called as a user calls them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.conftest import RunMoorage

if TYPE_CHECKING:
    from pathlib import Path

UNEVEN = """\
hosts:
  a: {memory: 64 GiB, cpu: 16}
  b: {memory: 64 GiB, cpu: 16}
guests:
  web-1: {host: a, memory: 16 GiB, cpu: 1}
  web-2: {host: a, memory: 16 GiB, cpu: 1}
"""
SWAP = """\
hosts:
  a: {memory: 10 GiB, cpu: 16}
  b: {memory: 10 GiB, cpu: 16}
guests:
  left: {host: a, memory: 9 GiB, cpu: 1}
  right: {host: b, memory: 9 GiB, cpu: 1}
"""
SPARE = "  c: {memory: 10 GiB, cpu: 16}\n"


def test_a_plan_has_its_way(run_moorage: RunMoorage, write: Any, tmp_path: Path) -> None:
    """The document says what moves when; it is the same in a file, and the verifier takes it."""
    fleet, out = write(UNEVEN), tmp_path / "plan.json"
    done = run_moorage("plan", fleet, "--json", "--out", str(out))
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["plan"]["feasible"]
    (step,) = document["plan"]["steps"]
    assert (step["start_s"], step["depends_on"]) == (0, [])
    assert document["plan"]["makespan_s"] == document["plan"]["makespan_bound_s"] == step["end_s"]
    assert json.loads(out.read_text("utf-8")) == document
    assert run_moorage("verify", fleet, str(out)).returncode == 0


def test_moves_can_be_told_by_the_exit_code(run_moorage: RunMoorage, write: Any) -> None:
    """2 says that there are moves, if that was asked; a fleet at rest exits 0."""
    assert run_moorage("plan", write(UNEVEN), "--detailed-exitcode").returncode == 2
    assert run_moorage("plan", write(SWAP), "--detailed-exitcode").returncode == 0


def test_the_way_is_shown_with_its_times(run_moorage: RunMoorage, write: Any) -> None:
    """People see who goes where, when and how long it takes."""
    done = run_moorage("plan", write(UNEVEN))
    assert "The way:" in done.stdout
    assert "(proved)" in done.stdout


def test_who_stands_in_the_way_is_parked(run_moorage: RunMoorage, write: Any) -> None:
    """Two guests change places over a third host, in three moves."""
    fleet = write(SWAP.replace("guests:", f"{SPARE}guests:"))
    target = write('{"left": "b", "right": "a"}', "target.json")
    done = run_moorage("route", fleet, target, "--json")
    plan = json.loads(done.stdout)["plan"]
    kinds = [action["kind"] for step in plan["steps"] for action in step["actions"]]
    assert done.returncode == 0
    assert sorted(kinds) == ["migrate", "park", "return"]
    assert len(plan["parked"]) == 1


def test_no_way_is_said_and_exits_6(run_moorage: RunMoorage, write: Any) -> None:
    """Without a third host there is none; both guests are named."""
    done = run_moorage("route", write(SWAP), write('{"left": "b", "right": "a"}', "target.json"))
    assert done.returncode == 6
    assert "left stays" in done.stdout
    assert "no_path" in done.stdout


def test_a_target_that_breaks_a_limit_is_refused(run_moorage: RunMoorage, write: Any) -> None:
    """The verifier has the last word on targets of others, too."""
    done = run_moorage("route", write(SWAP), write('{"left": "b"}', "target.json"), "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 9
    assert document["violations"][0]["code"] == "no_capacity_memory"


def test_a_plan_is_no_target(run_moorage: RunMoorage, write: Any) -> None:
    """A plan that is given in place of a target is refused with a hint."""
    done = run_moorage("route", write(SWAP), write('{"steps": []}', "plan.json"))
    assert done.returncode == 65
    assert "placements" in done.stderr


PINNED = """\
rules:
  - pin: {guests: [left], hosts: [b]}
  - pin: {guests: [right], hosts: [a]}
"""


def test_a_repair_that_no_way_leads_to_is_told_as_it_is(
    run_moorage: RunMoorage, write: Any
) -> None:
    """Pins ask for a swap without room for it: the target stays, the plan says it isn't reached."""
    done = run_moorage("plan", write(SWAP + PINNED), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["status"]) == (6, "optimal")
    assert document["placements"] == {"left": "b", "right": "a"}
    assert not document["plan"]["feasible"]
    assert {row["guest"] for row in document["plan"]["unreachable"]} == {"left", "right"}


def test_a_target_that_is_only_better_gives_way_to_one_that_can_be_reached(
    run_moorage: RunMoorage, write: Any
) -> None:
    """What can't be swapped stays where it is, and the bound tells of what would be better."""
    uneven = SWAP.replace("a: {memory: 10 GiB", "a: {memory: 12 GiB")
    uneven = uneven.replace("left: {host: a, memory: 9", "left: {host: a, memory: 7")
    fleet = write(uneven.replace("right: {host: b, memory: 9", "right: {host: b, memory: 10"))
    document = json.loads(run_moorage("plan", fleet, "--json").stdout)
    assert document["plan"]["feasible"]
    assert document["placements"] == {"left": "a", "right": "b"}
    if document["status"] != "optimal":
        assert document["bound"] < document["objective"]
