# SPDX-License-Identifier: Apache-2.0
"""Processes that are measured: ours and the peers'."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MEASURED = Path(__file__).with_name("measured.py")


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that ended by itself or was ended.

    Attributes:
        cpu_s: user and system time of the process and its children.
        peak_mib: most memory that it, or any one of its children, had resident.
    """

    returncode: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    peak_mib: int
    stdout: str
    stderr: str

    @property
    def answer(self) -> dict[str, Any] | None:
        """The JSON object that it printed, or None where it printed none."""
        try:
            document = json.loads(self.stdout)
        except ValueError:
            return None
        return document if isinstance(document, dict) else None

    @property
    def complaint(self) -> str:
        """Why there is no answer, in a few words."""
        if self.timed_out:
            return f"no answer after {self.wall_s:.0f} s"
        if self.returncode < 0:
            return f"ended by signal {-self.returncode}"
        said = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        said = [line for line in said if not line.startswith("hint:")]
        last = said[-1][:120] if said else "nothing on stderr"
        return f"exit {self.returncode}: {last}"


def run(
    command: Sequence[str],
    *,
    stdin: str = "",
    timeout_s: float = 600,
    memory_mib: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run *command* to its end or to the time limit, and measure it."""
    with TemporaryDirectory(prefix="moorage-bench-") as folder:
        stats = Path(folder, "stats.json")
        launcher = [sys.executable, "-I", str(MEASURED)]
        process = subprocess.run(
            [*launcher, str(timeout_s), str(memory_mib), str(stats), *command],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
            check=False,
        )
        if not stats.exists():
            raise RuntimeError(f"{command[0]} was not started: {process.stderr.strip()[-200:]}")
        measured = json.loads(stats.read_text("utf-8"))
    return Finished(**measured, stdout=process.stdout, stderr=process.stderr)
