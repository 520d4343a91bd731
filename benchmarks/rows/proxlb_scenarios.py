# SPDX-License-Identifier: Apache-2.0
"""Every scenario of proxlb, and what its file expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import moorage
from benchmarks.benchmark import Benchmark, Figure, compared, holds, told, within
from benchmarks.peers.environment import PROXLB_SOLVER
from benchmarks.proxlb_expectations import unmet
from benchmarks.session import Session, ask

PEER_S = 60


def benchmarks() -> Iterator[Benchmark]:
    """List them."""
    yield Benchmark(
        "proxlb-scenarios",
        "Every scenario, in one process: placements and feasibility as each file expects them.",
        "2-40 x 1-750",
        PROXLB_SOLVER.name,
        _scenarios,
    )


def _scenarios(session: Session) -> Iterable[Figure]:
    files = [str(path) for path in sorted(session.case("proxlb").rglob("*.yaml"))]
    answers = session.solve_all(files)
    failed = 0
    for file, ours in zip(files, answers, strict=True):
        wrong = list(unmet(moorage.read(file), ours.document))
        failed += bool(wrong)
        if wrong:
            yield told(f"{file.rpartition('/')[2]}", "; ".join(wrong))
    yield holds(
        "scenarios as expected", f"{len(files) - failed}", f"{len(files)}", passed=not failed
    )
    took = sum(ours.solve_s for ours in answers)
    asked = ask(session, PROXLB_SOLVER, {"files": files}, PEER_S)
    if asked.answer is None:
        yield asked.absent("seconds of solving", took, PROXLB_SOLVER.name)
        return
    theirs = sum(answer["solve_s"] for answer in asked.answer["answers"])
    yield compared("seconds of solving", took, theirs, PROXLB_SOLVER.name, at_most=None)
    yield within("slowest, seconds", max(ours.solve_s for ours in answers), PEER_S)
