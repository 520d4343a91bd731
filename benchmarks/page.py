# SPDX-License-Identifier: Apache-2.0
"""The page of results: what was measured, on what, and how to measure it again."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.benchmark import Figure, Row, shown
from benchmarks.peers.environment import PROXLB_SOLVER, REBALANCER, WATCHER

PACKAGES = ("numba", "numpy", "ortools")
PEERS = (PROXLB_SOLVER, REBALANCER, WATCHER)
HOW = """\
    moorage bench                      # all; peers are installed into build/peers
    moorage bench balance-100x1000     # one; the beginning of a name stands for several
    moorage bench --cases DIR --write  # with instances that aren't part of this repository

Made-up fleets come from `benchmarks/generators`, seeded and in integers, the same on every machine.
Each peer runs in the same run as we do, in an environment of its own, tuned as its documentation
advises; its placements are measured by the same judge as ours, and verified. A threshold is what
the ratio may be at most. Rows through the command line include Python's imports."""


def page(rows: Iterable[Row]) -> str:
    """Return the page in Markdown."""
    lines = ["<!-- Written by `moorage bench --write`; run it again rather than edit. -->\n"]
    lines += ["# Benchmarks\n", f"{_machine()}\n", "## How to measure again\n", HOW, ""]
    skipped = []
    for row in rows:
        if row.skipped:
            skipped.append(row)
        else:
            lines += _section(row)
    if skipped:
        lines += ["## Not run\n", "| benchmark | why |", "|---|---|"]
        lines += [f"| {row.benchmark.name} | {_cell(row.skipped)} |" for row in skipped]
    return "\n".join(lines).rstrip() + "\n"


def _section(row: Row) -> Sequence[str]:
    benchmark = row.benchmark
    size = f" ({benchmark.size})" if benchmark.size else ""
    return [
        f"## {benchmark.name}{size}\n",
        f"{benchmark.workload}\n",
        "| figure | ours | against | theirs | ratio | threshold | |",
        "|---|---|---|---|---|---|---|",
        *(_line(figure) for figure in row.figures),
        "",
    ]


def _line(figure: Figure) -> str:
    cells = (figure.what, figure.ours, figure.against, figure.theirs)
    ratio = "" if figure.ratio is None else shown(figure.ratio)
    threshold = "" if figure.threshold is None else shown(figure.threshold)
    verdict = {True: "pass", False: "**fail**", None: ""}[figure.passed]
    return f"| {' | '.join(map(_cell, cells))} | {ratio} | {threshold} | {verdict} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in (*PACKAGES, "moorage"))
    peers = ", ".join(peer.requirement for peer in PEERS)
    return (
        f"Measured on {_processor()}, {os.cpu_count()} cores, {_memory_gib()} GiB, Python"
        f" {platform.python_version()}, {packages}. Peers: {peers}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
