# SPDX-License-Identifier: Apache-2.0
"""The YAML that most fleets are written in, read many times faster than all of YAML.

Blocks, collections in brackets, plain and quoted scalars and comments; no anchors, no tags, no
text over several lines. At anything else it gives up, and the whole text is read by ruamel.
What it does read, it reads to the same events at the same places, which a test holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from moorage.formats.events import Event, Kind
from moorage.formats.simple_flow import LONGEST_KEY, QUOTED, NotSimple, Position, read_flow

# Tabs, carriage returns, other line breaks and what YAML forbids are left to the full parser.
_STRANGE: Final = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_BLANK: Final = re.compile(r"(?: *(?:#[^\n]*)?\n)*")
_LAST_BLANK: Final = re.compile(r" *(?:#[^\n]*)?\Z")
_INDENT: Final = re.compile(r" *")
_WORD: Final = r"[A-Za-z0-9_./-]"
_KEY: Final = re.compile(
    rf"(?:(?P<plain>[A-Za-z0-9_]{_WORD}*(?: {_WORD}+)*)|{QUOTED}):(?P<gap> +|(?=\n|\Z))"
)
_DASH: Final = re.compile(r"-( +)(?=[^ \n#-]|-[0-9])")
_LINE_END: Final = re.compile(r"(?: +#[^\n]*| *)(?:\n|\Z)")
_VALUE: Final = re.compile(
    r"(?P<plain>(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|-[0-9A-Za-z])"
    rf"(?:[^\s:#]|:(?=[^\s])|[ ]+(?=[^\s:#]|:[^\s]))*)|{QUOTED}"
)


@dataclass(slots=True)
class _Block:
    """A block that is still open. A list may stand right below its key, unindented."""

    indent: int
    is_list: bool
    unindented: bool = False


def simple_events(text: str) -> Iterator[Event]:
    """Yield the events of a YAML text.

    Raises:
        NotSimple: it has to be read by the full parser.
    """
    if _STRANGE.search(text):
        raise NotSimple
    return _Blocks(text).events()


class _Blocks:
    """Goes through a text line by line and keeps the blocks that are open."""

    def __init__(self, text: str) -> None:
        self._here = Position(text)
        self._open: list[_Block] = []
        self._nothing: Event | None = None
        """The value of the last key, should no block follow."""

    def events(self) -> Iterator[Event]:
        here = self._here
        yield Event(Kind.DOCUMENT, "", 1, 1)
        if here.text.startswith("---\n"):
            here.at, here.line, here.line_start = 4, 2, 4
        while self._find_line():
            self._read_line()
            yield from here.out
            here.out.clear()
        self._end_blocks(-1, is_item=False)
        yield from here.out

    def _find_line(self) -> bool:
        """Go to the next line that isn't blank; False if there is none."""
        here = self._here
        found = _BLANK.match(here.text, here.at)
        assert found is not None
        if found.end() > here.at:
            here.line += here.text.count("\n", here.at, found.end())
            here.at = here.line_start = found.end()
        return _LAST_BLANK.match(here.text, here.at) is None

    def _read_line(self) -> None:
        here = self._here
        match = _INDENT.match(here.text, here.at)
        assert match is not None
        indent, here.at = match.end() - here.at, match.end()
        dash = _DASH.match(here.text, here.at)
        self._enter(indent, is_item=dash is not None)
        if dash is not None:
            here.at = dash.end()
            if not _KEY.match(here.text, here.at):
                self._read_value()
                return
            self._begin(_Block(indent + 1 + len(dash[1]), is_list=False))
        self._read_key()

    def _enter(self, indent: int, *, is_item: bool) -> None:
        """Open or close blocks, so that an entry at *indent* stands in its own."""
        top = self._open[-1] if self._open else None
        if top is None and indent == 0:
            self._begin(_Block(0, is_item))
            return
        if self._nothing is not None and top is not None:
            unindented = is_item and indent == top.indent and not top.is_list
            if indent > top.indent or unindented:
                self._nothing = None
                self._begin(_Block(indent, is_item, unindented))
                return
        self._end_blocks(indent, is_item=is_item)
        if not self._open or (indent, is_item) != (self._open[-1].indent, self._open[-1].is_list):
            raise NotSimple

    def _begin(self, block: _Block) -> None:
        self._open.append(block)
        self._here.emit(Kind.SEQUENCE if block.is_list else Kind.MAPPING)

    def _end_blocks(self, indent: int, *, is_item: bool) -> None:
        """Close blocks deeper than *indent*, and lists at it if no item follows."""
        if self._nothing is not None:
            self._here.out.append(self._nothing)
            self._nothing = None
        while self._open and (
            self._open[-1].indent > indent
            or (self._open[-1].unindented and self._open[-1].indent == indent and not is_item)
        ):
            self._open.pop()
            self._here.emit(Kind.END)

    def _read_key(self) -> None:
        here = self._here
        found = _KEY.match(here.text, here.at)
        if found is None or found.end() - here.at > LONGEST_KEY:
            raise NotSimple
        here.scalar(found)
        here.at = found.end() - len(found["gap"])
        if _LINE_END.match(here.text, here.at):
            column = here.at - here.line_start + 1
            self._nothing = Event(Kind.SCALAR, "", here.line, column, plain=True)
            self._end_line()
        else:
            here.at = found.end()
            self._read_value()

    def _read_value(self) -> None:
        here = self._here
        if here.text[here.at] in "[{":
            read_flow(here)
        else:
            found = _VALUE.match(here.text, here.at)
            if found is None:
                raise NotSimple
            here.scalar(found)
            here.at = found.end()
        self._end_line()

    def _end_line(self) -> None:
        here = self._here
        found = _LINE_END.match(here.text, here.at)
        if found is None:
            raise NotSimple
        here.at = here.line_start = found.end()
        here.line += 1
