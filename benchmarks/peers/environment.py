# SPDX-License-Identifier: Apache-2.0
"""Where a peer is installed: an environment of its own, made when it is first needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "MOORAGE_BENCH_PYTHON"
NEWEST, OLDEST = 14, 11


class Unavailable(Exception):
    """A peer that can't be had here, with the reason."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A program to compare with.

    Attributes:
        name: as on the package index.
        version: the one that is compared with.
        least_python: the oldest minor version of Python 3 that it runs on.
        adapter: the program that calls it.
        licence: of the peer, which is why its code stays where it is.
    """

    name: str
    version: str
    adapter: str
    licence: str
    least_python: int = OLDEST

    @property
    def requirement(self) -> str:
        """What is installed."""
        return f"{self.name}=={self.version}"

    @property
    def program(self) -> Path:
        """The adapter's file."""
        return Path(__file__).with_name("adapters") / self.adapter


PROXLB_SOLVER = Peer("proxlb-solver", "0.1.1", "call_proxlb_solver.py", "GPL-3.0")
REBALANCER = Peer("rebalancer", "1.0.4", "call_rebalancer.py", "Apache-2.0", least_python=12)
WATCHER = Peer("python-watcher", "17.0.0", "call_watcher.py", "Apache-2.0")


def python_of(peer: Peer, folder: Path) -> Path:
    """Return the Python of the environment that *peer* is installed in, under *folder*.

    Raises:
        Unavailable: there is no Python for it, or the index doesn't give it.
    """
    home = folder / peer.name
    python, stamp = home / "bin" / "python", home / "installed"
    if stamp.exists() and stamp.read_text("utf-8") == peer.requirement and _works(str(python)):
        return python
    _ask(f"making {home}", sys.executable if _suits(sys.executable, peer) else _find(peer), home)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _call(f"installing {peer.requirement}", [*pip, peer.requirement])
    stamp.write_text(peer.requirement, "utf-8")
    return python


def _ask(what: str, python: str, home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    _call(what, [python, "-m", "venv", str(home)])


def _call(what: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=900, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise Unavailable(f"{what} failed: {said[-1].strip()[:160] if said else 'no reason given'}")


def _find(peer: Peer) -> str:
    for python in _pythons():
        if _suits(python, peer):
            return python
    raise Unavailable(
        f"it needs Python 3.{peer.least_python}, and none was found;"
        f" set {VARIABLE} to one that is not on the path"
    )


def _pythons() -> Iterator[str]:
    """Every Python that may be there: the one asked for, those on the path, those of pyenv."""
    if os.environ.get(VARIABLE):
        yield os.environ[VARIABLE]
    minors = range(NEWEST, OLDEST - 1, -1)
    yield from filter(None, (shutil.which(f"python3.{minor}") for minor in minors))
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(path) for path in sorted(root.glob("3.*/bin/python")))


def _suits(python: str, peer: Peer) -> bool:
    program = f"import ensurepip, sys; sys.exit(sys.version_info < (3, {peer.least_python}))"
    return _works(python, program)


def _works(python: str, program: str = "") -> bool:
    try:
        done = subprocess.run([python, "-c", program], capture_output=True, timeout=60, check=False)
    except OSError:
        return False
    return done.returncode == 0
