# SPDX-License-Identifier: Apache-2.0
"""A document as plain values, which can tell where each of them stands in the text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from moorage.formats.building import Builder, Key, Mark
from moorage.formats.events import Unread, Version, quick_events, yaml_events
from moorage.formats.json_text import looks_like_json, parse_json, read_slowly
from moorage.formats.limits import MAX_PLACED_CHARS
from moorage.formats.memory import no_cycle_search
from moorage.formats.plain_values import Copier, dotted
from moorage.model.errors import BadInput

Path = tuple[Key, ...]

YAML_1_1: Final = (1, 1)
YAML_1_2: Final = (1, 2)


class Tree:
    """The value of a document: dicts with text as keys, lists, text, numbers, None.

    Attributes:
        name: of the file, for errors.
        value: never changed after it was read.
        text: what it was read from; None for a value that never was text.
    """

    def __init__(
        self, name: str, value: Any, text: str | None = None, version: Version = YAML_1_2
    ) -> None:
        self.name = name
        self.value = value
        self.text = text
        self.version = version

    @property
    def is_json(self) -> bool:
        """Whether the text is JSON."""
        return self.text is not None and looks_like_json(self.text)

    def place(self, path: Path = (), *, of_key: bool = False) -> str:
        """Return NAME:LINE:COLUMN of the value at *path*, or of its key.

        Of a path that leads nowhere, the part that exists counts. Without a text, and for a
        YAML text too long to be read a second time, it is NAME: and the path with dots.
        """
        if self._marks is None:
            where = dotted(path)
            return f"{self.name}: {where}" if where else self.name
        line, column = self._locate(path, of_key=of_key)
        return f"{self.name}:{line}:{column}"

    def error(
        self, path: Path, message: str, *, hint: str | None = None, of_key: bool = False
    ) -> BadInput:
        """Return an error that stands at *path*."""
        return BadInput(message, place=self.place(path, of_key=of_key), hint=hint)

    @cached_property
    def _marks(self) -> tuple[Any, dict[int, dict[Key, Mark]]] | None:
        """The value read once more, and where the entries of its containers stand."""
        if self.text is None:
            return None
        if self.is_json:
            root, builder = read_slowly(self.text, self.name, record=True)
        elif len(self.text) <= MAX_PLACED_CHARS:
            root, builder = _read_yaml(self.text, self.name, self.version, record=True)
        else:
            return None
        return root, builder.marks or {}

    def _locate(self, path: Path, *, of_key: bool) -> tuple[int, int]:
        value: Any
        value, marks = self._marks or (None, {})
        found: Mark | None = None
        known = 0
        for key in path:
            mark = marks.get(id(value), {}).get(key)
            if mark is None:
                break
            found, value, known = mark, value[key], known + 1
        if found is None:
            return _first(self.text or "")
        return found.key if of_key and known == len(path) else found.value


def _first(text: str) -> tuple[int, int]:
    """The place of the first character that isn't blank."""
    before = text[: len(text) - len(text.lstrip())]
    if before == text:
        return 1, 1
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def parse(text: str, *, name: str, yaml_version: Version = YAML_1_2) -> Tree:
    """Read a JSON or YAML text.

    Raises:
        BadInput: it is neither, or has what no document may have; with the place.
        TooLarge: it is deeper, or its aliases expand to more, than any fleet.
    """
    with no_cycle_search():
        if looks_like_json(text):
            return Tree(name, parse_json(text, name), text)
        value, _ = _read_yaml(text, name, yaml_version)
        return Tree(name, value, text, yaml_version)


def _read_yaml(
    text: str, name: str, version: Version, *, record: bool = False
) -> tuple[Any, Builder]:
    """Read YAML: quickly where libyaml can, and where it can't, with a reason why not."""
    builder = Builder(name, len(text), version, record=record)
    try:
        return builder.build(quick_events(text, version)), builder
    except Unread:
        builder = Builder(name, len(text), version, record=record)
        return builder.build(yaml_events(text, name, version)), builder


def from_value(value: Mapping[str, Any], *, name: str = "<mapping>") -> Tree:
    """Take a value that somebody else has read; its containers are copied.

    Raises:
        BadInput: it holds what no document holds.
        TooLarge: it is deeper than any fleet, or contains itself.
    """
    return Tree(name, Copier(name).copy(value))
