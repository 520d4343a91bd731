# SPDX-License-Identifier: Apache-2.0
"""A document as a stream of small events, each with its place; from YAML or from JSON."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import IntEnum
from itertools import accumulate
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from moorage.model.errors import BadInput

Version = tuple[int, int]


class Kind(IntEnum):
    """What an event says."""

    SCALAR = 0
    MAPPING = 1
    SEQUENCE = 2
    END = 3
    ALIAS = 4
    DOCUMENT = 5


class Event(NamedTuple):
    """One step through a document. Lines and columns count from 1.

    Attributes:
        text: of a scalar; the anchor's name for an alias.
        plain: a scalar without quotes, whose meaning depends on its form.
        version: what a document says of its own YAML version.
    """

    kind: Kind
    text: str
    line: int
    column: int
    plain: bool = False
    anchor: str | None = None
    tag: str | None = None
    version: Version | None = None


# Whatever ruamel lets out where a text makes no sense: besides its own errors, those of chr(),
# of decoding %-escapes and of walking past the end.
_PARSER_FAULTS: Final = (
    YAMLError, ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


# libyaml reads these differently: tabs between words, and line breaks of YAML 1.1.
_STRANGE: Final = re.compile("[\t\x85\u2028\u2029\ufeff]")


class Unread(Exception):
    """libyaml doesn't read the text; ruamel's own parser has the last word, and the reasons."""


def quick_events(text: str, version: Version) -> Iterator[Event]:
    """Yield the events of a YAML text as libyaml reads it, many times faster.

    The events are those of `yaml_events`, at the same places, which a test holds.

    Raises:
        Unread: perhaps on the way.
    """
    if _STRANGE.search(text):
        raise Unread
    parser = YAML(typ="safe", pure=False)
    parser.version = version
    try:
        yield from _events(parser, text)
    except _PARSER_FAULTS as fault:
        raise Unread from fault


def yaml_events(text: str, name: str, version: Version) -> Iterator[Event]:
    """Yield the events of a YAML text.

    Raises:
        BadInput: it is no YAML; with the place.
    """
    parser = YAML(typ="safe", pure=True)
    parser.version = version
    line, column = 1, 1
    try:
        for event in _events(parser, text):
            line, column = event.line, event.column
            yield event
    except MarkedYAMLError as fault:
        raise _marked(fault, name, line, column) from None
    except ReaderError as fault:
        place = f"{name}:{Lines(text).place(fault.position)}"
        message = f"character U+{ord(text[fault.position]):04X} can't stand in YAML"
        raise BadInput(message, place=place) from None
    except _PARSER_FAULTS as fault:
        why = " ".join(str(fault).split())[:300] or type(fault).__name__
        place = f"{name}:{line}:{column}"
        raise BadInput(f"is no valid YAML from here on: {why}", place=place) from None


def _events(parser: YAML, text: str) -> Iterator[Event]:
    for found in parser.parse(text):
        event = _event(found, found.start_mark.line + 1, found.start_mark.column + 1)
        if event is not None:
            yield event


def _event(found: Any, line: int, column: int) -> Event | None:
    kind = type(found)
    if kind is ScalarEvent:
        plain = not found.style
        return Event(Kind.SCALAR, found.value, line, column, plain, found.anchor, _tag(found))
    if kind is MappingStartEvent:
        return Event(Kind.MAPPING, "", line, column, False, found.anchor, _tag(found))
    if kind is SequenceStartEvent:
        return Event(Kind.SEQUENCE, "", line, column, False, found.anchor, _tag(found))
    if kind is MappingEndEvent or kind is SequenceEndEvent:
        return Event(Kind.END, "", line, column)
    if kind is AliasEvent:
        return Event(Kind.ALIAS, found.anchor, line, column)
    if kind is DocumentStartEvent:
        return Event(Kind.DOCUMENT, "", line, column, version=found.version)
    return None


def _tag(found: Any) -> str | None:
    return None if found.ctag is None else str(found.ctag)


def _marked(fault: MarkedYAMLError, name: str, line: int, column: int) -> BadInput:
    mark = fault.problem_mark or fault.context_mark
    if mark is not None:
        line, column = mark.line + 1, mark.column + 1
    why = ", ".join(str(part) for part in (fault.context, fault.problem) if part)
    why = " ".join(why.split())[:300] or "is no valid YAML"
    return BadInput(why, place=f"{name}:{line}:{column}", hint=_hint_for(why))


def _hint_for(why: str) -> str | None:
    if "cannot start any token" in why:
        return "put text that starts with a special character in quotes; indent with spaces"
    if "mapping values are not allowed" in why:
        return "check the indentation, or put text that holds a colon in quotes"
    return None


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        lengths = (len(line) + 1 for line in text.split("\n"))
        self._starts = [0, *accumulate(lengths)]

    def at(self, offset: int) -> tuple[int, int]:
        """Return line and column of *offset*."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def place(self, offset: int) -> str:
        """Return LINE:COLUMN of *offset*."""
        line, column = self.at(offset)
        return f"{line}:{column}"


_JSON_TOKEN: Final = re.compile(
    r'"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"|(?P<mark>[\[\]{}])|(?P<word>[^\s"\[\]{},:]+)', re.DOTALL
)
_JSON_KINDS: Final = {"{": Kind.MAPPING, "[": Kind.SEQUENCE, "}": Kind.END, "]": Kind.END}


def json_events(text: str) -> Iterator[Event]:
    """Yield the events of a text that was found to be JSON already."""
    lines = Lines(text)
    yield Event(Kind.DOCUMENT, "", 1, 1)
    for token in _JSON_TOKEN.finditer(text):
        line, column = lines.at(token.start())
        mark = token["mark"]
        if mark:
            yield Event(_JSON_KINDS[mark], "", line, column)
        elif token["word"]:
            yield Event(Kind.SCALAR, token["word"], line, column, plain=True)
        else:
            value = token["text"]
            decoded = json.loads(token[0]) if "\\" in value else value
            yield Event(Kind.SCALAR, decoded, line, column)
