# SPDX-License-Identifier: Apache-2.0
"""The commands of this version, called as a user calls them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import RunMoorage

if TYPE_CHECKING:
    from pathlib import Path

FLEET = """\
schema: moorage/fleet/v1
name: tiny
hosts:
  a: {memory: 8 GiB, cpu: 4}
  b: {memory: 8 GiB, cpu: 4}
guests:
  web: {host: a, memory: 6 GiB, cpu: 1}
  db-1: {host: b, memory: 2 GiB, cpu: 1}
  db-2: {host: b, memory: 2 GiB, cpu: 1}
rules:
  - apart: {name: dbs, guests: [db-1, db-2]}
"""

CONTRADICTION = FLEET + "  - together: {name: both, guests: [db-1, db-2]}\n"


@pytest.fixture
def fleet(tmp_path: Path) -> str:
    path = tmp_path / "fleet.yaml"
    path.write_text(FLEET, encoding="utf-8")
    return str(path)


def written(tmp_path: Path, name: str, content: object) -> str:
    path = tmp_path / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def answer(run_moorage: RunMoorage, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = run_moorage(*arguments, "--json")
    assert done.returncode == code, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_check_names_what_is_broken_now(run_moorage: RunMoorage, fleet: str) -> None:
    """`check --json` has the contract's words, and lists the broken rule as standing."""
    document = answer(run_moorage, "check", fleet)
    assert document["schema"] == "moorage/check/v1"
    assert document["fleet"]["hosts"] == 2
    assert document["fleet"]["guests"] == 3
    assert document["conflicts"] == document["warnings"] == []
    (violation,) = document["violations"]
    assert violation["rule"] == "dbs"
    assert violation["code"] == "apart_host"
    assert violation["guests"] == ["db-1", "db-2"]
    assert violation["pre_existing"] is True
    assert violation["at_s"] is None


def test_check_for_people_says_the_remedy(run_moorage: RunMoorage, fleet: str) -> None:
    """Without --json the sentence and what would resolve it are printed."""
    done = run_moorage("check", fleet)
    assert "dbs: db-1, db-2 share b; at most 1 may" in done.stdout
    assert "move one of them to another host" in done.stdout


def test_strict_check_fails_on_broken_rules(run_moorage: RunMoorage, fleet: str) -> None:
    """`check --strict` exits 9 where a must-rule is broken, for use in scripts."""
    assert run_moorage("check", fleet, "--strict").returncode == 9


def test_contradictory_rules_exit_4(run_moorage: RunMoorage, tmp_path: Path) -> None:
    """Rules that contradict each other are named, and the exit code says conflict."""
    path = tmp_path / "odd.yaml"
    path.write_text(CONTRADICTION, encoding="utf-8")
    (conflict,) = answer(run_moorage, "check", str(path), code=4)["conflicts"]
    assert conflict["rules"] == ["both", "dbs"]


def test_bad_input_exits_65_with_its_place(run_moorage: RunMoorage, tmp_path: Path) -> None:
    """A misspelt key is refused with line and column and the nearest key."""
    path = tmp_path / "typo.yaml"
    path.write_text(FLEET.replace("memory: 6 GiB", "memroy: 6 GiB"), encoding="utf-8")
    done = run_moorage("check", str(path))
    assert done.returncode == 65
    assert "typo.yaml:7:" in done.stderr
    assert "memory" in done.stderr


def test_a_file_that_is_not_there_exits_65(run_moorage: RunMoorage) -> None:
    """A missing file is told by name."""
    done = run_moorage("check", "nowhere.yaml")
    assert done.returncode == 65
    assert "nowhere.yaml" in done.stderr


def test_verify_accepts_a_good_target(run_moorage: RunMoorage, fleet: str, tmp_path: Path) -> None:
    """A target that breaks nothing is verified and exits 0; unnamed guests stay."""
    target = written(tmp_path, "target.json", {"db-1": "a"})
    assert answer(run_moorage, "verify", fleet, target)["violations"] == []


def test_verify_refuses_what_is_worse(run_moorage: RunMoorage, fleet: str, tmp_path: Path) -> None:
    """An overloaded host is named with figures and the exit code says verification failed."""
    target = written(tmp_path, "target.json", {"db-1": "a", "db-2": "a"})
    document = answer(run_moorage, "verify", fleet, target, code=9)
    found = {(v["rule"], v["host"], v["text"]) for v in document["violations"]}
    assert ("capacity", "a", "a: memory 10 GiB taken, 8 GiB usable") in found
    assert document["verified"] is False


def test_verify_keeps_what_stood_before_apart(
    run_moorage: RunMoorage, fleet: str, tmp_path: Path
) -> None:
    """Doing nothing leaves the broken rule as it was: marked so, and exit 0."""
    document = answer(run_moorage, "verify", fleet, written(tmp_path, "t.json", {}))
    assert [v["pre_existing"] for v in document["violations"]] == [True]


def test_verify_replays_a_plan_in_time(run_moorage: RunMoorage, fleet: str, tmp_path: Path) -> None:
    """A plan document is replayed; a violation on the way has its instant."""
    action = {"guest": "web", "source": "a", "target": "b", "kind": "migrate"}
    steps = [{"index": 0, "start_s": 3, "end_s": 9, "depends_on": [], "actions": [action]}]
    plan = {"placements": {"web": "b"}, "plan": {"feasible": True, "steps": steps}}
    document = answer(run_moorage, "verify", fleet, written(tmp_path, "p.json", plan), code=9)
    first = document["violations"][0]
    assert (first["at_s"], first["host"], first["code"]) == (3, "b", "no_capacity_memory")


