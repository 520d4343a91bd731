# SPDX-License-Identifier: Apache-2.0
"""`moorage demo`: it runs anywhere, says only what is true, and fits the terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from moorage.cli.commands import COMMANDS
from tests.conftest import RunMoorage

FLEETS = ("homelab", "cluster", "cloud")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.mark.parametrize("fleet", FLEETS)
@pytest.mark.parametrize("lang", ["C", "C.UTF-8"])
def test_the_demo_runs_and_fits(run_moorage: RunMoorage, fleet: str, lang: str) -> None:
    """It exits 0, no line is over 80 columns, and in the C locale every line is ASCII."""
    done = run_moorage("demo", "--fleet", fleet, LANG=lang)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert lang != "C" or done.stdout.isascii()
    assert not re.search(r" +$", done.stdout, re.MULTILINE)


def test_the_demo_shows_what_it_is_for(run_moorage: RunMoorage) -> None:
    """Bars, a broken rule, a hot host, a refusal with its figure, a move, and the outcome."""
    told = run_moorage("demo").stdout
    assert len(re.findall(r"^.{2}pve\d+ ", told, re.MULTILINE)) >= 14
    assert "hottest" in told
    assert re.search(r"share rack rack_[abc]; at most 1 may", told)
    assert re.search(r"refused: at 0 s pve\d+: memory \d+ GiB taken, \d+ GiB usable", told)
    assert re.search(r"\d+%  [\d.]+ GiB sent, \d+ s left", told)
    assert re.search(r"is seen on pve\d+ in a fresh snapshot", told)
    assert "rules broken: 2 before, 1 now" in told


def test_the_demo_repeats_itself(run_moorage: RunMoorage) -> None:
    """The same seed tells the same story, another seed another one."""
    first, again, other = (run_moorage("demo", "--seed", s).stdout for s in ("3", "3", "4"))
    assert first == again != other


def test_what_to_try_next_exists(run_moorage: RunMoorage) -> None:
    """Every command that the end names is one of this version."""
    told = run_moorage("demo", "--fleet", "homelab").stdout.partition("Try next")[2]
    named = re.findall(r"moorage ([a-z]+)", told)
    assert named
    assert set(named) <= set(COMMANDS)


def test_wrong_options_are_wrong_usage(run_moorage: RunMoorage) -> None:
    """A fleet that doesn't exist exits 64."""
    assert run_moorage("demo", "--fleet", "castle").returncode == 64


def on_terminal(environment: dict[str, str], *arguments: str) -> tuple[int, str, float]:
    """Run the command on a terminal of 80 columns: exit code, what it drew, seconds."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", "moorage", *arguments],
        stdin=follower, stdout=follower, stderr=follower,
        env=environment | {"TERM": "xterm-256color"}, cwd=Path.cwd(),
    )  # fmt: skip
    os.close(follower)
    told = b""
    while True:
        try:
            piece = os.read(leader, 65_536)
        except OSError:
            break
        if not piece:
            break
        told += piece
    os.close(leader)
    return child.wait(30), told.decode(), time.monotonic() - began


@pytest.mark.parametrize("no_color", [False, True])
def test_the_demo_draws_on_a_terminal(plain_environment: dict[str, str], no_color: bool) -> None:
    """A bar moves, nothing is wider than 80 columns, NO_COLOR is honoured; done within 15 s."""
    environment = plain_environment | ({"NO_COLOR": "1"} if no_color else {})
    code, told, seconds = on_terminal(environment, "demo", "--fleet", "homelab", "--speed", "60")
    assert code == 0
    assert seconds < 15
    assert ("\x1b[31m" in told) is not no_color
    assert len(set(re.findall(r"(\d+)%.{0,12}[\d.]+ GiB sent", ESCAPES.sub("", told)))) > 3
    lines = ESCAPES.sub("", told).replace("\r", "\n").splitlines()
    assert max(map(len, lines)) <= 80
