# SPDX-License-Identifier: Apache-2.0
"""How long a move takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from moorage.model.fleet import Fleet
from moorage.model.resources import MEMORY

USUAL_MBPS: Final = 1_000
"""Of a network that nothing is known of: a gigabit, as in a homelab."""
START_S: Final = 2
"""Before the first byte and after the last: setting up, handing over, cleaning up."""
MBIT_OF_MIB: Final = 8.388608


def local_disk_mib(fleet: Fleet, guest: str) -> int:
    """What has to be copied of the disks of *guest* that no other host sees."""
    local = (r for r in fleet.resources.values() if r.is_disk and r.shared_total is None)
    taken = fleet.demand_of(guest)
    return sum(taken.get(resource.id, 0) for resource in local)


def duration_s(fleet: Fleet, guest: str, source: str | None, target: str) -> int:
    """Whole seconds that moving *guest* takes, alone on its path; at least one."""
    known = fleet.guests[guest].move_duration_s
    if known is not None:
        return max(1, known)
    if source is None:
        return START_S
    ends = (fleet.hosts[host].bandwidth_mbps or USUAL_MBPS for host in (source, target))
    copied = fleet.demand_of(guest).get(MEMORY, 0) + local_disk_mib(fleet, guest)
    return START_S + -(-int(copied * MBIT_OF_MIB) // min(ends))


def duration_of(fleet: Fleet, guests: Sequence[str], source: str | None, target: str) -> int:
    """Whole seconds that it takes to move *guests* as one: they share the path."""
    if len(guests) == 1:
        return duration_s(fleet, guests[0], source, target)
    copied = sum(duration_s(fleet, guest, source, target) - START_S for guest in guests)
    return max(1, START_S + copied)
