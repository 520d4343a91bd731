# SPDX-License-Identifier: Apache-2.0
"""Solves with Moorage in a process of its own: {tasks, warm, repeat} in, {answers, peak} out."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import moorage
from benchmarks.workloads import open_workload

WARMING = "balance:12x60"


def answer(source: str, options: dict[str, Any], repeat: int) -> dict[str, Any]:
    """Solve one source *repeat* times; the time is the least, the answer is always the same."""
    start = time.perf_counter()
    fleet = open_workload(source)
    opened = time.perf_counter()
    times, document = [], {}
    for _ in range(repeat):
        again = time.perf_counter()
        result = moorage.solve(fleet, **options)
        times.append(time.perf_counter() - again)
        document = result.to_dict()
    return {"open_s": opened - start, "solve_s": min(times), "document": document}


def load_engines() -> None:
    """Load what solving may need."""
    import moorage.solving.exact.engine
    import moorage.solving.local.search  # noqa: F401


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    repeat = request.get("repeat", 1)
    if request.get("warm"):  # engines are loaded when they are first used
        load_engines()
        for task in request["tasks"][:1]:
            moorage.solve(open_workload(WARMING), **task["options"])
    answers = [answer(task["source"], task["options"], repeat) for task in request["tasks"]]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    json.dump({"answers": answers, "peak_mib": peak}, sys.stdout)


if __name__ == "__main__":
    main()
