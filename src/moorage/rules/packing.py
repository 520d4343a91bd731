# SPDX-License-Identifier: Apache-2.0
"""Whether a few guests fit into the room that is left: first fit, then complete search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from moorage.model.natural import natural_key

Demand = Mapping[str, int]
Room = dict[str, int]
PER_MILLION = 1_000_000
SEARCH_GUESTS = 400
SEARCH_STEPS = 500_000
"""Bounds of the complete search: guests at once, and hosts looked at in one survey (less than a
second); beyond them "no way found" stands for "no way"."""


def fits(demand: Demand, room: Demand) -> bool:
    """Whether *demand* fits into *room*."""
    return all(amount <= room.get(resource, 0) for resource, amount in demand.items())


def _take(demand: Demand, room: Room, sign: int) -> None:
    for resource, amount in demand.items():
        room[resource] = room.get(resource, 0) - sign * amount


class Survey:
    """The room on all hosts, measured once, and asked many times what fits without some.

    Attributes:
        rooms: what is left on each host, emptiest first: there a guest fits at once.
        total: what is left over all hosts.
        largest: the most that is left on any one host.
    """

    def __init__(self, rooms: Mapping[str, Room]) -> None:
        rooms = {h: {r: max(0, amount) for r, amount in room.items()} for h, room in rooms.items()}
        resources = {r for room in rooms.values() for r in room}
        left = {r: [room.get(r, 0) for room in rooms.values()] for r in resources}
        self.total = {r: sum(amounts) for r, amounts in left.items()}
        self.largest = {r: max(amounts) for r, amounts in left.items()}
        order = sorted(rooms, key=lambda h: (-self._emptiness(rooms[h]), natural_key(h)))
        self.rooms = {host: rooms[host] for host in order}
        self._steps = SEARCH_STEPS

    def _emptiness(self, room: Room) -> int:
        shares = (room.get(r, 0) * PER_MILLION // most for r, most in self.largest.items() if most)
        return min(shares, default=0)

    def stranded(
        self,
        wanted: Mapping[str, Demand],
        gone: Collection[str],
        changed: Mapping[str, Room],
    ) -> list[str]:
        """Return the guests of *wanted* that find no host: none if all fit.

        Args:
            wanted: what each guest takes.
            gone: hosts that are lost.
            changed: rooms that are not as they were measured.
        """
        order = sorted(wanted, key=lambda g: (-self._size(wanted[g]), natural_key(g)))
        demands = [wanted[g] for g in order]
        rooms = _Rooms(self.rooms, gone, changed)
        over = [g for g in order if self._too_large(wanted[g], changed) or not rooms.put(wanted[g])]
        if not over or len(order) > SEARCH_GUESTS or not self._may_fit(demands, gone, changed):
            return over
        search = _Search(demands, list(_Rooms(self.rooms, gone, changed).all()), self._steps)
        found = search.place(0)
        self._steps = search.steps_left
        return [] if found else over

    def _size(self, demand: Demand) -> int:
        """How large a part of the largest room *demand* is, in its worst resource."""
        parts = [0]
        for resource, amount in demand.items():
            most = self.largest.get(resource, 0)
            parts.append(amount * PER_MILLION // most if most else PER_MILLION)
        return max(parts)

    def _too_large(self, demand: Demand, changed: Mapping[str, Room]) -> bool:
        return not fits(demand, self.largest) and not any(
            fits(demand, room) for room in changed.values()
        )

    def _may_fit(
        self, demands: list[Demand], gone: Collection[str], changed: Mapping[str, Room]
    ) -> bool:
        """Whether all room together would do, and each guest fits the largest room alone."""
        if any(self._too_large(demand, changed) for demand in demands):
            return False
        rooms = _Rooms(self.rooms, gone, changed)
        for resource in {r for demand in demands for r in demand}:
            total = self.total.get(resource, 0) + rooms.difference(resource)
            if sum(demand.get(resource, 0) for demand in demands) > total:
                return False
        return True


class _Rooms:
    """The measured rooms without some, with changes laid over them that leave them as they are."""

    def __init__(
        self, base: Mapping[str, Room], gone: Collection[str], changed: Mapping[str, Room]
    ) -> None:
        self._base = base
        self._gone = gone
        self._over = {h: {r: max(0, a) for r, a in room.items()} for h, room in changed.items()}

    def put(self, demand: Demand) -> bool:
        """Take *demand* from the first room that has it."""
        for host, measured in self._base.items():
            if host in self._gone:
                continue
            if fits(demand, self._over.get(host, measured)):
                _take(demand, self._over.setdefault(host, dict(measured)), +1)
                return True
        return False

    def all(self) -> Iterator[Room]:
        """Every room that remains, to be changed by who gets it."""
        for host, measured in self._base.items():
            if host not in self._gone:
                yield dict(self._over.get(host, measured))

    def difference(self, resource: str) -> int:
        """How much more of *resource* there is than was measured over all hosts."""
        lost = sum(self._base[h].get(resource, 0) for h in self._gone if h in self._base)
        changed = ((h, room) for h, room in self._over.items() if h not in self._gone)
        return sum(r.get(resource, 0) - self._base[h].get(resource, 0) for h, r in changed) - lost


class _Search:
    """Depth first over guests, largest first; equal rooms are tried once."""

    def __init__(self, demands: list[Demand], rooms: list[Room], steps: int) -> None:
        self.demands = demands
        self.rooms = rooms
        self.steps_left = steps

    def place(self, index: int) -> bool:
        """Whether the guests from *index* on find hosts; False too when out of steps."""
        if index == len(self.demands):
            return True
        demand = self.demands[index]
        tried: set[frozenset[tuple[str, int]]] = set()
        for room in self.rooms:
            self.steps_left -= 1
            if self.steps_left < 0:
                return False
            if not fits(demand, room) or (same := frozenset(room.items())) in tried:
                continue
            tried.add(same)
            _take(demand, room, +1)
            if self.place(index + 1):
                return True
            _take(demand, room, -1)
        return False
