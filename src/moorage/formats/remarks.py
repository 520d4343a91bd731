# SPDX-License-Identifier: Apache-2.0
"""What a reader skipped or found odd: many of one kind become a few lines."""

from __future__ import annotations

from typing import Final

SHOWN: Final = 3


class Remarks:
    """Gathers warnings by kind, in the order in which kinds first came up."""

    def __init__(self) -> None:
        self._shown: dict[str, list[str]] = {}
        self._left_out: dict[str, int] = {}

    def add(self, kind: str, place: str, text: str) -> None:
        """Remember *text*; of each *kind* the first few are shown and the rest counted."""
        if self.shows(kind):
            self._shown.setdefault(kind, []).append(f"{place}: {text}" if place else text)
        else:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1

    def shows(self, kind: str) -> bool:
        """Whether the next remark of *kind* will be shown, not only counted."""
        return len(self._shown.get(kind, ())) < SHOWN

    def lines(self) -> tuple[str, ...]:
        """Return the warnings of the fleet."""
        found: list[str] = []
        for kind, shown in self._shown.items():
            found += shown
            if kind in self._left_out:
                found.append(f"{kind}: {self._left_out[kind]} more")
        return tuple(found)
