# SPDX-License-Identifier: Apache-2.0
"""What a conflict between rules looks like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rules that can't all hold, or a host that a rule can't use.

    Attributes:
        fatal: no placement at all satisfies the rules; otherwise it is only a warning.
    """

    code: str
    rules: tuple[str, ...]
    text: str
    guests: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    fatal: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "code": self.code,
            "rules": list(self.rules),
            "guests": list(self.guests),
            "hosts": list(self.hosts),
            "text": self.text,
            "fatal": self.fatal,
        }


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Return *items*, each once, in the order of their first appearance."""
    return tuple(dict.fromkeys(items))
