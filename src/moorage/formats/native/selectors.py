# SPDX-License-Identifier: Apache-2.0
"""Guests chosen by what they are, instead of one by one: by tag, group, project or kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from moorage.formats.native.fields import is_name
from moorage.formats.native.quantities import BadAmount
from moorage.formats.wording import did_you_mean, shown
from moorage.model.guests import Guest

_KEYS: Final = ("all", "tag", "group", "project", "kind")
_FORM: Final = "write [id, id], {tag: …}, {group: …}, {project: …}, {kind: …} or {all: true}"


@dataclass(frozen=True, slots=True)
class Selector:
    """What chosen guests have in common; with several keys they have all of them."""

    wanted: Mapping[str, Any]

    def chooses(self, guest: Guest) -> bool:
        """Whether *guest* is one of them."""
        return all(_has(guest, key, value) for key, value in self.wanted.items())

    def __str__(self) -> str:
        return ", ".join(f"{key}: {value}" for key, value in self.wanted.items())


def _has(guest: Guest, key: str, value: Any) -> bool:
    if key == "tag":
        return value in guest.tags
    return key == "all" or getattr(guest, key) == value


def guest_choice(value: Any) -> list[str] | Selector:
    """Read a list of guests, or a mapping that selects them."""
    if type(value) is list:
        return [is_name(each) for each in value]
    if type(value) is not dict or not value:
        raise BadAmount(f"{shown(value)} is no choice of guests", _FORM)
    for key in value:
        if key not in _KEYS:
            raise BadAmount(f"guests can't be chosen by {shown(key)}", did_you_mean(key, _KEYS))
    if "all" in value and value["all"] is not True:
        raise BadAmount("`all` can only be true", _FORM)
    return Selector({key: value[key] if key == "all" else is_name(value[key]) for key in value})


_SELECTOR_SCHEMA: Final = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "properties": {key: {"type": ["string", "integer"]} for key in _KEYS[1:]}
    | {"all": {"const": True}},
}
_LIST_SCHEMA: Final = {"type": "array", "items": {"type": ["string", "integer"]}}

GuestChoice = Annotated[
    Any,
    PlainValidator(guest_choice),
    WithJsonSchema({"anyOf": [_LIST_SCHEMA, _SELECTOR_SCHEMA]}),
]
