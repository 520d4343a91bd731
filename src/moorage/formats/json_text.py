# SPDX-License-Identifier: Apache-2.0
"""JSON, fast: the standard parser reads; only what it refuses is read slowly, for the place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from math import inf
from typing import Any, Final, NoReturn

from moorage.formats.building import Builder
from moorage.formats.events import Event, json_events
from moorage.formats.limits import MAX_DEPTH, fits_int64
from moorage.model.errors import BadInput

# What no YAML mapping in braces looks like, unless it is JSON too.
_JSON_START: Final = re.compile(r'\s*(?:\[|\{\s*["}])')
_CONSTANT: Final = re.compile(r"-?(?:NaN|Infinity)")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def looks_like_json(text: str) -> bool:
    """Whether *text* begins as JSON does and YAML hardly ever."""
    return _JSON_START.match(text) is not None


def parse_json(text: str, name: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        BadInput: it is no JSON, or has what no document may have; with the place.
        TooLarge: it is deeper than any fleet.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = f"{name}:{error.lineno}:{error.colno}"
        raise BadInput(f"is no valid JSON: {error.msg}", place=place) from None
    except (ValueError, RecursionError) as error:
        read_slowly(text, name)
        raise BadInput(f"is no valid JSON: {error}", place=name) from None
    if not _is_sound(value) or _SURROGATE.search(text):
        read_slowly(text, name)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _is_sound(value: Any) -> bool:
    """Whether depth and numbers are such as the rest of the program can hold."""
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for container in level:
            values = container.values() if type(container) is dict else container
            if not _are_sound(values, below):
                return False
        if not below:
            return True
        level = below
    return False


def _are_sound(values: Iterable[Any], below: list[Any]) -> bool:
    """Whether all numbers fit; containers are added to *below*."""
    for value in values:
        kind = type(value)
        if kind is dict or kind is list:
            below.append(value)
        elif kind is int:
            if not fits_int64(value):
                return False
        elif kind is float and not -inf < value < inf:
            return False
    return True


def read_slowly(text: str, name: str, *, record: bool = False) -> tuple[Any, Builder]:
    """Read JSON event by event, which knows the place of everything and of any fault."""
    builder = Builder(name, len(text), record=record)
    return builder.build(_without_constants(text, name)), builder


def _without_constants(text: str, name: str) -> Iterator[Event]:
    for event in json_events(text):
        if event.plain and _CONSTANT.fullmatch(event.text):
            place = f"{name}:{event.line}:{event.column}"
            raise BadInput(f"{event.text} is no number of JSON", place=place)
        yield event
