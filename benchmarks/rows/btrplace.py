# SPDX-License-Identifier: Apache-2.0
"""BtrPlace's instances: as few moves as possible, proved, and lost guests placed again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import moorage
from benchmarks.benchmark import BOUND, Benchmark, Figure, compared, holds, within
from benchmarks.judging import judge
from benchmarks.rows.balance import sound
from benchmarks.session import Ours, Session
from moorage.model import Fleet

# The fewest moves that there can be: BtrPlace's own test for the first, found and proved by two
# other solvers for the rest.
SMALL = {
    "min-migrations.json": 1,
    "issue-131-0.json.gz": 3,
    "issue-131-1.json.gz": 7,
    "issue-131-3.json.gz": 14,
    "issue-101.json.gz": 7,
}
LOADED = {"li-r3-c0": 3, "li-r4-c66": 13, "li-r5-c33": 126, "li-r6-c0": 590}
FAILED_NODES = ("nr-r3-c33", "nr-r5-c0")
GUESTS = {"r3": "15,000", "r4": "20,000", "r5": "25,000", "r6": "30,000"}
TIME_S = 60


def benchmarks() -> Iterator[Benchmark]:
    """List them."""
    for file, moves in SMALL.items():
        name = file.split(".")[0]
        run = partial(_small, file, moves)
        workload = "Repair a small cluster with the fewest moves, proved, in 2 s after import."
        yield Benchmark(f"btrplace-{name}", workload, "", BOUND, run)
    for name, moves in LOADED.items():
        workload = "A load increase at 5,000 hosts: the fewest moves, proved, in 10 s with reading."
        size = f"5,000 x {GUESTS[name[3:5]]}"
        yield Benchmark(f"btrplace-{name}", workload, size, BOUND, partial(_loaded, name, moves))
    for name in FAILED_NODES:
        workload = "250 of 5,000 hosts failed: every lost guest placed, no survivor moved."
        size = f"4,750 x {GUESTS[name[3:5]]}"
        yield Benchmark(f"btrplace-{name}", workload, size, BOUND, partial(_failed_nodes, name))


def _proved(fleet: Fleet, ours: Ours, moves: int) -> Iterable[Figure]:
    judged = judge(fleet, ours.placements)
    yield sound(ours, judged)
    yield compared("moves", judged.moves, moves, BOUND)
    yield holds("status", ours.status, "optimal", passed=ours.status == "optimal")


def _small(file: str, moves: int, session: Session) -> Iterable[Figure]:
    path = str(session.case(f"btrplace/{file}"))
    ours = session.solve(path, goal="few-moves", time_s=TIME_S)
    yield from _proved(moorage.read(path), ours, moves)
    yield within("seconds after import", ours.solve_s, 2)


def _loaded(name: str, moves: int, session: Session) -> Iterable[Figure]:
    path = str(session.case(f"btrplace/{name}.json.gz"))
    ours = session.command(path, "--goal", "few-moves", time_s=TIME_S)
    yield from _proved(moorage.read(path), ours, moves)
    yield within("seconds", ours.solve_s, 10)


def _failed_nodes(name: str, session: Session) -> Iterable[Figure]:
    path = str(session.case(f"btrplace/{name}.json.gz"))
    ours = session.command(path, "--goal", "few-moves", time_s=TIME_S)
    fleet = moorage.read(path)
    judged, where = judge(fleet, ours.placements), ours.placements
    yield sound(ours, judged)
    yield within("lost guests not placed", judged.unplaced, 0)
    stood = [g for g in fleet.running if fleet.placement[g] is not None]
    moved = sum(where[g] != fleet.placement[g] for g in stood)
    needed = not moved or ours.status == "optimal"
    yield holds("survivors moved", str(moved), "0, or proved needed", passed=needed)
    yield within("seconds", ours.solve_s, TIME_S)
