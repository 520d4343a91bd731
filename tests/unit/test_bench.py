# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: their fleets, their judges, their figures and their command; not their times."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from benchmarks import suite
from benchmarks.benchmark import (
    Benchmark,
    Failed,
    Figure,
    Row,
    Skipped,
    compared,
    holds,
    measured,
    missing,
    shown,
    told,
    within,
)
from benchmarks.generators.balance import Recipe, balance_fleet
from benchmarks.gmrp_cost import Invalid, cost, read_assignment, read_challenge
from benchmarks.judging import judge
from benchmarks.page import page
from benchmarks.peers.calls import Peers, request_of
from benchmarks.peers.environment import PROXLB_SOLVER, REBALANCER, Peer, Unavailable, python_of
from benchmarks.proxlb_objective import objective
from benchmarks.rows.settling import random_sources
from benchmarks.running import run
from benchmarks.session import Session, ask
from benchmarks.workloads import open_workload
from moorage.cli import bench
from moorage.model import Fleet, FrozenMap, GoalChoice, Guest, Host
from moorage.verifying import broken_now, check
from tests.conftest import RunMoorage

if TYPE_CHECKING:
    from pathlib import Path

GENERATED = (
    *("balance:3x6", "balance:12x96", "balance:100x1000", "balance:40x400?seed=9"),
    *("packing:14x50?racks=3", "packing:50x200?racks=5", "replicas:5x4"),
)
# What a made-up fleet may have broken at the start: hosts to drain, guests that want a host.
STANDING = {"balance": {"maintenance"}, "packing": {"placed"}, "replicas": {"placed"}}


def session(tmp_path: Path, cases: Path | None = None) -> Session:
    """A session without cases and without any peer installed."""
    return Session(cases, Peers(tmp_path))


def two_hosts(goal: GoalChoice | None = None) -> Fleet:
    """Two hosts of 10 GiB, three guests of 2 GiB on the first."""
    room = FrozenMap({"memory": 10_240, "cpu": 16_000})
    demand = FrozenMap({"memory": 2048, "cpu": 1000})
    guests = [Guest(f"g{i}", host="a", demand=demand) for i in range(3)]
    return Fleet(
        hosts=FrozenMap({name: Host(name, capacity=room) for name in ("a", "b")}),
        guests=FrozenMap({guest.id: guest for guest in guests}),
        goal=goal,
    )


# --- fleets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", GENERATED)
def test_made_up_fleets_are_the_same_each_time(source: str) -> None:
    """A workload's name and sizes decide every byte of its fleet."""
    assert open_workload(source).version == open_workload(source).version


def test_seeds_make_different_fleets() -> None:
    """Another seed draws another fleet."""
    assert balance_fleet(Recipe(10, 60)).version != balance_fleet(Recipe(10, 60, 2)).version


@pytest.mark.parametrize("source", GENERATED)
def test_made_up_fleets_start_validly(source: str) -> None:
    """The verifier finds nothing broken at the start but what the workload is there to mend."""
    broken = {violation.breach.rule for violation in broken_now(open_workload(source))}
    assert broken <= STANDING[source.partition(":")[0]]


@pytest.mark.parametrize("source", GENERATED[:-1])
def test_made_up_rules_agree_with_each_other(source: str) -> None:
    """Only the workload that is meant to be impossible has rules that contradict each other."""
    assert not check(open_workload(source)).is_contradictory


def test_too_many_replicas_are_a_conflict() -> None:
    """The impossible workload is impossible by its rules alone."""
    assert check(open_workload("replicas:5x4")).is_contradictory


def test_a_balance_fleet_is_out_of_balance() -> None:
    """There is something to do: the start is skewed, a host is in maintenance, replicas exist."""
    fleet = open_workload("balance:100x1000")
    judged = judge(fleet, {})
    assert judged.spread_percent > 50
    assert judged.standing == 1
    assert len(fleet.rules) == 33
    assert len({host.usable("memory") for host in fleet.hosts.values()}) == 2


def test_packing_fleets_have_a_placement() -> None:
    """Memory and vCPUs of all guests fit the hosts that are well, with room to spare."""
    fleet = open_workload("packing:14x50?racks=3")
    for resource in ("memory", "cpu"):
        taken = sum(guest.demand[resource] for guest in fleet.guests.values())
        room = sum(h.usable(resource) for h in fleet.hosts.values())
        assert taken < room * 14 // 15


