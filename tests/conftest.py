# SPDX-License-Identifier: Apache-2.0
"""What all tests share: how random examples are drawn, and how the command line is called."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings

# `make test` draws the same examples each time, so that a red run is red again; `make soak`
# draws new ones and many more.
settings.register_profile(
    "test", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("test")

REPOSITORY = Path(__file__).parent.parent

# What a developer's shell may set and a test must not depend on.
_PERSONAL = {
    "COLUMNS", "FORCE_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "LINES", "MOORAGE_DEBUG", "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8",
}  # fmt: skip


@pytest.fixture(scope="session")
def plain_environment() -> dict[str, str]:
    """The environment without what a developer prefers, in a UTF-8 locale."""
    kept = {name: value for name, value in os.environ.items() if name not in _PERSONAL}
    return kept | {"LANG": "C.UTF-8"}


class RunMoorage(Protocol):
    """Calls the command line in a process of its own."""

    def __call__(
        self, *arguments: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def run_moorage(plain_environment: dict[str, str]) -> RunMoorage:
    """`run_moorage("check", "fleet.yaml", NO_COLOR="1")`, with stdout, stderr and exit code."""

    def run(
        *arguments: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "moorage", *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env=plain_environment | environment,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """`write(text)` puts a file there, and gives its path."""

    def written(text: str, name: str = "fleet.yaml") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written
