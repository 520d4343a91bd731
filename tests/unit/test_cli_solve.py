# SPDX-License-Identifier: Apache-2.0
"""`moorage solve`, called as a user calls it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import RunMoorage

if TYPE_CHECKING:
    from pathlib import Path

FLEET = """\
hosts:
  a: {memory: 64 GiB, cpu: 16}
  b: {memory: 64 GiB, cpu: 16}
guests:
  web-1: {host: a, memory: 16 GiB, cpu: 1}
  web-2: {host: a, memory: 16 GiB, cpu: 1}
"""
CONTRADICTION = """\
rules:
  - together: {name: both, guests: [web-1, web-2]}
  - apart: {name: never, guests: [web-1, web-2]}
"""
TOO_LARGE = "  huge: {memory: 900 GiB, cpu: 1}\n"
KEYS = [
    *("schema", "source", "fleet", "seed", "deterministic", "warnings", "status", "proved_by"),
    *("tiers", "objective", "bound", "gap", "score", "placements", "moves", "plan", "conflict"),
    *("infrastructure_exhausted", "reasons", "violations"),
]
MODEL = "1\n0 1\n2\n0 0 10 4 0 0\n0 0 10 4 0 0\n1\n0 0\n2\n0 3 1\n0 3 1\n0\n1 0 1\n"


def answer(run_moorage: RunMoorage, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = run_moorage("solve", *arguments, "--json")
    assert done.returncode == code, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_answer_has_the_words_of_the_contract(run_moorage: RunMoorage, write: Any) -> None:
    """Each field is there, in its order, and the two guests end on two hosts."""
    document = answer(run_moorage, write(FLEET))
    assert list(document) == KEYS
    assert document["schema"] == "moorage/plan/v1"
    assert document["status"] == "optimal"
    assert document["deterministic"] is True
    assert document["gap"] == 0
    assert document["objective"] == document["bound"]
    assert sorted(document["placements"].values()) == ["a", "b"]
    (move,) = document["moves"]
    assert (move["source"], move["target"]) == ("a", "b")
    assert move["memory_mib"] == 16 * 1024
    assert move["gain"] > 0
    assert document["score"]["after"] > document["score"]["before"]


def test_timings_are_there_only_if_asked_for(run_moorage: RunMoorage, write: Any) -> None:
    """Without --timings equal input gives equal bytes; with it the stages have their seconds."""
    path = write(FLEET)
    first, second = (run_moorage("solve", path, "--json").stdout for _ in range(2))
    assert first == second
    seconds = answer(run_moorage, path, "--timings")["time_s"]
    assert list(seconds) == ["read", "compile", "solve", "route", "verify", "total"]
    assert seconds["route"] == 0


def test_contradictory_rules_exit_with_four(run_moorage: RunMoorage, write: Any) -> None:
    """The names of the rules stand in the conflict."""
    document = answer(run_moorage, write(FLEET + CONTRADICTION), code=4)
    assert document["status"] == "conflict"
    assert {s.get("rule") for s in document["conflict"]["statements"]} >= {"both", "never"}


def test_a_guest_too_large_exits_with_three(run_moorage: RunMoorage, write: Any) -> None:
    """It is named with its reason, and the others are balanced all the same."""
    document = answer(run_moorage, write(FLEET + TOO_LARGE), code=3)
    assert document["status"] == "infeasible"
    assert document["infrastructure_exhausted"]["cause"] == "guest_too_large"
    assert document["infrastructure_exhausted"]["alias"] == "constraint_propagation_failed"
    assert document["placements"]["huge"] is None
    assert document["placements"]["web-1"] != document["placements"]["web-2"]
    assert [(r["guest"], r["code"]) for r in document["reasons"]] == [
        ("huge", "no_capacity_memory")
    ]


def test_people_read_what_moves_and_why(run_moorage: RunMoorage, write: Any) -> None:
    """Without --json there is a line for each move, its reason, the status and the score."""
    done = run_moorage("solve", write(FLEET), LANG="C")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "1 move:" in done.stdout
    assert "evens out memory" in done.stdout
    assert "optimal, proved by" in done.stdout


def test_a_fleet_at_rest_says_so(run_moorage: RunMoorage, write: Any) -> None:
    """Nothing to move is an answer, with exit 0."""
    done = run_moorage("solve", write(FLEET.replace("web-2: {host: a", "web-2: {host: b")))
    assert done.returncode == 0
    assert "nothing to move" in done.stdout


def test_a_limit_on_moves_is_kept(run_moorage: RunMoorage, write: Any) -> None:
    """--max-moves 0 moves nobody."""
    assert not answer(run_moorage, write(FLEET), "--max-moves", "0")["moves"]


@pytest.mark.parametrize(
    "arguments",
    [
        *(("--goal", "balanse"), ("--time", "0"), ("--time", "nan"), ("--effort", "-1")),
        *(("--effort", "inf"), ("--workers", "0"), ("--seed", "-1"), ("--max-moves", "-1")),
        *(("--option", "band_percent=-1"), ("--option", f'weights={{"memory": {10**18}}}')),
    ],
    ids=lambda arguments: " ".join(arguments)[:30],
)
def test_senseless_wishes_are_bad_input(
    run_moorage: RunMoorage, write: Any, arguments: tuple[str, str]
) -> None:
    """An unknown goal or a limit that can't be kept is refused with its place."""
    done = run_moorage("solve", write(FLEET), *arguments)
    assert done.returncode == 65
    assert "error:" in done.stderr


