# SPDX-License-Identifier: Apache-2.0
"""Scenarios of proxlb at growing sizes, under its goal and under ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import moorage
from benchmarks.benchmark import BOUND, Benchmark, Figure, compared, holds, within
from benchmarks.judging import judge
from benchmarks.peers.calls import unpacked
from benchmarks.peers.environment import PROXLB_SOLVER
from benchmarks.proxlb_objective import objective
from benchmarks.rows.balance import sound
from benchmarks.session import Ours, Session, ask
from moorage.model import Fleet

PEER_S = 120
MOST_MIB = 2 * 1024
MOST_SPREAD_PERCENT = 3


@dataclass(frozen=True, slots=True)
class Scale:
    """A scenario with what is asked of it.

    Attributes:
        proxlb_s: wall-clock limit under the peer's goal, imports and reading included.
        balance_s: the same under ours.
        gap_percent: how far from the bound under our goal; None: proved under both.
        large: memory is limited too, the gap also under the peer's goal.
    """

    file: str
    size: str
    proxlb_s: float
    balance_s: float
    gap_percent: float | None = None
    large: bool = False


SCALES = (
    Scale("plain_10x100", "10 x 100", 3, 3),
    Scale("cons_10x100", "10 x 100", 10, 3),
    *(Scale(f"{k}_32x500", "32 x 500", 30, 10, 2) for k in ("plain", "cons")),
    *(Scale(f"{k}_64x1000", "64 x 1,000", 30, 30, 2) for k in ("plain", "cons")),
    *(Scale(f"{k}_128x3000", "128 x 3,000", 60, 60, 3, large=True) for k in ("plain", "cons")),
    *(Scale(f"{k}_300x10000", "300 x 10,000", 60, 60, 3, large=True) for k in ("plain", "cons")),
    Scale("large_unbalanced", "40 x 750", 60, 60, 3, large=True),
)


def benchmarks() -> Iterator[Benchmark]:
    """List them: each scenario under both goals."""
    for scale in SCALES:
        name = scale.file.replace("_", "-")
        yield Benchmark(
            f"scale-{name}-proxlb",
            "A proxlb scenario under its own goal, through the command line with imports.",
            scale.size,
            PROXLB_SOLVER.name,
            partial(_under_proxlb, scale),
        )
        yield Benchmark(
            f"scale-{name}-balance",
            "The same scenario under our goal, through the command line with imports.",
            scale.size,
            BOUND,
            partial(_under_balance, scale),
        )


def _solve(session: Session, scale: Scale, goal: str, limit_s: float) -> tuple[Fleet, Ours]:
    path = session.case(f"proxlb-scale/{scale.file}.yaml.gz")
    # What is left after Python has loaded the solvers and read the file has to be enough.
    time_s = max(1.0, 0.9 * limit_s - 1)
    ours = session.command(str(path), "--goal", goal, time_s=time_s)
    return moorage.read(str(path)), ours


def _under_proxlb(scale: Scale, session: Session) -> Iterable[Figure]:
    fleet, ours = _solve(session, scale, "proxlb", scale.proxlb_s)
    yield sound(ours, judge(fleet, ours.placements))
    yield within("seconds", ours.solve_s, scale.proxlb_s)
    if scale.gap_percent is None:
        yield holds("status", ours.status, "optimal", passed=ours.status == "optimal")
    value = objective(fleet, ours.placements)
    yield compared("objective", value, objective(fleet, {}), "staying put")
    if scale.large:
        yield within("gap, %", ours.gap_percent, scale.gap_percent or 0)
        yield within("peak memory, MiB", ours.peak_mib, MOST_MIB)
    yield from _against_peer(session, scale, fleet, value)


def _against_peer(session: Session, scale: Scale, fleet: Fleet, value: int) -> Iterable[Figure]:
    path = session.case(f"proxlb-scale/{scale.file}.yaml.gz")
    with unpacked(path) as plain:
        asked = ask(session, PROXLB_SOLVER, {"files": [str(plain)]}, PEER_S)
    name = f"{PROXLB_SOLVER.name}, {session.peer_limit(PEER_S):g} s"
    if asked.answer is None:
        yield asked.absent("objective", value, name)
        return
    (answer,) = asked.answer["answers"]
    if not answer["feasible"]:
        # It had all its time and found nothing, not even to stay: any answer is better.
        text = f"{answer['status']}, {asked.peak_mib:,} MiB"
        yield Figure("objective", f"{value:,}", name, text, threshold=1.0, passed=True)
        return
    yield compared("objective", value, objective(fleet, answer["placements"]), name)


def _under_balance(scale: Scale, session: Session) -> Iterable[Figure]:
    fleet, ours = _solve(session, scale, "balance", scale.balance_s)
    judged, before = judge(fleet, ours.placements), judge(fleet, {})
    yield sound(ours, judged)
    yield within("seconds", ours.solve_s, scale.balance_s)
    if scale.gap_percent is None:
        yield holds("status", ours.status, "optimal", passed=ours.status == "optimal")
    else:
        yield within("gap, %", ours.gap_percent, scale.gap_percent)
        yield within("spread, % of memory", judged.spread_percent, MOST_SPREAD_PERCENT)
    spreads = judged.spread_percent, before.spread_percent
    yield compared("spread, % of memory", *spreads, "staying put")
    if scale.large:
        yield within("peak memory, MiB", ours.peak_mib, MOST_MIB)
