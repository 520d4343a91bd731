# SPDX-License-Identifier: Apache-2.0
"""The few marks that text answers use; plain letters where only ASCII can be shown."""

from __future__ import annotations

from dataclasses import dataclass

from moorage.cli.output import draws_unicode


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands before a line: good, bad, so-so, and what to do about it."""

    good: str
    bad: str
    odd: str
    then: str


def marks() -> Marks:
    """Return the marks that the terminal can show."""
    return Marks("✓", "✗", "!", "→") if draws_unicode() else Marks("ok", "x", "!", "->")
