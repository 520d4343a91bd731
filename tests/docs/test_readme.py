# SPDX-License-Identifier: Apache-2.0
"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.conftest import REPOSITORY, RunMoorage

if TYPE_CHECKING:
    from pathlib import Path

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
FLEET, PLAN = (text for language, text in BLOCKS if language == "yaml")
SESSIONS = [
    session.splitlines()
    for language, text in BLOCKS
    if language == "console"
    for session in re.split(r"\n\n(?=\$ )", text.strip())
]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda lines: lines[0])
def test_the_sessions_of_the_readme_are_real(
    session: list[str], run_moorage: RunMoorage, tmp_path: Path
) -> None:
    """Every line that the README shows of a command's output is printed by it, in that order."""
    (tmp_path / "fleet.yaml").write_text(FLEET, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, encoding="utf-8")
    words, stdin = shlex.split(session[0].removeprefix("$ ")), ""
    if "|" in words:
        stdin, words = words[1], words[words.index("|") + 1 :]
    paths = [str(tmp_path / word) if word.endswith(".yaml") else word for word in words[1:]]
    printed = run_moorage(*paths, stdin=stdin).stdout
    position = 0
    for line in session[1:]:
        position = printed.find(line, position)
        assert position >= 0, f"{line!r} is not in\n{printed}"


def test_the_plan_in_order_is_verified(run_moorage: RunMoorage, tmp_path: Path) -> None:
    """With the change that the README names, its plan passes."""
    (tmp_path / "fleet.yaml").write_text(FLEET, encoding="utf-8")
    first, second = PLAN.rsplit("start_s: 0, end_s: 25", 1)
    in_order = f"{first}start_s: 25, end_s: 50, depends_on: [0]{second}"
    (tmp_path / "plan.yaml").write_text(in_order, encoding="utf-8")
    done = run_moorage("verify", str(tmp_path / "fleet.yaml"), str(tmp_path / "plan.yaml"))
    assert done.returncode == 0, done.stdout
