# SPDX-License-Identifier: Apache-2.0
"""Reading fleets, against what Python's own parser needs for the same text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from benchmarks.benchmark import BOUND, Benchmark, Figure, compared
from benchmarks.session import Session
from moorage.formats.native import read, write
from moorage.formats.tree import parse
from tools.bench_read import big_fleet, seconds

HOSTS, GUESTS = 5_000, 30_000


def benchmarks() -> Iterator[Benchmark]:
    """List them."""
    yield Benchmark(
        "read-5000x30000",
        "Read a native file of 7 MiB: CPU seconds against json.loads of the same fleet.",
        f"{HOSTS:,} x {GUESTS:,}",
        BOUND,
        _reading,
    )


def _reading(session: Session) -> Iterable[Figure]:
    fleet = big_fleet(HOSTS, GUESTS)
    as_json, as_yaml = write(fleet, json=True), write(fleet)
    base = seconds(lambda: json.loads(as_json))
    from_json = seconds(lambda: read(parse(as_json, name="json")))
    from_yaml = seconds(lambda: read(parse(as_yaml, name="yaml")))
    yield compared("JSON, CPU seconds", from_json, base, "json.loads", at_most=8)
    yield compared("YAML, CPU seconds", from_yaml, base, "json.loads", at_most=40)
