# SPDX-License-Identifier: Apache-2.0
"""Rules that stand in tags: `plb_affinity_*`, `plb_anti_affinity_*` and `plb_pin_<node>`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from moorage.formats.proxlb import words
from moorage.model.guests import Guest
from moorage.model.natural import natural_key
from moorage.model.rule import Rule
from moorage.rules.apart import Apart
from moorage.rules.pin import Pin
from moorage.rules.together import Together


def tag_rules(guests: Mapping[str, Guest], hosts: Collection[str]) -> Iterator[Rule]:
    """Yield the rules that the tags of *guests* make, in the order of their names.

    Two pin tags of one guest are two nodes that it may be on, as in ProxLB itself: its
    solver makes them two pins that no node satisfies.
    """
    members = _members(guests)
    for tag in sorted(members, key=natural_key):
        group = tuple(sorted(members[tag], key=natural_key))
        if len(group) >= 2:
            if tag.startswith(words.AFFINITY_TAG):
                yield Together(name=tag, guests=group, origin=words.DEFAULT_ORIGIN)
            else:
                yield Apart(name=tag, guests=group, origin=words.DEFAULT_ORIGIN)
    for guest in sorted(guests, key=natural_key):
        nodes = pinned_nodes(guests[guest])
        if nodes:
            known = tuple(node for node in nodes if node in hosts)
            name, origin = words.PIN_TAG + guest, words.DEFAULT_ORIGIN
            yield Pin(name=name, guests=(guest,), hosts=known, origin=origin)


def _members(guests: Mapping[str, Guest]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for guest in guests.values():
        for tag in dict.fromkeys(guest.tags):
            if tag.startswith((words.AFFINITY_TAG, words.ANTI_AFFINITY_TAG)):
                found.setdefault(tag, []).append(guest.id)
    return found


def lone_tags(guests: Mapping[str, Guest]) -> dict[str, str]:
    """Return {tag: its only guest} for tags that make no rule because one guest has them."""
    return {tag: group[0] for tag, group in _members(guests).items() if len(group) == 1}


def pinned_nodes(guest: Guest) -> tuple[str, ...]:
    """The nodes that the tags of *guest* name, in their order."""
    named = (tag.removeprefix(words.PIN_TAG) for tag in guest.tags if tag.startswith(words.PIN_TAG))
    return tuple(dict.fromkeys(named))


def is_rule_tag(tag: str) -> bool:
    """Whether *tag* has a meaning of its own."""
    return tag.startswith((words.AFFINITY_TAG, words.ANTI_AFFINITY_TAG, words.PIN_TAG))
