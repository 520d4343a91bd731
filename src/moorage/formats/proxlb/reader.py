# SPDX-License-Identifier: Apache-2.0
"""Reading scenarios."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, Final

from moorage.formats.cursor import Cursor
from moorage.formats.proxlb import words
from moorage.formats.proxlb.balancing import read_balancing, read_expectations
from moorage.formats.proxlb.constraints import RuleReader
from moorage.formats.proxlb.machines import read_guests, read_hosts
from moorage.formats.remarks import Remarks
from moorage.formats.tree import Tree
from moorage.model.fleet import STANDARD_RESOURCES, Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.resources import DISK_PREFIX, Resource

KEYS: Final = frozenset(
    {"name", "description", "balancing", "nodes", "vms", "constraints", "evacuate_node", "expect"}
)


def read(tree: Tree) -> Fleet:
    """Return the fleet that a scenario describes.

    Raises:
        BadInput: the document is no scenario: a wrong type, a missing key, an unknown node.
    """
    remarks = Remarks()
    top = Cursor.top(tree).only(KEYS, remarks)
    balancing = read_balancing(top, remarks)
    hosts = read_hosts(top, balancing.overcommit_permille, remarks)
    guests = read_guests(top, hosts, remarks)
    rules = RuleReader.of(hosts, guests, remarks).read(top)
    notes = _notes(top, remarks)
    return Fleet(
        hosts=FrozenMap(hosts),
        guests=FrozenMap(guests),
        rules=rules,
        resources=_resources(hosts.values(), guests.values()),
        limits=balancing.limits,
        goal=balancing.goal,
        name=_name(top, tree),
        notes=notes,
        source=tree.name,
        warnings=remarks.lines(),
    )


def _name(top: Cursor, tree: Tree) -> str:
    """The given name, or the file's without its endings."""
    given = top.optional("name")
    if given is not None and given.text():
        return given.text()
    return "" if tree.name.startswith("<") else PurePath(tree.name).name.split(".")[0]


def _notes(top: Cursor, remarks: Remarks) -> FrozenMap[str, Any]:
    description, expect = top.optional(words.DESCRIPTION), read_expectations(top, remarks)
    notes: dict[str, Any] = {}
    if description is not None:
        notes[words.DESCRIPTION] = description.text()
    if expect:
        notes[words.EXPECT] = expect
    return FrozenMap(notes)


def _resources(hosts: Iterable[Host], guests: Iterable[Guest]) -> FrozenMap[str, Resource]:
    named = {r for host in hosts for r in (*host.capacity, *host.reserve)}
    named.update(r for guest in guests for r in guest.demand)
    pools = sorted(resource for resource in named if resource.startswith(DISK_PREFIX))
    return STANDARD_RESOURCES.with_items((pool, Resource(pool, "MiB")) for pool in pools)
