# SPDX-License-Identifier: Apache-2.0
"""How rules look in a document, derived from their classes: a new rule needs nothing here.

The type of a field decides its form, and its name what it names: `guests`, `to` and `groups`
are guests, `hosts`, `parts` and `exempt` are hosts, `resource` and `limits` are resources.
A field may say so itself: `field(metadata={"names": "guests"})`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema, create_model

from moorage.formats.native.fields import (
    ABSENT,
    Flag,
    Integer,
    Name,
    Seconds,
    Text,
    Whole,
    one_of,
    words_schema,
)
from moorage.formats.native.quantities import BadAmount
from moorage.formats.native.selectors import GuestChoice
from moorage.model.frozen import FrozenMap
from moorage.model.rule import Rule
from moorage.rules.registry import registry


class Named(StrEnum):
    """What the words in a field of a rule are names of."""

    NOTHING = "nothing"
    GUESTS = "guests"
    HOSTS = "hosts"
    RESOURCES = "resources"


_NAMED_BY: Final = {
    "guests": Named.GUESTS,
    "to": Named.GUESTS,
    "groups": Named.GUESTS,
    "hosts": Named.HOSTS,
    "parts": Named.HOSTS,
    "exempt": Named.HOSTS,
    "resource": Named.RESOURCES,
    "limits": Named.RESOURCES,
}


class Shape(StrEnum):
    """How the value of a field is built."""

    ONE = "one"
    MANY = "many"
    SETS = "sets"
    NUMBERS = "numbers"


@dataclasses.dataclass(frozen=True, slots=True)
class RuleField:
    """A field of a rule.

    Attributes:
        kind: of the single values in it: str, int, bool or an enumeration.
        amount_of: the field that names the resource of which this one is an amount.
    """

    name: str
    shape: Shape
    kind: type
    named: Named
    required: bool
    default: Any
    amount_of: str | None = None


def _rule_field(field: dataclasses.Field[Any], hint: Any, names: set[str]) -> RuleField:
    shape, kind = _shape(hint)
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    named = Named(field.metadata.get("names", _NAMED_BY.get(field.name, Named.NOTHING)))
    is_amount = field.name == "at_most" and "resource" in names
    return RuleField(
        field.name,
        shape,
        kind,
        named,
        required=default is dataclasses.MISSING,
        default=default,
        amount_of="resource" if is_amount else None,
    )


def _shape(hint: Any) -> tuple[Shape, type]:
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (arg for arg in get_args(hint) if arg is not NoneType)
    if isinstance(hint, type) and get_origin(hint) is None:
        return Shape.ONE, hint
    inner = get_args(hint)[0]
    if get_origin(hint) is FrozenMap:
        return Shape.NUMBERS, get_args(hint)[1]
    if get_origin(inner) is tuple:
        return Shape.SETS, get_args(inner)[0]
    return Shape.MANY, inner


@cache
def fields_of(kind: str) -> tuple[RuleField, ...]:
    """Return the fields of a kind of rule: its own first, then those that all have."""
    rule = registry()[kind]
    hints = get_type_hints(rule)
    found = dataclasses.fields(rule)
    names = {field.name for field in found}
    common = {field.name for field in dataclasses.fields(Rule)}
    ordered = sorted(found, key=lambda field: field.name in common)
    return tuple(_rule_field(field, hints[field.name], names) for field in ordered)


class RuleSection(BaseModel):
    """The body of a rule; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


_Amount = Annotated[
    Any,
    PlainValidator(lambda value: value),
    WithJsonSchema({"type": ["number", "string"], "description": "in the resource's unit"}),
]


def _annotation(field: RuleField) -> Any:
    single: Any = _single(field)
    if field.shape is Shape.ONE:
        return single
    if field.shape is Shape.NUMBERS:
        number: Any = _Amount if field.named is Named.RESOURCES else Integer
        return dict[str, number]
    many: Any = GuestChoice if field.named is Named.GUESTS else list[single]
    return many if field.shape is Shape.MANY else list[many]


def _single(field: RuleField) -> Any:
    if field.amount_of is not None:
        return _Amount
    if issubclass(field.kind, StrEnum):
        words = field.kind
        return Annotated[words, PlainValidator(one_of(words)), words_schema(words)]
    if field.kind is bool:
        return Flag
    if field.kind is int:
        return Seconds if field.name.endswith("_s") else Whole
    return Text if field.name in ("name", "origin") else Name


def _usual(field: RuleField) -> Any:
    """The default, for the JSON Schema; the reader leaves it to the class of the rule."""
    if field.name == "name" or field.default is None:
        return Field(default=ABSENT)
    if field.shape is Shape.ONE:
        return Field(default=field.default)
    return Field(
        default=dict(field.default) if field.shape is Shape.NUMBERS else list(field.default)
    )


def _model(kind: str, rule: type[Rule]) -> type[RuleSection]:
    annotations: dict[str, Any] = {
        field.name: (_annotation(field), ... if field.required else _usual(field))
        for field in fields_of(kind)
    }
    made: type[RuleSection] = create_model(
        f"{rule.__name__}Rule", __base__=RuleSection, __doc__=rule.invariant, **annotations
    )
    return made


@cache
def rule_entry() -> type[BaseModel]:
    """Return the model of one rule in a list: a mapping with its kind as the only key."""
    kinds: dict[str, Any] = {
        kind: (_model(kind, rule), Field(default=ABSENT)) for kind, rule in registry().items()
    }
    return create_model(
        "RuleEntry",
        __config__=ConfigDict(
            extra="forbid", json_schema_extra={"minProperties": 1, "maxProperties": 1}
        ),
        __doc__="One rule: its kind, and below it what it says.",
        **kinds,
    )


def kinds() -> Iterator[str]:
    """Yield the kinds of rules that there are."""
    yield from registry()


__all__ = ["BadAmount", "Named", "RuleField", "Shape", "fields_of", "kinds", "rule_entry"]
