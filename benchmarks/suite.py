# SPDX-License-Identifier: Apache-2.0
"""All benchmarks, by name."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from benchmarks.benchmark import Benchmark
from benchmarks.rows import (
    balance,
    btrplace,
    gmrp,
    packing,
    proxlb_scale,
    proxlb_scenarios,
    reading,
    settling,
)

FAMILIES = (
    *(proxlb_scenarios, proxlb_scale, btrplace, balance),
    *(gmrp, packing, settling, reading),
)


def benchmarks() -> dict[str, Benchmark]:
    """Return {name: benchmark}, in the order in which they run."""
    return {b.name: b for family in FAMILIES for b in family.benchmarks()}


def select(names: Iterable[str]) -> list[Benchmark]:
    """Return the benchmarks that *names* stand for; with none all of them.

    A name may be the beginning of several, or hold * and ?.

    Raises:
        KeyError: a name stands for nothing.
    """
    known = benchmarks()
    chosen: dict[str, Benchmark] = {}
    wanted = list(names)
    for name in wanted:
        found = [b for b in known.values() if fnmatchcase(b.name, name)]
        found = found or [b for b in known.values() if b.name.startswith(name)]
        if not found:
            raise KeyError(name)
        chosen |= {b.name: b for b in found}
    return [b for b in known.values() if not wanted or b.name in chosen]