def test_amounts_that_cannot_be_counted_are_bad_input(run_moorage: RunMoorage, write: Any) -> None:
    """A guest of 2^60 MiB is refused with its place, whatever its host has."""
    done = run_moorage("solve", write(FLEET.replace("16 GiB", f"{2**60} MiB")))
    assert done.returncode == 65
    assert "guests.web-1.memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_hosts_without_guests_have_nothing_to_move(run_moorage: RunMoorage, write: Any) -> None:
    """A fleet of nothing but hosts is an answer, with exit 0."""
    assert not answer(run_moorage, write("hosts:\n  a: {memory: 1 GiB}\nguests: {}\n"))["moves"]


def test_next_to_no_time_is_an_answer(run_moorage: RunMoorage, write: Any) -> None:
    """A millisecond is over before anything is searched; staying put comes out all the same."""
    done = run_moorage("solve", write(FLEET), "--time", "0.001", "--json")
    assert done.returncode == 0
    assert set(json.loads(done.stdout)["placements"]) == {"web-1", "web-2"}


def test_an_option_that_is_none_is_wrong_usage(run_moorage: RunMoorage, write: Any) -> None:
    """--option takes KEY=VALUE, and a value that YAML can say."""
    for option in (
        *("band", "=3", "band_percent=.nan", f"band_percent={10**20}", "weights={"),
        *(f'weights={{"memory": {10**400}}}', "weights=a: b", "band_percent=1\nvalue-2: 3"),
    ):
        assert run_moorage("solve", write(FLEET), "--option", option).returncode == 64, option


@pytest.mark.parametrize("value", ['{"memory": 0, "cpu": 0}', "{memory: 0, cpu: 0}"])
def test_options_are_yaml(run_moorage: RunMoorage, write: Any, value: str) -> None:
    """A mapping may be written as YAML has it or as JSON has it: nothing weighs, nothing moves."""
    assert not answer(run_moorage, write(FLEET), "--option", f"weights={value}")["moves"]


def test_a_solution_that_cannot_be_written_is_wrong_usage(
    run_moorage: RunMoorage, write: Any, tmp_path: Path
) -> None:
    """The file is named, with what the system says of it."""
    nowhere = str(tmp_path / "none" / "new.txt")
    done = run_moorage("solve", write(FLEET), "--solution", nowhere)
    assert done.returncode == 64
    assert nowhere in done.stderr


def test_a_breach_that_need_not_be_exits_with_six(run_moorage: RunMoorage, write: Any) -> None:
    """Where only the limit on moves leaves a rule broken, nothing is called infeasible."""
    apart = "rules:\n  - apart: {guests: [web-1, web-2]}\n"
    document = answer(run_moorage, write(FLEET + apart), "--max-moves", "0", code=6)
    assert document["status"] == "unknown"
    assert document["conflict"] is None


def test_an_assignment_is_written_as_its_challenge_has_it(
    run_moorage: RunMoorage, write: Any, tmp_path: Path
) -> None:
    """A reassignment model is solved by its own cost, and the solution is machine numbers."""
    model, start = write(MODEL, "model.txt"), write("0 0\n", "assignment.txt")
    out = tmp_path / "new.txt"
    document = answer(run_moorage, f"{model}:{start}", "--format", "gmrp", "--solution", str(out))
    assert [tier["name"] for tier in document["tiers"]] == ["gmrp"]
    assert sorted(out.read_text().split()) == ["0", "1"]
