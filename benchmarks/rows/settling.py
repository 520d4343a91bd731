# SPDX-License-Identifier: Apache-2.0
"""A fleet after its own plan wants no more moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.benchmark import LIMIT, Benchmark, Figure, told, within
from benchmarks.session import Session

RANDOM_FLEETS = 1_000
SECONDS_EACH = 10


def benchmarks() -> Iterator[Benchmark]:
    """List them."""
    yield Benchmark(
        "fixpoint-random",
        "Solve, apply, solve again: nothing to move, for random fleets under our goal.",
        "3-12 x 6-96",
        LIMIT,
        _random,
    )
    yield Benchmark(
        "fixpoint-scenarios",
        "The same for every scenario of proxlb, under its own goal.",
        "2-40 x 1-750",
        LIMIT,
        _scenarios,
    )


def random_sources() -> list[str]:
    """Name the random fleets: hosts and guests go through all sizes, seeds never repeat."""
    sizes = ((3 + n % 10, n) for n in range(RANDOM_FLEETS))
    return [f"balance:{hosts}x{hosts * (2 + n % 7)}?seed={n}" for hosts, n in sizes]


def _random(session: Session) -> Iterable[Figure]:
    yield from _settled(session, random_sources(), {"goal": "balance"})


def _scenarios(session: Session) -> Iterable[Figure]:
    files = sorted(session.case("proxlb").rglob("*.yaml"))
    yield from _settled(session, [str(file) for file in files], {})


def _settled(session: Session, sources: Sequence[str], options: dict[str, str]) -> Iterable[Figure]:
    request = {"sources": sources, "options": options}
    answer = session.child("benchmarks.settling", request, SECONDS_EACH * len(sources))
    yield told("fleets", len(sources))
    yield told("moves of the first plans", answer["moved"])
    yield within("fleets that move again", len(answer["restless"]), 0)
    for restless in answer["restless"][:3]:
        yield told("for one", f"{restless['source']} ({restless['moves']} moves)")