def test_verify_warns_of_another_version(
    run_moorage: RunMoorage, fleet: str, tmp_path: Path
) -> None:
    """A document that was made for another version of the fleet is told so."""
    document = {"fleet": {"version": "0000"}, "placements": {"db-1": "a"}}
    warnings = answer(run_moorage, "verify", fleet, written(tmp_path, "d.json", document))[
        "warnings"
    ]
    assert "version 0000" in warnings[0]


def test_verify_refuses_unknown_names(run_moorage: RunMoorage, fleet: str, tmp_path: Path) -> None:
    """A target with a guest that the fleet hasn't exits 65 and names the guests it has."""
    done = run_moorage("verify", fleet, written(tmp_path, "t.json", {"ghost": "a"}))
    assert done.returncode == 65
    assert "unknown guest 'ghost'" in done.stderr


def test_hosts_lists_what_is_taken(run_moorage: RunMoorage, fleet: str) -> None:
    """`hosts --json` has each host with guests and amounts, in natural order."""
    rows = answer(run_moorage, "hosts", fleet)["hosts"]
    assert [row["id"] for row in rows] == ["a", "b"]
    assert rows[0]["resources"]["memory"] == {
        "taken": 6144,
        "usable": 8192,
        "capacity": 8192,
        "unit": "MiB",
    }
    assert "6 GiB/8 GiB 75%" in run_moorage("hosts", fleet).stdout


def test_hosts_sorts_by_share(run_moorage: RunMoorage, fleet: str) -> None:
    """The fullest host by the asked resource comes first; an unknown resource is usage."""
    rows = answer(run_moorage, "hosts", fleet, "--sort", "cpu")["hosts"]
    assert [row["id"] for row in rows] == ["b", "a"]
    assert run_moorage("hosts", fleet, "--sort", "coal").returncode == 64


def test_guests_know_their_rules(run_moorage: RunMoorage, fleet: str) -> None:
    """`guests --json` lists demand and the names of rules, filtered by host."""
    rows = answer(run_moorage, "guests", fleet, "--host", "b")["guests"]
    assert [(row["id"], row["rules"]) for row in rows] == [("db-1", ["dbs"]), ("db-2", ["dbs"])]


def test_rules_say_whether_they_hold(run_moorage: RunMoorage, fleet: str) -> None:
    """`rules --json` lists each written rule with its breaches."""
    (row,) = answer(run_moorage, "rules", fleet)["rules"]
    assert (row["name"], row["kind"], row["holds"]) == ("dbs", "apart", False)


def test_rules_lists_all_kinds(run_moorage: RunMoorage) -> None:
    """`rules --kinds` gives each kind its invariant."""
    kinds = answer(run_moorage, "rules", "--kinds")["kinds"]
    assert {"apart", "together", "capacity", "headroom"} <= {row["kind"] for row in kinds}
    assert all(row["invariant"].endswith(".") for row in kinds)


def test_convert_native_to_native_changes_no_byte(run_moorage: RunMoorage, tmp_path: Path) -> None:
    """A native file with comments comes out as it went in."""
    source = tmp_path / "commented.yaml"
    source.write_text("# our fleet\n" + FLEET.replace("hosts:", "hosts:  # two of them"), "utf-8")
    done = run_moorage("convert", str(source), "--to", "native")
    assert done.stdout == source.read_text("utf-8")


def test_convert_writes_a_file_that_reads_the_same(
    run_moorage: RunMoorage, fleet: str, tmp_path: Path
) -> None:
    """The fleet written as JSON has the same version as the YAML it came from."""
    target = str(tmp_path / "fleet.json")
    assert run_moorage("convert", fleet, "--to", "native", "--json", "-o", target).returncode == 0
    versions = {answer(run_moorage, "check", f)["fleet"]["version"] for f in (fleet, target)}
    assert len(versions) == 1


def test_convert_into_no_folder_is_wrong_usage(
    run_moorage: RunMoorage, fleet: str, tmp_path: Path
) -> None:
    """A file that can't be written is named, with what the system says of it."""
    target = str(tmp_path / "none" / "fleet.yaml")
    done = run_moorage("convert", fleet, "--to", "native", "-o", target)
    assert done.returncode == 64
    assert target in done.stderr


def test_convert_refuses_what_the_format_cannot_say(
    run_moorage: RunMoorage, tmp_path: Path
) -> None:
    """A rule over racks has no words in proxlb, and is refused rather than dropped."""
    source = tmp_path / "racks.yaml"
    text = FLEET.replace("guests: [db-1, db-2]}", "guests: [db-1, db-2], domain: rack}")
    source.write_text(text.replace("cpu: 4}", "cpu: 4, labels: {rack: r1}}"), "utf-8")
    done = run_moorage("convert", str(source), "--to", "proxlb")
    assert done.returncode == 65
    assert "rule dbs (apart)" in done.stderr


def test_standard_input_is_a_source(run_moorage: RunMoorage) -> None:
    """A dash reads the fleet from standard input."""
    done = run_moorage("check", "-", "--json", stdin=FLEET)
    assert json.loads(done.stdout)["fleet"]["guests"] == 3


def test_ascii_terminals_get_ascii(run_moorage: RunMoorage, fleet: str) -> None:
    """Under LANG=C no command prints anything but ASCII."""
    for arguments in (["check", fleet], ["hosts", fleet], ["guests", fleet], ["rules", fleet]):
        assert run_moorage(*arguments, LANG="C").stdout.isascii()
