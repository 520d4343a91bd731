# SPDX-License-Identifier: Apache-2.0
"""Names of rules, and what a name in a YAML 1.1 file refers to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from moorage.formats.cursor import Cursor
from moorage.formats.scalars import Scalar, resolve_1_1


class Names:
    """Gives each rule a name of its own: a second "db" becomes "db (2)"."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def unique(self, wished: str) -> str:
        """Return *wished*, with a number if it is taken."""
        name = wished
        while name in self._used:
            count = self._counts[wished] = self._counts.get(wished, 1) + 1
            name = f"{wished} ({count})"
        self._used.add(name)
        return name


class Known:
    """The nodes or the vms of a file.

    Keys are text as written, but elsewhere a plain 0101, 12 or on is a number or a truth
    value in YAML 1.1; it names the key that is written with the same meaning.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    @cached_property
    def _by_value(self) -> dict[tuple[type, Scalar], str]:
        found: dict[tuple[type, Scalar], str] = {}
        for name in sorted(self._names):
            try:
                value = resolve_1_1(name)
            except ValueError:
                continue
            if not isinstance(value, str):
                found.setdefault((type(value), value), name)
        return found

    def find(self, cursor: Cursor) -> str | None:
        """Return the name that *cursor* refers to; None if there is no such thing."""
        value = cursor.value
        if isinstance(value, str):
            return value if value in self._names else None
        if not isinstance(value, bool | int | float):
            cursor.wants("a name")
        return self._by_value.get((type(value), value))
