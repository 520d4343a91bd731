# SPDX-License-Identifier: Apache-2.0
"""One run of benchmarks: where things are, and how ours and the peers' are called."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Failed, Figure, Skipped, missing
from benchmarks.peers.calls import Peers
from benchmarks.peers.environment import Peer, Unavailable
from benchmarks.running import Finished, run

ROOT = Path(__file__).parent.parent
CASES_VARIABLE = "MOORAGE_BENCH_CASES"
# What our process may take beyond its own time limit before it counts as no answer: the kernel is
# compiled once on each machine.
GRACE_S = 300


@dataclass(frozen=True, slots=True)
class Ours:
    """An answer of ours.

    Attributes:
        solve_s: of the library call, compiling included; for the command line the whole process.
        peak_mib: most memory that the process had resident.
    """

    document: Mapping[str, Any]
    solve_s: float
    peak_mib: int

    @property
    def status(self) -> str:
        """How far it is proved."""
        return str(self.document["status"])

    @property
    def placements(self) -> dict[str, str | None]:
        """Where every guest ends."""
        return dict(self.document["placements"])

    @property
    def gap_percent(self) -> float:
        """From the bound; without a bound it is infinite."""
        gap = self.document["gap"]
        return float("inf") if gap is None else 100 * float(gap)


@dataclass(frozen=True, slots=True)
class Session:
    """What all benchmarks of a run share.

    Attributes:
        cases: the folder with instances that have other licences; None if there is none.
        peer_time_s: time limit of peers in place of each benchmark's own; None keeps those.
    """

    cases: Path | None
    peers: Peers
    peer_time_s: float | None = None

    def case(self, path: str) -> Path:
        """Return a file or folder among the cases.

        Raises:
            Skipped: it isn't there.
        """
        if self.cases is None:
            raise Skipped(f"needs instances: --cases DIR or {CASES_VARIABLE}")
        if not (self.cases / path).exists():
            raise Skipped(f"{path} is not among the cases")
        return self.cases / path

    def solve(self, source: str, *, repeat: int = 1, warm: bool = True, **options: Any) -> Ours:
        """Solve through the library, in a process of its own; imports aren't counted."""
        return self.solve_all([source], repeat=repeat, warm=warm, **options)[0]

    def solve_all(
        self, sources: Sequence[str], *, repeat: int = 1, warm: bool = True, **options: Any
    ) -> list[Ours]:
        """Solve several sources in one process."""
        tasks = [{"source": source, "options": options} for source in sources]
        request = {"tasks": tasks, "repeat": repeat, "warm": warm}
        each_s = float(options.get("time_s") or 10 * options.get("effort", 1)) * repeat
        answer = self.child("benchmarks.ours", request, GRACE_S + each_s * (len(sources) + warm))
        peak = int(answer["peak_mib"])
        return [Ours(a["document"], a["solve_s"], peak) for a in answer["answers"]]

    def child(self, module: str, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Run a program of this folder, and return what it answers.

        Raises:
            Failed: it answers nothing.
        """
        command = [sys.executable, "-m", module]
        return _answer(self._run(command, stdin=json.dumps(request), timeout_s=timeout_s))

    def command(self, source: str, *options: str, time_s: float) -> Ours:
        """Solve through the command line, imports and reading included."""
        words = [sys.executable, "-m", "moorage", "solve", source, "--json"]
        words += ["--time", f"{time_s:g}", *options]
        done = self._run(words, timeout_s=GRACE_S + time_s)
        return Ours(_answer(done), done.wall_s, done.peak_mib)

    def _run(self, command: Sequence[str], *, timeout_s: float, stdin: str = "") -> Finished:
        paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        return run(command, stdin=stdin, timeout_s=timeout_s, environment=environment)

    def peer_limit(self, usual_s: float) -> float:
        """How long a peer may take."""
        return usual_s if self.peer_time_s is None else self.peer_time_s


def _answer(done: Finished) -> dict[str, Any]:
    if done.answer is None:
        raise Failed(done.complaint)
    return done.answer


@dataclass(frozen=True, slots=True)
class Asked:
    """What a peer said, or why it said nothing."""

    answer: Mapping[str, Any] | None
    seconds: float = 0.0
    peak_mib: int = 0
    reason: str = ""

    def absent(self, what: str, ours: float, against: str) -> Figure:
        """Our number alone, with the reason why there is no other."""
        return missing(what, ours, against, self.reason)


def ask(session: Session, peer: Peer, request: Mapping[str, Any], time_s: float) -> Asked:
    """Ask a peer; one that can't be had or gives no answer says why."""
    limit = session.peer_limit(time_s)
    try:
        done = session.peers.ask(peer, {**request, "time_s": limit}, limit)
    except Unavailable as reason:
        return Asked(None, reason=f"peer not available: {reason}")
    if done.answer is None:
        return Asked(None, done.wall_s, done.peak_mib, done.complaint)
    return Asked(done.answer, done.wall_s, done.peak_mib)
