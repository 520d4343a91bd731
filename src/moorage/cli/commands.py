# SPDX-License-Identifier: Apache-2.0
"""The table of commands. `--help` is printed from it alone: no command's module is loaded."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a command lives, what it does in one line, and under which heading it stands."""

    target: str
    summary: str
    section: str


_LOOK = "Look at a fleet"
_DECIDE = "Decide"
_PROVE = "Prove"
_FILES = "Files"
_START = "Get started"

COMMANDS: dict[str, Entry] = {
    "hosts": Entry("moorage.cli.hosts:command", "List hosts with what they hold.", _LOOK),
    "guests": Entry("moorage.cli.guests:command", "List guests and where they run.", _LOOK),
    "rules": Entry("moorage.cli.rules:command", "List rules and whether they hold.", _LOOK),
    "plan": Entry(
        "moorage.cli.plan:command", "Plan: the best target and a proved way there.", _DECIDE
    ),
    "solve": Entry(
        "moorage.cli.solve:command", "Find the best target for a fleet, with its bound.", _DECIDE
    ),
    "route": Entry("moorage.cli.route:command", "Find a proved way to a given target.", _DECIDE),
    "check": Entry(
        "moorage.cli.check:command", "Validate a fleet and its rules; name what is broken.", _PROVE
    ),
    "verify": Entry(
        "moorage.cli.verify:command", "Replay a plan or a target against a fleet.", _PROVE
    ),
    "convert": Entry("moorage.cli.convert:command", "Write a fleet in another format.", _FILES),
    "demo": Entry("moorage.cli.demo:command", "Show the main job on an embedded fleet.", _START),
    "bench": Entry(
        "moorage.cli.bench:command", "Measure named workloads against peers and bounds.", _START
    ),
    "completion": Entry(
        "moorage.cli.completion:command", "Print the completion script of a shell.", _START
    ),
}
