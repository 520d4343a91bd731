# SPDX-License-Identifier: Apache-2.0
"""What the command line exits with: stable numbers that scripts rely on."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class ExitCode(IntEnum):
    """One number for each outcome that a script may want to tell from the others."""

    meaning: str

    def __new__(cls, number: int, meaning: str) -> Self:
        """Make a member that is its number and also knows what it means."""
        member = int.__new__(cls, number)
        member._value_ = number
        member.meaning = meaning
        return member

    DONE = 0, "done; for `plan` also: nothing to do"
    UNEXPECTED = 1, "unexpected error"
    MOVES = 2, "there are moves, with `plan --detailed-exitcode`"
    INFEASIBLE = 3, "infeasible: the rules and the capacities can't all hold"
    CONFLICT = 4, "rules conflict: they contradict each other whatever the capacities"
    STALE = 5, "stale, or lost to a concurrent change"
    PARTLY = 6, "partly done"
    UNAUTHORISED = 7, "not authorised"
    UNREACHABLE = 8, "unreachable"
    VERIFICATION_FAILED = 9, "verification failed"
    USAGE = 64, "wrong usage of the command line"
    BAD_INPUT = 65, "bad input"
    INTERRUPTED = 130, "interrupted"
