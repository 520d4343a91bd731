# SPDX-License-Identifier: Apache-2.0
"""A text that is nothing but whole numbers with blanks between them."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, NoReturn

from moorage.formats.limits import MAX_INT
from moorage.formats.source import Text
from moorage.model.errors import BadInput, TooLarge

_PIECE_CHARS: Final = 1 << 16
_TOKEN: Final = re.compile(r"[^ \t\r\n\f\v]+")
_DIGITS: Final = len(str(MAX_INT))
_NUMBER: Final = re.compile(f"[0-9]{{1,{_DIGITS}}}")
_NUMBERS: Final = re.compile(r"[0-9 \t\r\n\f\v]*")


class Numbers:
    """Gives out the numbers of a text one after the other, and knows where they stand.

    The text is taken to pieces, so that no more numbers are held than were asked for.
    """

    def __init__(self, source: Text) -> None:
        self._name = source.name
        self._text = source.text
        self._start = 0
        self._ready: list[int] = []
        self._used = 0
        self._before = 0
        """Numbers that were given out before those that are ready."""

    def take(self, count: int, what: str) -> list[int]:
        """Return the next *count* numbers."""
        while len(self._ready) - self._used < count:
            if not self._load():
                self._refuse(f"the text ends where {what} should follow", len(self._text))
        self._used += count
        return self._ready[self._used - count : self._used]

    def one(self, what: str, most: int = MAX_INT) -> int:
        """Return the next number, which is at most *most*."""
        [number] = self.take(1, what)
        if number > most:
            bound = "there is none" if most < 0 else f"it has to be at most {most}"
            self.fail(f"{what} is {number}, but {bound}")
        return number

    def count(self, what: str, most: int) -> int:
        """Return the next number: how many things follow."""
        [number] = self.take(1, what)
        if number > most:
            place = self._place(self._last())
            raise TooLarge(f"{what} is {number}; at most {most} can be read", place=place)
        return number

    def end(self) -> None:
        """Refuse numbers that nobody asked for."""
        if self._used < len(self._ready) or self._load():
            self._used += 1
            self.fail("the text goes on after its last number")

    def fail(self, message: str) -> NoReturn:
        """Refuse the text because of the number that was given out last."""
        self._refuse(message, self._last())

    def _load(self) -> bool:
        """Make the numbers of the next piece ready; False at the end of the text."""
        while self._start < len(self._text):
            end = self._end_of_piece()
            piece = self._text[self._start : end]
            numbers = self._convert(piece)
            self._start = end
            if numbers:
                self._before += self._used
                self._ready = self._ready[self._used :] + numbers
                self._used = 0
                return True
        return False

    def _end_of_piece(self) -> int:
        """Cut after a blank, so that no number is cut."""
        end = self._start + _PIECE_CHARS
        if end >= len(self._text):
            return len(self._text)
        cut = max(self._text.rfind(blank, self._start, end) for blank in "\n \t\r\f\v")
        return end if cut < 0 else cut + 1

    def _convert(self, piece: str) -> list[int]:
        tokens = piece.split()
        if _NUMBERS.fullmatch(piece) is None or any(len(t) > _DIGITS for t in tokens):
            self._refuse_token(piece)
        numbers = list(map(int, tokens))
        if max(numbers, default=0) > MAX_INT:
            self._refuse_token(piece)
        return numbers

    def _refuse_token(self, piece: str) -> NoReturn:
        """Name the first thing in *piece* that is no number of 63 bits."""
        for match in _TOKEN.finditer(piece):
            token = match.group()
            if _NUMBER.fullmatch(token) is None or int(token) > MAX_INT:
                shown = token if len(token) <= 30 else token[:29] + "…"
                message = f"{shown!r} is no whole number from 0 to {MAX_INT}"
                self._refuse(message, self._start + match.start())
        raise AssertionError("a piece without a fault was refused")

    def _last(self) -> int:
        """Where in the text the number stands that was given out last."""
        index = self._before + self._used - 1
        match = next(islice(_TOKEN.finditer(self._text), index, None), None)
        return match.start() if match else 0

    def _refuse(self, message: str, at: int) -> NoReturn:
        raise BadInput(message, place=self._place(at))

    def _place(self, at: int) -> str:
        line = self._text.count("\n", 0, at) + 1
        return f"{self._name}:{line}:{at - self._text.rfind(chr(10), 0, at)}"
