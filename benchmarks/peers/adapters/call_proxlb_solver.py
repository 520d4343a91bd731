# SPDX-License-Identifier: Apache-2.0
"""Calls proxlb-solver on scenario files: {files, time_s} in, {answers} out."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from proxlb_solver import solve
from proxlb_solver.loader import load_scenario


def answer(file: str, time_s: float) -> dict[str, Any]:
    """Solve one scenario the way that its live modes do, with the plain solve."""
    cluster = load_scenario(file)
    start = time.perf_counter()
    solution = solve(cluster, time_limit_s=time_s)
    return {
        "status": solution.stats.status,
        "feasible": solution.feasible,
        "objective": solution.stats.objective,
        "placements": dict(solution.placements),
        "solve_s": time.perf_counter() - start,
    }


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    answers = [answer(file, request["time_s"]) for file in request["files"]]
    json.dump({"answers": answers}, sys.stdout)


if __name__ == "__main__":
    main()