def test_random_fleets_are_a_thousand_different_ones() -> None:
    """The fixpoint is asked of a thousand fleets, none of them twice."""
    assert len(set(random_sources())) == 1000


# --- judges --------------------------------------------------------------------------------------


def test_the_judge_measures_a_placement() -> None:
    """Moves, memory, spread and hosts in use follow from the fleet and the placement alone."""
    judged = judge(two_hosts(), {"g0": "b"})
    assert (judged.moves, judged.moved_mib, judged.hosts_used) == (1, 2048, 2)
    assert judged.spread_percent == pytest.approx(20)
    assert judged.hottest_percent == pytest.approx(40)
    assert judged.broken == 0


def test_the_judge_names_what_is_newly_broken() -> None:
    """A placement that overfills a host counts as broken, whoever made it."""
    fleet = two_hosts()
    small = replace(fleet.hosts["b"], capacity=FrozenMap({"memory": 2048, "cpu": 16_000}))
    fleet = fleet.changed(hosts=FrozenMap({**fleet.hosts, "b": small}))
    assert judge(fleet, {"g0": "b", "g1": "b"}).broken == 1


@pytest.mark.parametrize(
    ("level", "placements", "value"),
    [
        (3, {}, 10 * 6000),
        (3, {"g0": "b"}, 10 * 2000 + 10 * 8),
        (5, {"g0": "b"}, 100 * 2000 + 8),
        (1, {"g0": "b"}, 8),
    ],
)
def test_the_objective_of_proxlb_is_its_own(
    level: int, placements: dict[str, str], value: int
) -> None:
    """Gap and moves have the weights of their level; level 1 doesn't balance a gap of 60 %."""
    goal = GoalChoice("proxlb", FrozenMap({"method": "memory", "balanciness": level}))
    assert objective(two_hosts(goal), placements) == value


def test_the_objective_of_other_methods_is_refused() -> None:
    """The judge doesn't pretend to know a method that the scenarios don't use."""
    goal = GoalChoice("proxlb", FrozenMap({"method": "cpu_psi"}))
    with pytest.raises(ValueError, match="cpu_psi"):
        objective(two_hosts(goal), {})


def challenge_file(tmp_path: Path, numbers: Iterable[str]) -> Path:
    """Write numbers as the challenge writes them."""
    path = tmp_path / "numbers.txt"
    path.write_text(" ".join(numbers), "utf-8")
    return path


def test_the_cost_of_an_assignment_is_counted_from_the_files(tmp_path: Path) -> None:
    """Load above what is safe, moved processes, the most moved service and machines add up."""
    model = "1 1 10 2 0 0 8 6 0 5 1 1 8 8 3 0 2 1 0 1 0 2 0 4 7 1 3 2 0 1 2 4"
    challenge = read_challenge(challenge_file(tmp_path, model.split()))
    assert read_assignment(challenge_file(tmp_path, ["0", "0"])) == [0, 0]
    assert cost(challenge, [0, 0], [0, 0]) == 10 * (7 - 6)
    assert cost(challenge, [0, 0], [0, 1]) == 1 * 2 + 2 * 1 + 4 * 5


def test_an_assignment_that_overfills_or_splits_is_invalid(tmp_path: Path) -> None:
    """Two processes of one service on a machine, or too much on it, is no assignment."""
    same = "1 0 10 2 0 0 8 6 0 5 1 1 8 8 3 0 1 1 0 2 0 4 7 0 3 2 0 1 2 4"
    challenge = read_challenge(challenge_file(tmp_path, same.split()))
    with pytest.raises(Invalid, match="conflict"):
        cost(challenge, [0, 1], [0, 0])
    with pytest.raises(Invalid, match="machine"):
        cost(challenge, [0, 1], [0, 2])


# --- figures -------------------------------------------------------------------------------------


def test_a_ratio_passes_up_to_its_threshold() -> None:
    """The ratio is ours by theirs; equal to the threshold is still good."""
    assert compared("moves", 5, 10, "peer", at_most=0.5).passed is True
    assert compared("moves", 6, 10, "peer", at_most=0.5).passed is False
    assert compared("moves", 6, 10, "peer", at_most=None).passed is None


