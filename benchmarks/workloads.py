# SPDX-License-Identifier: Apache-2.0
"""What is solved, by name: a generator with its sizes, or a file.

`balance:100x1000`, `balance:100x1000?seed=3`, `packing:14x50?racks=3`, `replicas:5x4`; whatever
has no such beginning is a source as the command line takes it.
"""

from __future__ import annotations

import re

from benchmarks.generators.balance import Recipe, balance_fleet
from benchmarks.generators.packing import Packing, crowded_fleet, packing_fleet
from moorage.model import Fleet

_GENERATED = re.compile(r"(balance|packing|replicas):(\d+)x(\d+)(?:\?(.*))?")


def open_workload(source: str) -> Fleet:
    """Make or read the fleet that *source* names."""
    found = _GENERATED.fullmatch(source)
    if found is None:
        import moorage

        return moorage.read(source)
    kind, first, second, rest = found.groups()
    options = dict(pair.split("=") for pair in rest.split("&")) if rest else {}
    numbers = {name: int(value) for name, value in options.items()}
    if kind == "balance":
        return balance_fleet(Recipe(int(first), int(second), **numbers))
    if kind == "packing":
        return packing_fleet(Packing(int(first), int(second), **numbers))
    return crowded_fleet(4 * int(second) + int(second), int(first), int(second))
