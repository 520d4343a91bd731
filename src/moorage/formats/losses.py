# SPDX-License-Identifier: Apache-2.0
"""What a fleet holds that a format has no words for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from typing import Any, Final

from moorage.model.errors import Unsupported

SHOWN: Final = 5


class Losses:
    """Gathers what would be lost; a writer refuses, or leaves it out and says so."""

    def __init__(self, format_name: str) -> None:
        self.format_name = format_name
        self.found: list[str] = []

    def add(self, what: str) -> None:
        """Remember that *what* can't be written."""
        self.found.append(what)

    def check_fields(self, label: str, thing: Any, expressed: Collection[str]) -> None:
        """Remember each field of *thing* that is not *expressed* and not as usual."""
        for field in fields(thing):
            if field.name not in expressed and getattr(thing, field.name) != _usual(field):
                self.add(f"{label}: {field.name.replace('_', ' ')}")

    def refuse(self) -> None:
        """Raise if anything was found."""
        if self.found:
            shown = "; ".join(self.found[:SHOWN])
            rest = len(self.found) - SHOWN
            raise Unsupported(
                f"{self.format_name} has no words for {shown}{f' and {rest} more' * (rest > 0)}",
                hint="write it as native, or leave this out of the fleet first",
            )

    def comments(self) -> list[str]:
        """Return lines that say what was left out."""
        if not self.found:
            return []
        lines = [" ".join(what.split()) for what in self.found]
        return [
            f"# Left out, because {self.format_name} has no words for it:",
            *(f"#   {w}" for w in lines),
        ]


def _usual(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