def test_nothing_against_nothing_is_even() -> None:
    """Zero meets zero, and anything more than zero misses it."""
    assert within("left", 0, 0).passed is True
    assert within("left", 1, 0).ratio == math.inf
    assert within("left", 1, 0).passed is False


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (1234567, "1,234,567"), (0.01234, "0.0123"), (3.14159, "3.14"), (123.4, "123")],
)
def test_numbers_are_shown_to_three_digits(number: float, text: str) -> None:
    """Whole numbers stay whole, others have three digits."""
    assert shown(number) == text


def row(*figures: Figure, skipped: str = "") -> Row:
    """A row of a benchmark that needs no run."""
    benchmark = Benchmark("some-name", "Something is solved.", "2 x 3", "peer", lambda _: ())
    return Row(benchmark, figures, skipped)


def test_a_row_passes_if_all_its_figures_do() -> None:
    """One figure that misses its threshold fails the row; those without one don't count."""
    good, bad = within("s", 1, 2), within("s", 3, 2)
    assert row(good, told("gap", 4)).passed is True
    assert row(good, bad).passed is False
    assert row(told("gap", 4)).passed is None


@pytest.mark.parametrize(
    ("error", "skipped", "passed"),
    [(Skipped("no cases"), "no cases", None), (Failed("x"), "", False)],
)
def test_what_cannot_run_says_why(
    tmp_path: Path, error: Exception, skipped: str, passed: bool | None
) -> None:
    """A missing instance skips a row; no answer of ours fails it."""

    def fail(_: Session) -> Iterable[Figure]:
        raise error

    found = measured(Benchmark("b", "w", "s", "p", fail), session(tmp_path))
    assert (found.skipped, found.passed) == (skipped, passed)


def drawn(*rows: Row) -> str:
    """What the table looks like where it is wide enough."""
    out = io.StringIO()
    Console(file=out, width=180, markup=False).print(bench.results_table(rows))
    return out.getvalue()


def test_the_table_has_a_line_for_each_figure() -> None:
    """Name and size stand once; each figure shows ours, theirs, ratio, threshold and verdict."""
    lines = drawn(
        row(compared("moves", 5, 10, "peer"), holds("status", "x", "optimal", passed=False))
    )
    moves, status = (next(x for x in lines.splitlines() if w in x) for w in ("moves", "status"))
    assert moves.split()[:8] == ["some-name", "2", "x", "3", "moves", "5", "10", "0.500"]
    assert "some-name" not in status
    assert "optimal" in status


def test_the_table_tells_why_a_row_was_skipped() -> None:
    """A skipped benchmark is a line with its reason."""
    assert "skipped: no cases" in drawn(row(skipped="no cases"))


def test_a_peer_that_is_missing_leaves_our_number() -> None:
    """Without the peer the row still shows what we reach, and no verdict."""
    figure = missing("moves", 7, "peer", "peer not available: no Python")
    assert figure.passed is None
    assert "no Python" in drawn(row(figure))


def test_json_has_no_infinities() -> None:
    """A ratio to nothing is null, because JSON has no word for it."""
    document = bench.row_to_dict(row(within("left", 1, 0)))
    assert document["figures"][0]["ratio"] is None
    assert json.dumps(document, allow_nan=False)


def test_the_page_has_each_figure_and_each_reason() -> None:
    """The page says what was measured on what, and what was not run."""
    text = page([row(within("seconds", 3, 2)), row(skipped="no | cases")])
    assert "| seconds | 3 | limit | 2 | 1.50 | 1 | **fail** |" in text
    assert "no \\| cases" in text
    assert PROXLB_SOLVER.requirement in text


def test_what_was_not_measured_again_stays_on_the_page() -> None:
    """A run of one benchmark replaces its section, keeps others, and drops what is no more."""
    first = page([row(within("seconds", 3, 2))])
    other = first.replace("some-name", "other-name (5 x 6)").replace("2 x 3", "")
    again = page([row(within("seconds", 1, 2))], other + first, ["some-name", "other-name"])
    assert "| seconds | 1 | limit |" in again
    assert again.count("| seconds | 3 | limit |") == 1
    assert again.count("## other-name") == again.count("## some-name") == 1
    assert "other-name" not in page([], other, ["some-name"])


# --- processes and peers -------------------------------------------------------------------------


