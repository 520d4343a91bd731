# SPDX-License-Identifier: Apache-2.0
"""What a benchmark is: a named workload, and figures that are held against thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.session import Session

BOUND, LIMIT = "bound", "limit"


class Skipped(Exception):
    """A benchmark that can't run here, with the reason."""


class Failed(Exception):
    """There is no answer of ours to measure, with the reason."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a benchmark, or one property.

    Attributes:
        what: what was measured, with its unit.
        ours: our number.
        against: whose the other number is: a peer's, a bound's, a limit's; empty for none.
        theirs: the other number, or why there is none.
        ratio: ours by theirs.
        threshold: what the ratio may be at most.
        passed: whether it is; None where nothing is asked or nothing could be compared.
    """

    what: str
    ours: str
    against: str = ""
    theirs: str = ""
    ratio: float | None = None
    threshold: float | None = None
    passed: bool | None = None


def compared(
    what: str, ours: float, theirs: float, against: str, *, at_most: float | None = 1.0
) -> Figure:
    """Hold our number against another: the ratio may be *at_most* (None: it is only shown)."""
    ratio = ours / theirs if theirs else (math.inf if ours > 0 else 1.0)
    passed = None if at_most is None else ratio <= at_most
    return Figure(what, shown(ours), against, shown(theirs), ratio, at_most, passed)


def within(what: str, ours: float, limit: float) -> Figure:
    """Hold our number against a limit."""
    return compared(what, ours, limit, LIMIT)


def holds(what: str, ours: str, wanted: str, *, passed: bool) -> Figure:
    """State a property that is there or not."""
    return Figure(what, ours, LIMIT, wanted, passed=passed)


def missing(what: str, ours: float, against: str, reason: str) -> Figure:
    """Give our number where a peer has none."""
    return Figure(what, shown(ours), against, reason)


def told(what: str, ours: float | str) -> Figure:
    """Give a number that nothing is asked of."""
    return Figure(what, ours if isinstance(ours, str) else shown(ours))


def shown(number: float) -> str:
    """Show a number to three digits, and whole ones whole."""
    if math.isinf(number) or number == int(number):
        return f"{number:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    return f"{number:,.{min(digits, 4)}f}"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A named workload.

    Attributes:
        workload: what is solved, in one sentence.
        size: hosts by guests.
        peer: whom it is compared with.
        measure: runs it.
    """

    name: str
    workload: str
    size: str
    peer: str
    measure: Callable[[Session], Iterable[Figure]]


@dataclass(frozen=True, slots=True)
class Row:
    """A benchmark with what came of it.

    Attributes:
        skipped: why it was not run; empty if it was.
    """

    benchmark: Benchmark
    figures: tuple[Figure, ...] = ()
    skipped: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether every figure with a threshold keeps it; None if none could be told."""
        verdicts = [f.passed for f in self.figures if f.passed is not None]
        return all(verdicts) if verdicts else None


def measured(benchmark: Benchmark, session: Session) -> Row:
    """Run a benchmark; what can't run becomes a row that says why."""
    try:
        return Row(benchmark, tuple(benchmark.measure(session)))
    except Skipped as reason:
        return Row(benchmark, skipped=str(reason))
    except Failed as reason:
        return Row(benchmark, (holds("answer", str(reason), "an answer", passed=False),))
