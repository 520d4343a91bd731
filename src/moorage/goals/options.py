# SPDX-License-Identifier: Apache-2.0
"""Options of a goal: plain values, each asked for by name; what nobody asks for is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Final, NoReturn

from moorage.model.errors import BadInput

MOST: Final = 10**9
"""Of any option that is a number: far beyond what has a meaning, far below 64 bits."""
MILLION: Final = 1_000_000


class Options:
    """The options of one goal, or a part of them.

    Attributes:
        goal: what the goal is called.
        place: where the options stand, for messages.
    """

    def __init__(
        self, goal: str, values: Mapping[str, Any], known: Iterable[str], place: str = ""
    ) -> None:
        self.goal = goal
        self.place = place or "goal.options"
        self._values = values
        self._refuse_unknown(tuple(known))

    def _refuse_unknown(self, known: tuple[str, ...]) -> None:
        for key in self._values:
            if key not in known:
                near = get_close_matches(str(key), known, 1)
                meant = f"did you mean {near[0]}? " if near else ""
                listed = ", ".join(known) or "none"
                hint = f"{meant}The options there are: {listed}"
                raise BadInput(
                    f"the goal {self.goal} has no option {key}",
                    place=f"{self.place}.{key}",
                    hint=hint[0].upper() + hint[1:],
                )

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def fail(self, key: str, message: str, hint: str | None = None) -> NoReturn:
        """Refuse the option *key*."""
        raise BadInput(message, place=f"{self.place}.{key}", hint=hint)

    def value(self, key: str) -> Any:
        """Return the option as it stands, or None."""
        return self._values.get(key)

    def whole(self, key: str, usual: int, *, least: int = 0, most: int = MOST) -> int:
        """Return a whole number."""
        value = self._values.get(key)
        if value is None:
            return usual
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.fail(key, f"{key} is {value!r}, but has to be a whole number {least} to {most}")
        return value

    def number(self, key: str, *, least: int = 0, most: int = MOST) -> Fraction | None:
        """Return a number exactly as it is written, or None if it isn't given."""
        value = self._values.get(key)
        if value is None:
            return None
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not least <= value <= most:
            self.fail(key, f"{key} is {value!r}, but has to be a number {least} to {most}")
        return Fraction(str(value))

    def millionths(self, key: str, usual: int, *, most: int = 1) -> int:
        """Return a number in millionths."""
        found = self.number(key, most=most)
        return usual if found is None else round(found * MILLION)

    def word(self, key: str, usual: str, words: Iterable[str] | None = None) -> str:
        """Return a word, one of *words* if they are given."""
        value = self._values.get(key, usual)
        if not isinstance(value, str):
            self.fail(key, f"{key} is {value!r}, but has to be a word")
        if words is not None and value not in words:
            self.fail(key, f"{key} is {value!r}", f"choose one of: {', '.join(words)}")
        return value

    def flag(self, key: str, *, usual: bool) -> bool:
        """Return yes or no."""
        value = self._values.get(key, usual)
        if not isinstance(value, bool):
            self.fail(key, f"{key} is {value!r}, but has to be true or false")
        return value

    def section(self, key: str, known: Iterable[str]) -> Options:
        """Return a mapping as options of their own; without one, an empty one."""
        value = self._values.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.fail(key, f"{key} is {value!r}, but has to be a mapping")
        return Options(self.goal, value or {}, known, f"{self.place}.{key}")

    def rows(self, key: str, known: Iterable[str]) -> Iterator[Options]:
        """Return each mapping of a list as options of its own."""
        value = self._values.get(key) or ()
        if not isinstance(value, list | tuple):
            self.fail(key, f"{key} is {value!r}, but has to be a list")
        names = tuple(known)
        for number, row in enumerate(value):
            if not isinstance(row, Mapping):
                self.fail(f"{key}.{number}", f"{row!r} is no mapping")
            yield Options(self.goal, row, names, f"{self.place}.{key}.{number}")
