# SPDX-License-Identifier: Apache-2.0
"""What a placement is worth, from the fleet alone: the same judge for us and for every peer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import pvariance

from moorage.model import Fleet, HostState
from moorage.verifying import verify


@dataclass(frozen=True, slots=True)
class Judged:
    """A placement, measured.

    Attributes:
        moves: guests that change hosts or get one.
        moved_mib: their memory.
        spread_percent: fullest less emptiest active host, in percent of memory.
        sigma_percent: standard deviation of the same.
        hottest_percent: memory of the fullest active host.
        hosts_used: active hosts that hold guests.
        unplaced: running guests without a host.
        broken: must-rules that are broken, and weren't or less so at the start.
        standing: must-rules that were broken at the start and still are.
    """

    moves: int
    moved_mib: int
    spread_percent: float
    sigma_percent: float
    hottest_percent: float
    hosts_used: int
    unplaced: int
    broken: int
    standing: int


def judge(fleet: Fleet, placements: Mapping[str, str | None]) -> Judged:
    """Measure *placements*, which name at least the guests that move."""
    where = {**fleet.placement, **placements}
    moved = [g for g in fleet.running if where[g] != fleet.placement[g] and where[g] is not None]
    loads = memory_percents(fleet, where)
    found = verify(fleet, {g: h for g, h in where.items() if h is not None})
    held = {h for g, h in where.items() if h is not None and not fleet.guests[g].stopped}
    return Judged(
        moves=len(moved),
        moved_mib=sum(fleet.demand_of(g).get("memory", 0) for g in moved),
        spread_percent=max(loads) - min(loads) if loads else 0.0,
        sigma_percent=sqrt(pvariance(loads)) if loads else 0.0,
        hottest_percent=max(loads, default=0.0),
        hosts_used=sum(fleet.hosts[h].state is HostState.ACTIVE for h in held),
        unplaced=sum(where[g] is None for g in fleet.running),
        broken=sum(not violation.pre_existing for violation in found),
        standing=sum(violation.pre_existing for violation in found),
    )


def memory_percents(fleet: Fleet, where: Mapping[str, str | None]) -> list[float]:
    """How full the memory of each active host is."""
    taken = dict.fromkeys(fleet.hosts, 0)
    for guest in fleet.running:
        host = where[guest]
        if host is not None:
            taken[host] += fleet.demand_of(guest).get("memory", 0)
    active = (h for h in fleet.hosts.values() if h.state is HostState.ACTIVE)
    room = {h.id: h.usable("memory") for h in active}
    return [100 * taken[h] / mib for h, mib in room.items() if mib]
