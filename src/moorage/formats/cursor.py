# SPDX-License-Identifier: Apache-2.0
"""Typed access to the plain values of a document; errors and remarks know their place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, NoReturn

from moorage.formats.limits import LONGEST_NAME
from moorage.formats.remarks import Remarks
from moorage.formats.tree import Tree
from moorage.formats.wording import nearest, shown

Path = tuple[str | int, ...]

_KINDS: Final[dict[type, str]] = {
    dict: "a mapping",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "empty",
}


@dataclass(frozen=True, slots=True)
class Cursor:
    """One value inside a document, and the path to it."""

    document: Tree
    path: Path
    value: Any

    @classmethod
    def top(cls, document: Tree) -> Cursor:
        """Return the cursor at the whole *document*."""
        return cls(document, (), document.value)

    @property
    def place(self) -> str:
        """Where it stands in the file."""
        return self.document.place(self.path)

    @property
    def label(self) -> str:
        """What messages call it: its key, or its position under a key."""
        if not self.path:
            return "the document"
        last = self.path[-1]
        if isinstance(last, str):
            return last
        keys = [key for key in self.path if isinstance(key, str)]
        return f"entry {last + 1} of {keys[-1]}" if keys else f"entry {last + 1}"

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        """Refuse the document because of this value."""
        raise self.document.error(self.path, message, hint=hint)

    def wants(self, wanted: str) -> NoReturn:
        """Refuse the document because this value is of the wrong type."""
        kind = _KINDS.get(type(self.value), type(self.value).__name__)
        self.fail(f"{self.label} has to be {wanted}, not {kind}")

    @property
    def place_of_key(self) -> str:
        """Where its key stands."""
        return self.document.place(self.path, of_key=True)

    def at(self, key: str | int) -> Cursor:
        """Return the cursor at an entry that is known to be there."""
        return Cursor(self.document, (*self.path, key), self.value[key])

    # --- containers ----------------------------------------------------------------------------

    def mapping(self) -> dict[str, Any]:
        """Return it as a mapping."""
        if not isinstance(self.value, dict):
            self.wants("a mapping")
        return self.value

    def entries(self) -> Iterator[tuple[str, Cursor]]:
        """Yield each key of a mapping with its value."""
        for key in self.mapping():
            yield key, self.at(key)

    def named(self) -> Iterator[tuple[str, Cursor]]:
        """Yield each entry of a mapping under its name; one that can't be a name is refused."""
        for name, entry in self.entries():
            if fault := _fault_of_name(name):
                raise self.document.error(entry.path, fault, of_key=True)
            yield name, entry

    def items(self) -> Iterator[Cursor]:
        """Yield each entry of a list."""
        if not isinstance(self.value, list):
            self.wants("a list")
        for index in range(len(self.value)):
            yield self.at(index)

    def required(self, key: str) -> Cursor:
        """Return the value under *key*, which has to be there."""
        if self.mapping().get(key) is None:
            self.fail(f"{key} is missing" + (f" in {self.label}" if self.path else ""))
        return self.at(key)

    def optional(self, key: str) -> Cursor | None:
        """Return the value under *key*; None where it is absent or empty."""
        return None if self.mapping().get(key) is None else self.at(key)

    def only(self, known: Collection[str], remarks: Remarks) -> Cursor:
        """Remark on keys that mean nothing here, and return itself."""
        for key in self.mapping():
            if key not in known:
                near = nearest(key, known) if remarks.shows("unknown keys") else None
                meant = f"; did you mean {near}?" if near else ""
                text = f"unknown key {shown(key)} in {self.label} is ignored{meant}"
                remarks.add("unknown keys", self.at(key).place_of_key, text)
        return self

    # --- scalars -------------------------------------------------------------------------------

    def own_name(self) -> str:
        """Return the name that it gives to something; what can't be one is refused."""
        name = self.name()
        if fault := _fault_of_name(name):
            self.fail(fault)
        return name

    def name(self) -> str:
        """Return the name of something; a number stands for its digits."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str):
            self.wants("a name")
        return self.value

    def text(self) -> str:
        """Return it as text, for people only; any scalar will do."""
        if isinstance(self.value, dict | list):
            self.wants("text")
        return self.value if isinstance(self.value, str) else str(self.value)

    def flag(self) -> bool:
        """Return it as true or false."""
        if not isinstance(self.value, bool):
            self.wants("true or false")
        return self.value

    def number(self, most: int) -> Decimal:
        """Return it as an exact number from 0 to *most*."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            self.wants("a number")
        if not 0 <= self.value <= most:  # false for "not a number" too
            self.fail(f"{self.label} is {self.shown}, but has to be from 0 to {most}")
        return Decimal(repr(self.value))

    def whole(self, most: int, least: int = 0) -> int:
        """Return it as a whole number from *least* to *most*; 4.0 is one."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.wants("a whole number")
        if not least <= self.value <= most:
            self.fail(f"{self.label} is {self.shown}, but has to be from {least} to {most}")
        if self.value != int(self.value):
            self.fail(f"{self.label} has to be a whole number, not {self.shown}")
        return int(self.value)

    @property
    def shown(self) -> str:
        """A short form of it for messages."""
        return shown(self.value)


def floored(number: Decimal, scale: int) -> int:
    """Return how many whole units of 1/*scale* are in *number*, exactly."""
    return int(number * scale)


def _fault_of_name(name: str) -> str | None:
    if 0 < len(name) <= LONGEST_NAME:
        return None
    return "the name is too long" if name else "a name can't be empty"
