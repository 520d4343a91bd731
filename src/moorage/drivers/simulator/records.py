# SPDX-License-Identifier: Apache-2.0
"""Frozen records to plain values and back, with every wrong value named by its place."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from moorage.model.errors import BadInput

Record = TypeVar("Record")

_WORDS = {
    int: "a whole number, 0 or more",
    str: "a text",
    bool: "true or false",
    type(None): "null",
}


def unfolded(record: Any) -> dict[str, Any]:
    """Return the fields of *record* that differ from their defaults, as JSON has them."""
    rows = ((f, getattr(record, f.name)) for f in fields(record))
    return {
        f.name: _plain(value) for f, value in rows if f.default is MISSING or value != f.default
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return unfolded(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, StrEnum) else value


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record)


def read_record(record: type[Record], row: object, place: str, **given: Any) -> Record:
    """Make a *record* of a mapping; unknown keys, missing ones and wrong types are refused."""
    if not isinstance(row, Mapping):
        raise BadInput("has to be a mapping", place=place)
    known = {f.name: f for f in fields(record)}  # type: ignore[arg-type] # records are dataclasses
    for key in row:
        if key not in known:
            hint = f"it may have: {', '.join(k for k in known if k not in given)}"
            raise BadInput(f"unknown key {key!r}", place=place, hint=hint)
    for name, field in known.items():
        if name not in row and name not in given and field.default is MISSING:
            raise BadInput(f"{name} is missing", place=place)
    hints = _hints(record)  # type: ignore[arg-type] # a class hashes
    read = {key: _value(hints[key], value, f"{place}.{key}") for key, value in row.items()}
    return record(**given, **read)


def _value(wanted: Any, value: object, place: str) -> Any:
    """Return *value* as type *wanted*, or say that it is something else."""
    origin, options = get_origin(wanted), get_args(wanted)
    if origin in (types.UnionType, Union):
        inner = next(o for o in options if o is not type(None))
        return None if value is None else _value(inner, value, place)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise BadInput("has to be a list", place=place)
        return tuple(_value(options[0], item, f"{place}[{i}]") for i, item in enumerate(value))
    if is_dataclass(wanted):
        return read_record(wanted, value, place)  # type: ignore[arg-type] # it is a class
    if issubclass(wanted, StrEnum):
        if value not in set(wanted):
            hint = f"it may be: {', '.join(wanted)}"
            raise BadInput(f"unknown value {value!r}", place=place, hint=hint)
        return wanted(value)
    if type(value) is not wanted or (isinstance(value, int) and value < 0):
        raise BadInput(f"has to be {_WORDS.get(wanted, wanted.__name__)}", place=place)
    return value
