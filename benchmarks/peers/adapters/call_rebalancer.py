# SPDX-License-Identifier: Apache-2.0
"""Calls rebalancer's local search: {hosts, guests, apart, drained, time_s} in, placements out.

It is tuned as its documentation advises and as measurements confirm: greedy single moves first,
then single moves and swaps; movement is a goal of lower priority.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from rebalancer import ProblemSolver

ABSOLUTE = 0
Spec = dict[str, Any]

GREEDY: Spec = {"singleGreedyMoveTypeSpec": {}}
SINGLE: Spec = {"singleMoveTypeSpec": {}}
SWAP: Spec = {"swapMoveTypeSpec": {}}


def model(request: dict[str, Any]) -> ProblemSolver:
    """State the problem: assignment, capacities, replicas, drained hosts, balance of memory."""
    solver = ProblemSolver(service_name="bench", service_scope="bench")
    solver.set_object_name("guest").set_container_name("host")
    on: dict[str, list[str]] = {host: [] for host in request["hosts"]}
    for guest, data in request["guests"].items():
        on[data["host"]].append(guest)
    solver.set_assignment(on)
    for resource in ("memory", "cpu"):
        solver.add_object_dimension(
            resource, {g: float(d[resource]) for g, d in request["guests"].items()}
        )
        solver.add_container_dimension(
            resource, {h: float(d[resource]) for h, d in request["hosts"].items()}
        )
        solver.add_constraint(
            {"capacitySpec": {"name": resource, "scope": "host", "dimension": resource}}
        )
    _keep_apart(solver, request["apart"])
    drained = request["drained"]
    if drained:
        solver.add_constraint({"toFreeSpec": {"name": "drain", "containers": drained}})
    balance: Spec = {"name": "balance", "scope": "host", "dimension": "memory"}
    if drained:
        balance["filter"] = {"itemsBlacklist": drained}
    solver.add_goal({"balanceSpec": balance})
    if request.get("movement"):
        solver.add_goal_boundary()
        solver.add_goal({"minimizeMovementSpec": {"name": "moves", "scope": "host"}})
    return solver


def _keep_apart(solver: ProblemSolver, groups: dict[str, list[str]]) -> None:
    if not groups:
        return
    solver.add_partition("replicas", groups)
    solver.add_constraint(
        {
            "groupCountSpec": {
                "name": "apart",
                "scope": "host",
                "partitionName": "replicas",
                "limit": {"type": ABSOLUTE, "globalLimit": 1.0},
            }
        }
    )


def main() -> None:
    """Answer the request on stdin; the library logs on stdout and stderr, so stdout is kept."""
    request = json.load(sys.stdin)
    answers = os.dup(1)
    os.dup2(2, 1)
    start = time.perf_counter()
    solver = model(request)
    moves = [GREEDY, SINGLE, SWAP] if request.get("greedy", True) else [SINGLE, SWAP]
    search = {"moveTypeList": moves, "solveTime": request["time_s"]}
    solver.add_solver({"localSearchSolverSpec": search})
    solution = solver.solve()
    took = time.perf_counter() - start
    with os.fdopen(answers, "w") as stdout:
        json.dump({"placements": solution["assignment"], "solve_s": took}, stdout)


if __name__ == "__main__":
    main()
