# SPDX-License-Identifier: Apache-2.0
"""Single values and collections in brackets, for the fast reader of simple YAML."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from moorage.formats.events import Event, Kind


class NotSimple(Exception):
    """The text uses more of YAML than is read here, or is no YAML at all."""


QUOTED: Final = r'"(?P<double>[^"\\\n]*(?:\\[^\n][^"\\\n]*)*)"' + r"|'(?P<single>[^'\n]*)'(?!')"
_INDICATORS: Final = r"\-?:,\[\]{}#&*!|>'\"%@`"
_PLAIN: Final = (
    rf"(?P<plain>(?:[^\s{_INDICATORS}.]|[-.][0-9A-Za-z])"
    r"(?:[^\s,\[\]{}:#?\"'\\]|[ ]+(?=[A-Za-z0-9_(/]))*)"
)
_SCALAR: Final = re.compile(f"{_PLAIN}|{QUOTED}")
_SPACE: Final = re.compile(r"[ \n]*")
_COLON: Final = re.compile(r":[ \n]")
_JSON_ESCAPES: Final = re.compile(r'(?:[^\\]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*')
LONGEST_KEY: Final = 1_000
"""In longer ones the full parser wouldn't find the colon."""


class _Wants(IntEnum):
    """What may come next in a collection."""

    VALUE = 0
    VALUE_OR_END = 1
    KEY = 2
    KEY_OR_END = 3
    COMMA_OR_END = 4


@dataclass(slots=True)
class Position:
    """How far a text is read, and the events that came of it."""

    text: str
    at: int = 0
    line: int = 1
    line_start: int = 0
    out: list[Event] = field(default_factory=list)

    def emit(self, kind: Kind, text: str = "", *, plain: bool = False) -> None:
        """Add an event that stands here."""
        self.out.append(Event(kind, text, self.line, self.at - self.line_start + 1, plain))

    def scalar(self, found: re.Match[str]) -> None:
        """Add the scalar that a pattern with QUOTED and a plain form has found."""
        plain = found["plain"]
        if plain is not None:
            self.emit(Kind.SCALAR, plain, plain=True)
        elif found["single"] is not None:
            self.emit(Kind.SCALAR, found["single"])
        else:
            self.emit(Kind.SCALAR, unescaped(found["double"]))

    def skip_space(self) -> None:
        """Go on to the next character that isn't blank, over ends of lines too."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        breaks = self.text.count("\n", self.at, found.end())
        if breaks:
            self.line += breaks
            self.line_start = self.text.rindex("\n", self.at, found.end()) + 1
        self.at = found.end()


def unescaped(text: str) -> str:
    """Return what stands in double quotes, if its escapes are JSON's too."""
    if "\\" not in text:
        return text
    if _JSON_ESCAPES.fullmatch(text) is None:
        raise NotSimple
    return str(json.loads(f'"{text}"', strict=False))


def read_flow(here: Position) -> None:
    """Read a collection in brackets, which may go over several lines.

    Raises:
        NotSimple: it has to be read by the full parser.
    """
    in_mapping: list[bool] = []
    wants = _Wants.VALUE
    while True:
        mark = here.text[here.at : here.at + 1]
        if mark in ("[", "{"):
            wants = _begin(here, in_mapping, wants)
        elif mark in ("]", "}"):
            wants = _end(here, in_mapping, wants)
            if not in_mapping:
                return
        elif mark == ",":
            _expect(wants is _Wants.COMMA_OR_END)
            wants = _Wants.KEY if in_mapping[-1] else _Wants.VALUE
            here.at += 1
        else:
            wants = _word(here, wants)
        here.skip_space()


def _expect(holds: bool) -> None:
    if not holds:
        raise NotSimple


def _begin(here: Position, in_mapping: list[bool], wants: _Wants) -> _Wants:
    _expect(wants <= _Wants.VALUE_OR_END)
    mapping = here.text[here.at] == "{"
    here.emit(Kind.MAPPING if mapping else Kind.SEQUENCE)
    in_mapping.append(mapping)
    here.at += 1
    return _Wants.KEY_OR_END if mapping else _Wants.VALUE_OR_END


def _end(here: Position, in_mapping: list[bool], wants: _Wants) -> _Wants:
    _expect(wants in (_Wants.VALUE_OR_END, _Wants.KEY_OR_END, _Wants.COMMA_OR_END))
    _expect(in_mapping.pop() == (here.text[here.at] == "}"))
    here.emit(Kind.END)
    here.at += 1
    return _Wants.COMMA_OR_END


def _word(here: Position, wants: _Wants) -> _Wants:
    found = _SCALAR.match(here.text, here.at)
    if found is None or wants is _Wants.COMMA_OR_END:
        raise NotSimple
    here.scalar(found)
    length = found.end() - here.at
    here.at = found.end()
    if wants <= _Wants.VALUE_OR_END:
        return _Wants.COMMA_OR_END
    _expect(length <= LONGEST_KEY and _COLON.match(here.text, here.at) is not None)
    here.at += 1
    return _Wants.VALUE
