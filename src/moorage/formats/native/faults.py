# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a document, gathered and told in one error."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError

from moorage.formats.tree import Path, Tree
from moorage.formats.wording import did_you_mean, nearest, shown
from moorage.model.errors import BadInput

MOST_TOLD: Final = 20


@dataclass(frozen=True, slots=True)
class Guess:
    """A hint that is only worked out if it is told: finding the nearest name takes time."""

    name: str
    known: Collection[str]
    otherwise: str = ""

    def __str__(self) -> str:
        guessed = did_you_mean(self.name, self.known) or ""
        return f"{guessed} {self.otherwise}".strip()


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, and where."""

    path: Path
    message: str
    hint: str | Guess | None = None
    of_key: bool = False


def refuse(tree: Tree, faults: Iterable[Fault]) -> None:
    """Raise one error for all *faults*, the first in the text first; or nothing for none.

    Raises:
        BadInput: it carries the place, message and hint of the first fault, and lists the
            others with their places after the hint.
    """
    listed = list(faults)
    if not listed:
        return
    told = [(tree.place(f.path, of_key=f.of_key), f) for f in listed[:MOST_TOLD]]
    told.sort(key=lambda each: _numbers(each[0]))
    (place, first), *others = told
    hint = str(first.hint or "")
    hints = [hint] if hint else []
    hints += [_line(where, fault) for where, fault in others]
    rest = len(listed) - len(told)
    if rest > 0:
        hints.append(f"and {rest} more")
    raise BadInput(first.message, place=place, hint="\n".join(hints) or None)


def _line(place: str, fault: Fault) -> str:
    hint = str(fault.hint or "")
    return f"also {place}: {fault.message}" + (f" ({hint})" if hint else "")


def _numbers(place: str) -> tuple[int, ...]:
    """Line and column at the end of a place; nothing for one with dots."""
    found = re.search(r":(\d+):(\d+)$", place)
    return tuple(int(number) for number in found.groups()) if found else ()


def faults_in(error: ValidationError, model: type[BaseModel]) -> list[Fault]:
    """Return what pydantic found, in words for people. A key that is misspelt isn't missing too."""
    found: list[dict[str, Any]] = [
        dict(each) for each in error.errors(include_url=False, include_input=False)
    ]
    misspelt = {
        (path[:-1], nearest(str(path[-1]), _keys_at(path[:-1], model)))
        for path in (each["loc"] for each in found[:_COMPARED] if each["type"] == _UNKNOWN_KEY)
    }
    return [
        _fault(each, model)
        for each in found
        if each["type"] != "missing" or (each["loc"][:-1], each["loc"][-1]) not in misspelt
    ]


_UNKNOWN_KEY: Final = "extra_forbidden"
_COMPARED: Final = 100
_EXPECTED: Final[Mapping[str, str]] = {
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "list_type": "a list",
}


def _fault(found: dict[str, Any], model: type[BaseModel]) -> Fault:
    path: Path = found["loc"]
    kind = found["type"]
    if kind == _UNKNOWN_KEY:
        hint = Guess(str(path[-1]), _keys_at(path[:-1], model))
        return Fault(path, f"unknown key {shown(path[-1])}", hint, of_key=True)
    if kind == "missing":
        return Fault(path[:-1], f"the key {path[-1]!r} is missing")
    if kind == "literal_error":
        return Fault(path, "the version is not known", f"known is {found['ctx']['expected']}")
    if kind in _EXPECTED:
        return Fault(path, f"{_EXPECTED[kind]} is expected here")
    cause = found.get("ctx", {}).get("error")
    if cause is not None:
        return Fault(path, str(cause), getattr(cause, "hint", None))
    return Fault(path, found["msg"])


def _keys_at(path: Path, model: Any) -> list[str]:
    """The keys that the model has at *path*."""
    for step in path:
        model = _below(model, step)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [field.alias or name for name, field in model.model_fields.items()]
    return []


def _below(model: Any, step: str | int) -> Any:
    if isinstance(model, type) and issubclass(model, BaseModel):
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        return fields[str(step)].annotation if step in fields else None
    if get_origin(model) in (dict, list):
        return get_args(model)[-1]
    return None
