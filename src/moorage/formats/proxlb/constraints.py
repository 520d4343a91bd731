# SPDX-License-Identifier: Apache-2.0
"""The section `constraints`, `evacuate_node`, and the rules that stand in tags."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from moorage.formats.cursor import Cursor
from moorage.formats.proxlb import words
from moorage.formats.proxlb.naming import Known, Names
from moorage.formats.proxlb.tags import lone_tags, pinned_nodes, tag_rules
from moorage.formats.remarks import Remarks
from moorage.model.guests import Guest
from moorage.model.rule import Rule, Strength
from moorage.rules.apart import Apart
from moorage.rules.drain import Drain
from moorage.rules.pin import Pin
from moorage.rules.stay import Stay
from moorage.rules.together import Together

SECTIONS: Final = ("affinity", "anti_affinity", "pin", "ignore")
GROUP_KEYS: Final = frozenset({"name", "vms", "hard", "origin"})
PIN_KEYS: Final = frozenset({"name", "vm", "nodes", "strict"})
SMALL: Final = "rules of fewer than two guests"


@dataclass(frozen=True, slots=True)
class RuleReader:
    """Reads rules; what names nothing in the file is skipped with a remark."""

    nodes: Known
    vms: Known
    guests: Mapping[str, Guest]
    hosts: Collection[str]
    remarks: Remarks
    names: Names

    @classmethod
    def of(
        cls, hosts: Collection[str], guests: Mapping[str, Guest], remarks: Remarks
    ) -> RuleReader:
        """Return a reader for a file with these nodes and vms."""
        return cls(Known(hosts), Known(guests), guests, hosts, remarks, Names())

    def read(self, top: Cursor) -> tuple[Rule, ...]:
        """Read all rules of the file."""
        found: list[Rule] = list(self._evacuation(top))
        section = top.optional("constraints")
        if section is not None:
            section.only(SECTIONS, self.remarks)
            found += self._groups(section, "affinity")
            found += self._groups(section, "anti_affinity")
            found += self._pins(section)
            found += self._ignored(section)
        found += self._from_tags(top)
        return tuple(found)

    def _evacuation(self, top: Cursor) -> Iterator[Rule]:
        cursor = top.optional("evacuate_node")
        if cursor is None:
            return
        node = self.nodes.find(cursor)
        if node is not None:
            yield Drain(name=self.names.unique(words.EVACUATE), hosts=(node,))
        else:
            text = f"evacuate_node names the unknown node {cursor.shown} and is skipped"
            self.remarks.add("unknown nodes", cursor.place, text)

    def _groups(self, section: Cursor, key: str) -> Iterator[Rule]:
        rows = section.optional(key)
        for number, row in enumerate(rows.items() if rows else (), 1):
            rule = self._group(row.only(GROUP_KEYS, self.remarks), key, number)
            if rule is not None:
                yield rule

    def _group(self, row: Cursor, key: str, number: int) -> Rule | None:
        name, hard, origin = row.optional("name"), row.optional("hard"), row.optional("origin")
        soft = hard is not None and not hard.flag()
        given = words.DEFAULT_ORIGIN if origin is None else origin.name()
        wished = f"{key.replace('_', '-')}-{number}" if name is None else name.name()
        members = self._known(row.optional("vms"), self.vms, "guest")
        if len(members) < 2:
            text = f"{wished!r} has fewer than two known guests and is skipped"
            self.remarks.add(SMALL, row.place, text)
            return None
        kind = Together if key == "affinity" else Apart
        strength = Strength.SHOULD if soft else Strength.MUST
        unique = self.names.unique(wished)
        return kind(name=unique, guests=members, strength=strength, origin=given)

    def _pins(self, section: Cursor) -> Iterator[Rule]:
        rows = section.optional("pin")
        for number, row in enumerate(rows.items() if rows else (), 1):
            row.only(PIN_KEYS, self.remarks)
            guest, nodes = self.vms.find(row.required("vm")), row.required("nodes")
            self._remark_on_strict(row)
            if guest is None:
                self._unknown(row.at("vm"), "guest")
                continue
            name = row.optional("name")
            unique = self.names.unique(f"pin-{number}" if name is None else name.name())
            known = self._known(nodes, self.nodes, "node")
            yield Pin(name=unique, guests=(guest,), hosts=known, origin=words.DEFAULT_ORIGIN)

    def _remark_on_strict(self, row: Cursor) -> None:
        strict = row.optional("strict")
        if strict is not None and not strict.flag():
            text = "strict: false has no effect; every pin is hard, as in the original"
            self.remarks.add("pins that are not strict", strict.place, text)

    def _ignored(self, section: Cursor) -> Iterator[Rule]:
        rows = section.optional("ignore")
        named = [
            row.required("vm") if isinstance(row.value, dict) else row
            for row in (rows.items() if rows else ())
        ]
        known = self._each_known(named, self.vms, "guest")
        if known:
            yield Stay(name=self.names.unique(words.IGNORE), guests=known)

    def _known(self, names: Cursor | None, known: Known, what: str) -> tuple[str, ...]:
        return self._each_known(list(names.items()) if names else [], known, what)

    def _each_known(self, cursors: list[Cursor], known: Known, what: str) -> tuple[str, ...]:
        """The names that stand for something, once each, in their order."""
        found: dict[str, None] = {}
        for cursor in cursors:
            name = known.find(cursor)
            if name is None:
                self._unknown(cursor, what)
            elif name in found:
                text = f"{name!r} is listed twice and counts once"
                self.remarks.add("names listed twice", cursor.place, text)
            else:
                found[name] = None
        return tuple(found)

    def _unknown(self, cursor: Cursor, what: str) -> None:
        text = f"unknown {what} {cursor.shown} in a rule is skipped"
        self.remarks.add(f"unknown {what}s", cursor.place, text)

    def _from_tags(self, top: Cursor) -> Iterator[Rule]:
        for guest in self.guests.values():
            for tag in guest.tags:
                self._remark_on_tag(top, guest.id, tag)
        for tag, guest_id in lone_tags(self.guests).items():
            text = f"only {guest_id!r} has the tag {tag!r}, which makes no rule"
            self.remarks.add(SMALL, self._tags_of(top, guest_id), text)
        for guest in self.guests.values():
            for node in pinned_nodes(guest):
                if node not in self.hosts:
                    text = f"tag {words.PIN_TAG + node!r} names an unknown node and is skipped"
                    self.remarks.add("unknown nodes", self._tags_of(top, guest.id), text)
        for rule in tag_rules(self.guests, self.hosts):
            yield replace(rule, name=self.names.unique(rule.name))

    def _remark_on_tag(self, top: Cursor, guest: str, tag: str) -> None:
        if tag.startswith(words.IGNORE_TAG):
            text = f"tag {tag!r} of {guest!r} has no effect in a scenario, as in the original"
            self.remarks.add("ignore tags", self._tags_of(top, guest), text)

    @staticmethod
    def _tags_of(top: Cursor, guest: str) -> str:
        return top.at("vms").at(guest).at("tags").place
