# SPDX-License-Identifier: Apache-2.0
"""Nodes and VMs by their numbers, and the section `mapping`: who is where, in which state."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from moorage.formats.btrplace.tally import Tally
from moorage.formats.cursor import Cursor

MOST_NUMBER: Final = 2**31 - 1
"""The original holds numbers in 32 bits."""

KEYS: Final = frozenset({"offlineNodes", "onlineNodes", "readyVMs"})
NODE_KEYS: Final = frozenset({"runningVMs", "sleepingVMs"})


class Numbered:
    """The nodes, or the VMs, of an instance: what each number is called here."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._by_number: dict[int, str] = {}
        self._by_key: dict[str, str] = {}

    def declare(self, cursor: Cursor, number: object) -> str:
        """Take in a new element, which no other has the number of."""
        if type(number) is not int or not 0 <= number <= MOST_NUMBER:
            cursor.fail(f"{cursor.shown} is no number of a {self.what}")
        if number in self._by_number:
            cursor.fail(f"{self.what} {number} stands in the mapping twice")
        name = self._by_number[number] = self._by_key[str(number)] = f"{self.what}{number}"
        return name

    def declare_key(self, cursor: Cursor, key: str) -> str:
        """Take in a new element whose number is the key of a mapping."""
        if not key.isascii() or not key.isdigit() or len(key) > len(str(MOST_NUMBER)):
            cursor.fail(f"the key {key!r} is no number of a {self.what}")
        return self.declare(cursor, int(key))

    def one(self, cursor: Cursor) -> str:
        """Return the element that *cursor* names."""
        if type(cursor.value) is not int:
            cursor.wants(f"the number of a {self.what}")
        name = self._by_number.get(cursor.value)
        if name is None:
            cursor.fail(f"{self.what} {cursor.value} is not in the mapping")
        return name

    def many(self, cursor: Cursor) -> tuple[str, ...]:
        """Return the elements that a list names, once each: lists stand for sets."""
        numbers = cursor.value
        if isinstance(numbers, list) and all(type(number) is int for number in numbers):
            found = [self._by_number.get(number) for number in dict.fromkeys(numbers)]
            known = tuple(name for name in found if name is not None)
            if len(known) == len(found):
                return known
        return tuple(dict.fromkeys(self.one(each) for each in cursor.items()))

    def groups(self, cursor: Cursor) -> tuple[tuple[str, ...], ...]:
        """Return the sets of elements that a list of lists names."""
        return tuple(self.many(each) for each in cursor.items())

    def key(self, section: Cursor, key: str) -> str:
        """Return the element whose number is a *key* of *section*."""
        name = self._by_key.get(key)
        if name is None:
            section.at(key).fail(f"{self.what} {key} is not in the mapping")
        return name

    @property
    def all(self) -> Collection[str]:
        """All elements, in the order of the mapping."""
        return self._by_number.values()


@dataclass(slots=True)
class Mapping:
    """Who is where. A VM that is ready has no node yet; one that sleeps is off."""

    nodes: Numbered = field(default_factory=lambda: Numbered("node"))
    vms: Numbered = field(default_factory=lambda: Numbered("vm"))
    offline: set[str] = field(default_factory=set)
    running: dict[str, str] = field(default_factory=dict)
    sleeping: dict[str, str] = field(default_factory=dict)
    ready: set[str] = field(default_factory=set)


def read_mapping(section: Cursor, tally: Tally) -> Mapping:
    """Read the section `mapping`: it declares all elements."""
    found = Mapping()
    tally.only(section, "the mapping", KEYS)
    _read_offline(section.optional("offlineNodes"), found)
    ready = section.optional("readyVMs")
    found.ready.update(found.vms.declare(c, c.value) for c in (ready.items() if ready else ()))
    online = section.optional("onlineNodes")
    for key, node in online.entries() if online else ():
        host = found.nodes.declare_key(tally.only(node, "nodes", NODE_KEYS), key)
        _read_guests(node, "runningVMs", host, found.running, found)
        _read_guests(node, "sleepingVMs", host, found.sleeping, found)
    return found


def _read_offline(section: Cursor | None, found: Mapping) -> None:
    """Old files have a mapping with numbers as keys, new ones a list."""
    if section is None:
        return
    if isinstance(section.value, dict):
        declared = [found.nodes.declare_key(node, key) for key, node in section.entries()]
    else:
        declared = [found.nodes.declare(node, node.value) for node in section.items()]
    found.offline.update(declared)


def _read_guests(node: Cursor, key: str, host: str, where: dict[str, str], found: Mapping) -> None:
    listed = node.optional(key)
    for cursor in listed.items() if listed else ():
        where[found.vms.declare(cursor, cursor.value)] = host
