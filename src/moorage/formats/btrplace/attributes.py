# SPDX-License-Identifier: Apache-2.0
"""The section `attributes`: what a VM's memory does, and how long its move takes."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from typing import Any, Final

from moorage.formats.btrplace.elements import Mapping
from moorage.formats.btrplace.tally import Tally
from moorage.formats.cursor import Cursor, floored
from moorage.model.guests import Dirtying, Load

USED, HOT, HOT_TIME, COLD = "memUsed", "hotDirtySize", "hotDirtyDuration", "coldDirtyRate"
MOVE: Final = "migrate"
KNOWN: Final = frozenset({USED, HOT, HOT_TIME, COLD, MOVE})

MOST_MB: Final = 10**12
MOST_SECONDS: Final = 10**9
MS_PER_S: Final = 1000
KIB_PER_MB: Final = 1024

DEFAULT_HOT_MIB: Final = 5
DEFAULT_HOT_MS: Final = 2000
"""What the original takes where a VM's memory is given and this is not."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the attributes of one VM say."""

    load: Load
    dirtying: Dirtying | None
    move_duration_s: int | None


def read_attributes(section: Cursor | None, mapping: Mapping, tally: Tally) -> dict[str, Traits]:
    """Return {guest: what its attributes say}; others are counted."""
    if section is None:
        return {}
    nodes, vms = section.optional("nodes"), section.optional("vms")
    for key, node in nodes.entries() if nodes else ():
        mapping.nodes.key(nodes or section, key)
        _tally(node, "nodes", frozenset(), tally)
    found: dict[str, Traits] = {}
    for key, vm in vms.entries() if vms else ():
        guest = mapping.vms.key(vms or section, key)
        _tally(vm, "vms", KNOWN, tally)
        if not KNOWN.isdisjoint(vm.value):
            found[guest] = _traits(vm)
    return found


def _tally(element: Cursor, section: str, known: frozenset[str], tally: Tally) -> None:
    attributes: MappingOf[str, Any] = element.mapping()
    for key in attributes:
        if key not in known:
            tally.attribute(section, key)


def _traits(vm: Cursor) -> Traits:
    used, move = vm.optional(USED), vm.optional(MOVE)
    memory = None if used is None else floored(used.number(MOST_MB), 1)
    duration = None if move is None else move.whole(MOST_SECONDS)
    return Traits(Load(memory_mib=memory), _dirtying(vm), duration)


def _dirtying(vm: Cursor) -> Dirtying | None:
    if {USED, HOT, HOT_TIME, COLD}.isdisjoint(vm.value):
        return None
    hot, time, cold = vm.optional(HOT), vm.optional(HOT_TIME), vm.optional(COLD)
    period = DEFAULT_HOT_MS if time is None else floored(time.number(MOST_SECONDS), MS_PER_S)
    return Dirtying(
        hot_mib=DEFAULT_HOT_MIB if hot is None else floored(hot.number(MOST_MB), 1),
        hot_period_ms=max(1, period),
        cold_kib_s=0 if cold is None else floored(cold.number(MOST_MB), KIB_PER_MB),
    )
