# SPDX-License-Identifier: Apache-2.0
"""What was skipped, counted: a large instance says the same thing thousands of times."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from moorage.formats.cursor import Cursor
from moorage.rules.wording import names, plural

SHOWN_KEYS: Final = 20


class Tally:
    """Gathers what a reader skipped; each kind of it becomes one warning."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._constraints: dict[tuple[str, str], int] = {}
        self._elements: dict[str, dict[str, None]] = {}
        self._attributes: dict[str, dict[str, int]] = {}
        self._keys: dict[str, dict[str, int]] = {}

    def say(self, text: str) -> None:
        """Warn with *text* as it is."""
        self._lines.append(text)

    def constraint(self, kind: str, why: str) -> None:
        """Count a constraint that has no effect."""
        self._constraints[kind, why] = self._constraints.get((kind, why), 0) + 1

    def element(self, what: str, element: str) -> None:
        """Remember a host or a guest of which *what* is true."""
        self._elements.setdefault(what, {})[element] = None

    def attribute(self, section: str, key: str) -> None:
        """Count an attribute that means nothing here."""
        _count(self._attributes, section, key)

    def only(self, section: Cursor, what: str, known: Collection[str]) -> Cursor:
        """Count keys of *section* that mean nothing, and return it."""
        for key in section.mapping():
            if key not in known:
                _count(self._keys, what, key)
        return section

    def lines(self) -> tuple[str, ...]:
        """Return the warnings of the fleet."""
        return (
            *self._lines,
            *_counted("attributes without a meaning here are skipped", self._attributes),
            *_counted("unknown keys are skipped", self._keys),
            *self._rest(),
        )

    def _rest(self) -> Iterator[str]:
        for (kind, why), count in self._constraints.items():
            yield f"{kind} ({plural(count, 'constraint')}): {why}"
        for what, elements in self._elements.items():
            yield f"{what}: {names(elements)}"


def _count(counts: dict[str, dict[str, int]], section: str, key: str) -> None:
    of_section = counts.setdefault(section, {})
    of_section[key] = of_section.get(key, 0) + 1


def _counted(what: str, counts: dict[str, dict[str, int]]) -> Iterator[str]:
    """One line: each key with how often it came, the first few of very many."""
    told = []
    for section, keys in counts.items():
        shown = sorted(keys)[:SHOWN_KEYS]
        rest = f" and {len(keys) - len(shown)} more" if len(keys) > len(shown) else ""
        told.append(f"of {section} {', '.join(f'{key} ({keys[key]})' for key in shown)}{rest}")
    if told:
        yield f"{what}: {'; '.join(told)}"
