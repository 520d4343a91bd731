# SPDX-License-Identifier: Apache-2.0
"""Placing guests that have no host, replicas apart, in an instant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from benchmarks.benchmark import LIMIT, Benchmark, Figure, holds, within
from benchmarks.judging import judge
from benchmarks.rows.balance import sound
from benchmarks.session import Session
from benchmarks.workloads import open_workload

# Hosts, guests, racks, milliseconds after import.
SIZES = ((14, 50, 3, 50), (50, 200, 5, 100), (100, 1_000, 8, 1_000))
REPEATS = 3


def benchmarks() -> Iterator[Benchmark]:
    """List them."""
    for hosts, guests, racks, limit_ms in SIZES:
        yield Benchmark(
            f"packing-{hosts}x{guests}",
            "Give every guest a host: ten pairs apart by host, ten by rack, one host unwell.",
            f"{hosts} x {guests:,}",
            LIMIT,
            partial(_packing, f"packing:{hosts}x{guests}?racks={racks}", limit_ms),
        )
    yield Benchmark(
        "packing-5-replicas-4-racks",
        "Prove that five replicas can't be kept apart on four racks.",
        "20 x 20",
        LIMIT,
        _impossible,
    )


def _packing(source: str, limit_ms: float, session: Session) -> Iterable[Figure]:
    ours = session.solve(source, goal="few-moves", repeat=REPEATS)
    judged = judge(open_workload(source), ours.placements)
    yield sound(ours, judged)
    yield within("guests not placed", judged.unplaced, 0)
    yield within("milliseconds after import", 1000 * ours.solve_s, limit_ms)


def _impossible(session: Session) -> Iterable[Figure]:
    ours = session.solve("replicas:5x4", goal="few-moves", repeat=REPEATS)
    proved = ours.status in ("conflict", "infeasible")
    yield holds("status", ours.status, "conflict", passed=proved)
    yield within("milliseconds after import", 1000 * ours.solve_s, 10)