def test_a_process_is_measured() -> None:
    """Output, peak memory and exit code of a child are known when it ends."""
    program = "x = bytearray(200 << 20); print('{\"done\": 1}')"
    done = run(["python3", "-c", program])
    assert done.answer == {"done": 1}
    assert 200 <= done.peak_mib < 300


def test_a_process_that_takes_too_long_is_ended() -> None:
    """After its time limit a child is gone and has no answer."""
    done = run(["python3", "-c", "import time; time.sleep(60)"], timeout_s=0.5)
    assert done.timed_out
    assert done.answer is None
    assert done.complaint.startswith("no answer after")


def test_a_process_cannot_take_more_memory_than_it_may() -> None:
    """The limit on memory ends a child that wants more, and says so."""
    done = run(["python3", "-c", "bytearray(4 << 30)"], memory_mib=1024)
    assert "MemoryError" in done.complaint


def test_a_peer_without_its_python_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no Python is new enough, the reason names the version that is needed."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    peer = Peer("future", "1", "none.py", "MIT", least_python=99)
    with pytest.raises(Unavailable, match=r"needs Python 3\.99"):
        python_of(peer, tmp_path)
    asked = ask(session(tmp_path), peer, {}, 1)
    assert asked.reason.startswith("peer not available: ")


def test_peers_are_pinned() -> None:
    """What we compare with is one version of each peer, and each has its adapter."""
    for peer in (PROXLB_SOLVER, REBALANCER):
        assert peer.requirement == f"{peer.name}=={peer.version}"
        assert peer.program.is_file()


def test_a_peer_is_told_the_whole_fleet() -> None:
    """Every host, guest, group of replicas and host to drain is in the request."""
    fleet = open_workload("balance:12x96")
    request = request_of(fleet)
    assert (len(request["hosts"]), len(request["guests"])) == (12, 96)
    assert len(request["apart"]) == len(fleet.rules)
    assert request["drained"] == ["host-00000"]
    assert json.loads(json.dumps(request)) == request


# --- the command ---------------------------------------------------------------------------------


def test_names_may_be_beginnings_or_patterns() -> None:
    """A name stands for itself, for all that begin with it, or for what matches it."""
    assert [b.name for b in suite.select(["pack-100x1000"])] == ["pack-100x1000"]
    assert {b.name for b in suite.select(["gmrp"])} == {"gmrp-a1", "gmrp-a2", "gmrp-b"}
    assert len(suite.select(["*-balance"])) == 11
    assert len(suite.select([])) == len(suite.benchmarks())


def test_benchmarks_without_cases_are_skipped(tmp_path: Path) -> None:
    """Instances of others are asked for with a word on how to give them."""
    for name in ("gmrp-b", "btrplace-li-r3-c0", "proxlb-scenarios", "fixpoint-scenarios"):
        (benchmark,) = suite.select([name])
        assert "--cases" in measured(benchmark, session(tmp_path)).skipped
        assert "not among" in measured(benchmark, session(tmp_path, tmp_path)).skipped


def test_the_command_lists_benchmarks(run_moorage: RunMoorage) -> None:
    """`bench --list --json` names what there is, and runs nothing."""
    done = run_moorage("bench", "--list", "--json", "pack")
    names = [entry["name"] for entry in json.loads(done.stdout)["benchmarks"]]
    assert "packing-14x50" in names


def test_a_name_that_is_not_there_is_wrong_usage(run_moorage: RunMoorage) -> None:
    """An unknown benchmark exits 64 and says how to list them."""
    done = run_moorage("bench", "frobnicate")
    assert done.returncode == 64
    assert "--list" in done.stderr


def test_outside_a_checkout_the_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are no benchmarks, the error says where they are."""
    from moorage.model.errors import NotFound

    monkeypatch.setattr(bench, "__file__", str(tmp_path / "a/b/c/d/bench.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match="not of the package"):
        bench._checkout()


def test_a_skipped_run_exits_well(run_moorage: RunMoorage) -> None:
    """A run in which nothing could be measured tells why, and is no failure."""
    done = run_moorage("bench", "gmrp-a1", "--json", MOORAGE_BENCH_CASES="")
    (found,) = json.loads(done.stdout)["rows"]
    assert done.returncode == 0
    assert "--cases" in found["skipped"]
