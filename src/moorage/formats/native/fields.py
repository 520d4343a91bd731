# SPDX-License-Identifier: Apache-2.0
"""The kinds of values that keys of the native format take, for pydantic and JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from moorage.formats.limits import LONGEST_NAME
from moorage.formats.native import quantities
from moorage.formats.native.quantities import BadAmount
from moorage.formats.wording import did_you_mean, shown
from moorage.model.guests import GuestKind
from moorage.model.hosts import Health, HostState
from moorage.model.rule import Strength, When

if TYPE_CHECKING:
    from enum import StrEnum


def is_name(value: Any) -> str:
    """Return a name. A number is taken as it is written, because hosts may be called 1."""
    if type(value) is str:
        if value and len(value) <= LONGEST_NAME:
            return value
        raise BadAmount("a name can't be empty" if not value else "the name is too long")
    if type(value) is int:
        return str(value)
    raise BadAmount(_no(value, "a name"), "put it in quotes")


def is_text(value: Any) -> str:
    """Return a text, which may be empty."""
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    raise BadAmount(_no(value, "text"), "put it in quotes")


def is_host_of_guest(value: Any) -> str | None:
    """Return the host that a guest is on; a guest can't be on two."""
    if type(value) is list:
        raise BadAmount("a guest is on one host, or on none", "keep the one where it runs")
    return None if value is None else is_name(value)


def is_flag(value: Any) -> bool:
    """Return a truth value, and nothing that only looks like one."""
    if type(value) is bool:
        return value
    raise BadAmount(_no(value, "true or false"), "write true or false")


def is_whole(value: Any) -> int:
    """Return a whole number of at least zero."""
    if type(value) is int and value >= 0:
        return value
    if type(value) is int:
        raise BadAmount("the number can't be negative")
    raise BadAmount(_no(value, "a whole number"))


def is_integer(value: Any) -> int:
    """Return a whole number, which may be negative: a priority below the usual one."""
    if type(value) is int:
        return value
    raise BadAmount(_no(value, "a whole number"))


def one_of(kind: type[StrEnum]) -> Callable[[Any], StrEnum]:
    """Return what reads one of the words of *kind*."""
    words: Mapping[Any, StrEnum] = {member.value: member for member in kind}

    def read(value: Any) -> StrEnum:
        found = words.get(value) if type(value) is str else None
        if found is None:
            raise BadAmount(f"{shown(value)} is none of {', '.join(words)}", _hint(value, words))
        return found

    return read


def _hint(value: Any, words: Mapping[str, Any]) -> str | None:
    return did_you_mean(value, words) if type(value) is str else None


def _no(value: Any, wanted: str) -> str:
    return f"{shown(value)} is not {wanted}" if value is not None else f"{wanted} is missing here"


def amount_schema(description: str) -> WithJsonSchema:
    """Return the JSON Schema of an amount."""
    forms = [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^ *[0-9]"}]
    return WithJsonSchema({"anyOf": forms, "description": description})


def words_schema(kind: type[StrEnum]) -> WithJsonSchema:
    """Return the JSON Schema of one of some words."""
    return WithJsonSchema({"type": "string", "enum": [member.value for member in kind]})


ABSENT: Final[Any] = None
"""The default of keys that need not be there; written down, they can't be empty."""

Name = Annotated[
    str, PlainValidator(is_name), WithJsonSchema({"type": ["string", "integer"], "minLength": 1})
]
Text = Annotated[str, PlainValidator(is_text), WithJsonSchema({"type": ["string", "integer"]})]
HostOfGuest = Annotated[
    str | None,
    PlainValidator(is_host_of_guest),
    WithJsonSchema({"type": ["string", "integer", "null"]}),
]
Flag = Annotated[bool, PlainValidator(is_flag), WithJsonSchema({"type": "boolean"})]
Integer = Annotated[int, PlainValidator(is_integer), WithJsonSchema({"type": "integer"})]
Whole = Annotated[int, PlainValidator(is_whole), WithJsonSchema({"type": "integer", "minimum": 0})]

Mib = Annotated[
    int, PlainValidator(quantities.mib), amount_schema("MiB, or text with a unit: 8 GiB")
]
MeasuredMib = Annotated[
    int, PlainValidator(quantities.measured_mib), amount_schema("MiB, or text with a unit; rounded")
]
Cores = Annotated[
    int, PlainValidator(quantities.millicores), amount_schema("cores, or thousandths: 500m")
]
MeasuredCores = Annotated[
    int,
    PlainValidator(quantities.measured_millicores),
    amount_schema("cores, rounded to a thousandth"),
]
Ratio = Annotated[
    int, PlainValidator(quantities.permille), amount_schema("a factor, exact to a thousandth")
]
Percent = Annotated[
    int, PlainValidator(quantities.basis_points), amount_schema("percent, rounded to a hundredth")
]
Seconds = Annotated[
    int, PlainValidator(quantities.seconds), amount_schema("seconds, or text with a unit: 5 min")
]
Milliseconds = Annotated[
    int,
    PlainValidator(quantities.milliseconds),
    amount_schema("seconds, or text with a unit: 500 ms"),
]
KibPerSecond = Annotated[
    int, PlainValidator(quantities.kib_per_s), amount_schema("KiB/s, or text with a unit: 20 MiB/s")
]
Mbps = Annotated[
    int, PlainValidator(quantities.mbps), amount_schema("Mb/s, or text with a unit: 10 Gb/s")
]

KindWord = Annotated[GuestKind, PlainValidator(one_of(GuestKind)), words_schema(GuestKind)]
StateWord = Annotated[HostState, PlainValidator(one_of(HostState)), words_schema(HostState)]
HealthWord = Annotated[Health, PlainValidator(one_of(Health)), words_schema(Health)]
StrengthWord = Annotated[Strength, PlainValidator(one_of(Strength)), words_schema(Strength)]
WhenWord = Annotated[When, PlainValidator(one_of(When)), words_schema(When)]
