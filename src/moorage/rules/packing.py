# SPDX-License-Identifier: Apache-2.0
"""Whether a few guests fit into the room that is left: first fit, then complete search."""

from __future__ import annotations

from collections.abc import Mapping

from moorage.model.natural import natural_key

Room = dict[str, int]
SEARCH_GUESTS = 400
SEARCH_STEPS = 20_000
"""Bounds of the complete search; beyond it "no way found" stands for "no way"."""


def fits(demand: Mapping[str, int], room: Room) -> bool:
    """Whether *demand* fits into *room*."""
    return all(amount <= room.get(resource, 0) for resource, amount in demand.items())


def _take(demand: Mapping[str, int], room: Room, sign: int) -> None:
    for resource, amount in demand.items():
        room[resource] = room.get(resource, 0) - sign * amount


def restart(wanted: Mapping[str, Mapping[str, int]], rooms: Mapping[str, Room]) -> list[str]:
    """Return the guests of *wanted* that find no host in *rooms*: none if all fit.

    First fit, largest first, answers nearly always; where it leaves some over, a complete
    search says whether any way exists.
    """
    order = sorted(wanted, key=lambda g: (-_size(wanted[g], rooms), natural_key(g)))
    left = {host: dict(room) for host, room in rooms.items()}
    stranded = [guest for guest in order if not _first_fit(wanted[guest], left)]
    if not stranded or len(order) > SEARCH_GUESTS or not _may_fit(wanted, rooms):
        return stranded
    left = {host: dict(room) for host, room in rooms.items()}
    search = _Search([wanted[g] for g in order], list(left.values()))
    return [] if search.place(0) else stranded


def _first_fit(demand: Mapping[str, int], left: Mapping[str, Room]) -> bool:
    for room in left.values():
        if fits(demand, room):
            _take(demand, room, +1)
            return True
    return False


def _size(demand: Mapping[str, int], rooms: Mapping[str, Room]) -> int:
    """How large a part of all room *demand* is, in parts per million of its worst resource."""
    parts = [0]
    for resource, amount in demand.items():
        total = sum(room.get(resource, 0) for room in rooms.values())
        parts.append(amount * 1_000_000 // total if total else 1_000_000)
    return max(parts)


def _may_fit(wanted: Mapping[str, Mapping[str, int]], rooms: Mapping[str, Room]) -> bool:
    """Whether all room together, and the best host for each alone, would do."""
    resources = {r for demand in wanted.values() for r in demand}
    for resource in resources:
        total = sum(room.get(resource, 0) for room in rooms.values())
        if sum(demand.get(resource, 0) for demand in wanted.values()) > total:
            return False
    return all(any(fits(demand, room) for room in rooms.values()) for demand in wanted.values())


class _Search:
    """Depth first over guests, largest first; equal rooms are tried once."""

    def __init__(self, demands: list[Mapping[str, int]], rooms: list[Room]) -> None:
        self.demands = demands
        self.rooms = rooms
        self.steps = 0

    def place(self, index: int) -> bool:
        if index == len(self.demands):
            return True
        demand = self.demands[index]
        tried: list[Room] = []
        for room in self.rooms:
            if room in tried or not fits(demand, room):
                continue
            self.steps += 1
            if self.steps > SEARCH_STEPS:
                return False
            tried.append(dict(room))
            _take(demand, room, +1)
            if self.place(index + 1):
                return True
            _take(demand, room, -1)
        return False
