# SPDX-License-Identifier: Apache-2.0
"""From events to plain values: aliases, merge keys, duplicates and bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from moorage.formats.events import Event, Kind, Version
from moorage.formats.limits import MAX_DEPTH, expansion_limit
from moorage.formats.scalars import Resolve, resolver
from moorage.formats.wording import shown
from moorage.model.errors import BadInput, TooLarge

Container = dict[str, Any] | list[Any]
Key = str | int

_CORE: Final = "tag:yaml.org,2002:"
_TEXT_TAGS: Final = frozenset({"!", f"{_CORE}str"})
_VALUE_TAGS: Final = frozenset(_CORE + name for name in ("int", "float", "bool", "null"))
_MAPPING_TAGS: Final = frozenset({"!", f"{_CORE}map"})
_SEQUENCE_TAGS: Final = frozenset({"!", f"{_CORE}seq"})
_MERGE: Final = "<<"


class Mark(NamedTuple):
    """Where an entry of a container stands: its key and its value."""

    key: tuple[int, int]
    value: tuple[int, int]


@dataclass(slots=True)
class Anchored:
    """A value that has an anchor; its weight counts all values in it, itself too."""

    value: Any
    weight: int
    height: int


@dataclass(slots=True)
class Frame:
    """A container that is not closed yet."""

    container: Container
    start: Event
    weight_before: int
    height: int = 1
    key: str | None = None
    key_event: Event | None = None
    merging: bool = False
    lines: dict[str, int] = field(default_factory=dict)
    merged: list[dict[str, Any]] = field(default_factory=list)


class Builder:
    """Builds one document. It walks no value twice, so that a bomb costs nothing.

    With *record* it remembers where each entry stands, in `marks`.
    """

    def __init__(
        self, name: str, chars: int, version: Version = (1, 2), *, record: bool = False
    ) -> None:
        self.name = name
        self.marks: dict[int, dict[Key, Mark]] | None = {} if record else None
        self._limit = expansion_limit(chars)
        self._resolve: Resolve = resolver(version)
        self._frames: list[Frame] = []
        self._anchors: dict[str, Anchored | None] = {}
        self._weight = 0
        self._documents = 0
        self._root: Any = None

    def build(self, events: Iterable[Event]) -> Any:
        """Return the value of the one document; None for an empty one.

        Raises:
            BadInput: it has no meaning here; with the place.
            TooLarge: it is deeper, or its aliases expand to more, than any fleet.
        """
        for event in events:
            kind = event.kind
            if kind is Kind.SCALAR:
                self._scalar(event)
            elif kind is Kind.END:
                self._close()
            elif kind is Kind.ALIAS:
                self._alias(event)
            elif kind is Kind.DOCUMENT:
                self._document(event)
            else:
                self._open(event)
        return self._root

    def _refusal(self, event: Event, message: str, hint: str | None = None) -> BadInput:
        return BadInput(message, place=f"{self.name}:{event.line}:{event.column}", hint=hint)

    def _document(self, event: Event) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._refusal(event, "a second document begins here", "keep one in each file")
        if event.version is not None:
            self._resolve = resolver(event.version)

    def _scalar(self, event: Event) -> None:
        if not event.text.isascii():
            self._refuse_surrogates(event)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.key is None and type(frame.container) is dict:
            self._key(frame, event)
            return
        value = self._value(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchored(value, 1, 0)
        self._attach(event, value, 1)

    def _value(self, event: Event) -> Any:
        if not event.plain:
            if event.tag is None or event.tag in _TEXT_TAGS:
                return event.text
        elif event.tag in _TEXT_TAGS:
            return event.text
        if event.tag is not None and event.tag not in _VALUE_TAGS:
            raise self._foreign_tag(event)
        try:
            return self._resolve(event.text)
        except ValueError as error:
            raise self._refusal(event, str(error), "put it in quotes if it is a name") from None

    def _foreign_tag(self, event: Event) -> BadInput:
        tag = (event.tag or "").replace(_CORE, "!!")
        return self._refusal(event, f"the tag {tag[:60]} has no meaning here", "leave the tag out")

    def _refuse_surrogates(self, event: Event) -> None:
        try:
            event.text.encode()
        except UnicodeEncodeError:
            raise self._refusal(event, "half of a character (a lone surrogate)") from None

    def _key(self, frame: Frame, event: Event) -> None:
        """Keys are text as it is written: a host may be called 1, or on."""
        text = event.text
        if event.tag is not None and event.tag not in _TEXT_TAGS | _VALUE_TAGS:
            raise self._foreign_tag(event)
        if event.plain and not text:
            raise self._refusal(event, "a key is missing here")
        frame.key_event = event
        frame.merging = text == _MERGE and event.plain
        if frame.merging:
            frame.key = _MERGE
            return
        if text in frame.lines:
            hint = f"the first one is on line {frame.lines[text]}"
            raise self._refusal(event, f"duplicate key {shown(text)}", hint)
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchored(text, 1, 0)
        frame.key = text
        frame.lines[text] = event.line

    def _open(self, event: Event) -> None:
        mapping = event.kind is Kind.MAPPING
        if event.tag is not None and event.tag not in (
            _MAPPING_TAGS if mapping else _SEQUENCE_TAGS
        ):
            raise self._foreign_tag(event)
        self._refuse_complex_key(event)
        if len(self._frames) >= MAX_DEPTH:
            raise self._too_deep(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._frames.append(Frame({} if mapping else [], event, self._weight))
        if self.marks is not None:
            self.marks[id(self._frames[-1].container)] = {}

    def _too_deep(self, event: Event) -> TooLarge:
        place = f"{self.name}:{event.line}:{event.column}"
        return TooLarge(f"more than {MAX_DEPTH} lists and mappings inside each other", place=place)

    def _refuse_complex_key(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.key is None and type(frame.container) is dict:
            hint = "put a name with special characters in quotes"
            raise self._refusal(event, "a list or a mapping can't be a key", hint)

    def _close(self) -> None:
        frame = self._frames.pop()
        container = frame.container
        if frame.merged and type(container) is dict:
            self._merge(container, frame.merged)
        self._attach(frame.start, container, 1)
        if frame.start.anchor is not None:
            weight = self._weight - frame.weight_before
            self._anchors[frame.start.anchor] = Anchored(container, weight, frame.height)
        if self._frames:
            self._frames[-1].height = max(self._frames[-1].height, frame.height + 1)

    def _merge(self, container: dict[str, Any], merged: list[dict[str, Any]]) -> None:
        """Lay *container* over what it merges; of two merged mappings the first one wins."""
        for other in merged:
            for key, value in other.items():
                if key not in container:
                    container[key] = value
                    if self.marks is not None:
                        self.marks[id(container)][key] = self.marks[id(other)][key]

    def _alias(self, event: Event) -> None:
        if event.text not in self._anchors:
            raise self._refusal(event, f"nothing has the anchor &{event.text[:60]}")
        anchored = self._anchors[event.text]
        if anchored is None:
            raise self._refusal(event, f"the alias *{event.text[:60]} stands inside what it names")
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.key is None and type(frame.container) is dict:
            self._refuse_alias_key(event, anchored)
            self._key(frame, event._replace(text=anchored.value, anchor=None))
            return
        if len(self._frames) + anchored.height > MAX_DEPTH:
            raise self._too_deep(event)
        if frame is not None:
            frame.height = max(frame.height, anchored.height + 1)
        self._attach(event, anchored.value, anchored.weight)

    def _refuse_alias_key(self, event: Event, anchored: Anchored) -> None:
        if not isinstance(anchored.value, str):
            raise self._refusal(event, "only text can be a key")

    def _attach(self, event: Event, value: Any, weight: int) -> None:
        """Put a finished value where it belongs."""
        self._weight += weight
        if self._weight > self._limit:
            place = f"{self.name}:{event.line}:{event.column}"
            message = f"aliases expand to more than {self._limit:,} values"
            raise TooLarge(message, place=place)
        if not self._frames:
            self._root = value
            return
        frame = self._frames[-1]
        container = frame.container
        if type(container) is list:
            self._mark(container, len(container), event, event)
            container.append(value)
        elif frame.merging:
            self._collect(frame, event, value)
        elif frame.key is not None and type(container) is dict:
            self._mark(container, frame.key, frame.key_event or event, event)
            container[frame.key] = value
        frame.key = None

    def _collect(self, frame: Frame, event: Event, value: Any) -> None:
        """Remember what a merge key names: a mapping, or a list of them."""
        found = value if type(value) is list else [value]
        if not all(type(each) is dict for each in found):
            raise self._refusal(event, "<< takes a mapping or a list of mappings")
        frame.merged += found
        frame.merging = False

    def _mark(self, container: Container, key: Key, at: Event, value: Event) -> None:
        if self.marks is not None:
            mark = Mark((at.line, at.column), (value.line, value.column))
            self.marks[id(container)][key] = mark
