# SPDX-License-Identifier: Apache-2.0
"""Balancing made-up fleets, against rebalancer, watcher and the bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from benchmarks.benchmark import BOUND, Benchmark, Figure, compared, holds, told, within
from benchmarks.judging import Judged, judge
from benchmarks.peers.calls import request_of
from benchmarks.peers.environment import REBALANCER, WATCHER
from benchmarks.session import Ours, Session, ask
from benchmarks.workloads import open_workload
from moorage.model import Fleet

# Hosts, guests, our limit, the peer's in seconds. Ours is a tenth of what the peer takes.
SIZES: tuple[tuple[int, int, dict[str, Any], float], ...] = (
    (100, 1_000, {"effort": 0.05}, 60),
    (1_000, 10_000, {"time_s": 5}, 60),
    (5_000, 30_000, {"time_s": 9.5}, 120),
)
# How the peer's documentation starts off, and what takes it furthest at a thousand hosts.
TUNINGS = {"usual": {"greedy": False}, "greedy": {"greedy": True, "movement": True}}
# With twice as many moves the peer evens out a thousand hosts to less than our usual band: how
# many do we need for as much?
FINE = {"band_percent": 0.5}
TENTH = 0.1


def benchmarks() -> Iterator[Benchmark]:
    """List them."""
    for hosts, guests, limit, peer_s in SIZES:
        yield Benchmark(
            f"balance-{hosts}x{guests}",
            "Balance memory from a skewed start, drain hosts, keep replicas apart: less spread"
            " with fewer moves in a tenth of the time.",
            f"{hosts:,} x {guests:,}",
            REBALANCER.name,
            partial(_against_rebalancer, f"balance:{hosts}x{guests}", limit, peer_s),
        )
    yield Benchmark(
        "balance-1000x10000-fine",
        "The same thousand hosts to within half a percent, against what takes the peer there.",
        "1,000 x 10,000",
        REBALANCER.name,
        _fine,
    )
    yield Benchmark(
        "balance-10000x300000",
        "The same at the size of a large cloud: within 1 % of the bound in 20 s with compiling,"
        " under 6 GB.",
        "10,000 x 300,000",
        BOUND,
        _huge,
    )
    yield Benchmark(
        "pack-100x1000",
        "Empty as many hosts as possible, against watcher's consolidation of servers.",
        "100 x 1,000",
        WATCHER.name,
        _against_watcher,
    )


def sound(ours: Ours, judged: Judged) -> Figure:
    """Whether the verifier finds nothing that is new or worse, by the judge's own count."""
    text = f"{judged.broken} broken, {judged.unplaced} unplaced"
    return holds(f"verified ({ours.status})", text, "0 broken", passed=not judged.broken)


def _against_rebalancer(
    source: str, limit: dict[str, Any], peer_s: float, session: Session
) -> Iterable[Figure]:
    fleet = open_workload(source)
    ours = session.solve(source, goal="balance", **limit)
    judged = judge(fleet, ours.placements)
    yield sound(ours, judged)
    yield told("gap, %", ours.gap_percent)
    for tuning, options in TUNINGS.items():
        yield from _one_tuning(fleet, ours, judged, session, peer_s, tuning, options)


def _fine(session: Session) -> Iterable[Figure]:
    source = "balance:1000x10000"
    fleet = open_workload(source)
    ours = session.solve(source, goal="balance", options=FINE, time_s=5)
    judged = judge(fleet, ours.placements)
    yield sound(ours, judged)
    yield from _one_tuning(fleet, ours, judged, session, 60, "greedy", TUNINGS["greedy"])


def _one_tuning(
    fleet: Fleet,
    ours: Ours,
    judged: Judged,
    session: Session,
    peer_s: float,
    tuning: str,
    options: dict[str, bool],
) -> Iterable[Figure]:
    asked = ask(session, REBALANCER, request_of(fleet) | options, peer_s)
    name = f"{REBALANCER.name}, {tuning}"
    if asked.answer is None:
        yield asked.absent("spread, % of memory", judged.spread_percent, name)
        yield asked.absent("moves", judged.moves, name)
        yield asked.absent("seconds", ours.solve_s, name)
        return
    peer = judge(fleet, asked.answer["placements"])
    spreads = judged.spread_percent, peer.spread_percent
    yield compared("spread, % of memory", *spreads, name)
    sigmas = judged.sigma_percent, peer.sigma_percent
    yield compared("standard deviation, % of memory", *sigmas, name, at_most=None)
    yield compared("moves", judged.moves, peer.moves, name)
    yield compared("seconds", ours.solve_s, asked.answer["solve_s"], name, at_most=TENTH)


def _huge(session: Session) -> Iterable[Figure]:
    source = "balance:10000x300000"
    ours = session.solve(source, goal="balance", time_s=14)
    judged = judge(open_workload(source), ours.placements)
    yield sound(ours, judged)
    yield within("gap, %", ours.gap_percent, 1)
    yield within("seconds", ours.solve_s, 20)
    yield within("peak memory, MiB", ours.peak_mib, 6 * 1024)
    yield told("spread, % of memory", judged.spread_percent)
    yield told("moves", judged.moves)


def _against_watcher(session: Session) -> Iterable[Figure]:
    source = "balance:100x1000"
    fleet = open_workload(source)
    ours = session.solve(source, goal="pack", time_s=10)
    judged = judge(fleet, ours.placements)
    yield sound(ours, judged)
    asked = ask(session, WATCHER, request_of(fleet), 60)
    if asked.answer is None:
        yield asked.absent("hosts in use", judged.hosts_used, WATCHER.name)
        return
    peer = judge(fleet, asked.answer["placements"])
    yield compared("hosts in use", judged.hosts_used, peer.hosts_used, WATCHER.name)
    yield compared("moves", judged.moves, peer.moves, WATCHER.name, at_most=None)
    broken = judged.broken, peer.broken
    yield compared("rules newly broken", *broken, WATCHER.name)
