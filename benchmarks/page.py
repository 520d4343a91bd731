# SPDX-License-Identifier: Apache-2.0
"""The page of results: what was measured, on what, and how to measure it again."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
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


def page(rows: Sequence[Row], earlier: str = "", order: Sequence[str] = ()) -> str:
    """Return the page in Markdown.

    Sections of an *earlier* page stay for benchmarks that were not measured this time, as long as
    *order*, the names of all there are, still has them.
    """
    lines = ["<!-- Written by `moorage bench --write`; run it again rather than edit. -->\n"]
    lines += ["# Benchmarks\n", f"{_machine()}\n", "## How to measure again\n", HOW, ""]
    sections = _sections(earlier)
    skipped = [row for row in rows if row.skipped and row.benchmark.name not in sections]
    for row in rows:
        if not row.skipped:
            sections[row.benchmark.name] = "\n".join(_section(row))
    names = order or [row.benchmark.name for row in rows]
    lines += [sections[name] for name in names if name in sections]
    if skipped:
        lines += ["## Not run\n", "| benchmark | why |", "|---|---|"]
        lines += [f"| {row.benchmark.name} | {_cell(row.skipped)} |" for row in skipped]
    return "\n".join(lines).rstrip() + "\n"


def _sections(earlier: str) -> dict[str, str]:
    """The sections of a page by the names of their benchmarks."""
    parts = re.split(r"^## (?=\S+(?: \([^\n]*\))?$)", earlier, flags=re.MULTILINE)[1:]
    return {part.split()[0]: f"## {part.rstrip()}\n" for part in parts}


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
