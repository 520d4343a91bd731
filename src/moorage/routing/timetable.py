# SPDX-License-Identifier: Apache-2.0
"""When each hop starts: as soon as rules, room and limits allow, the urgent ones first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from moorage.routing.durations import duration_of
from moorage.routing.passage import Law, Passage
from moorage.routing.searching import Hop
from moorage.routing.slots import Slot, Slots

MOST_PARKINGS: Final = 3
"""Of one unit."""


@dataclass(frozen=True, slots=True)
class Ride:
    """A hop with its time, in whole seconds."""

    hop: Hop
    start_s: int
    end_s: int


@dataclass(frozen=True, slots=True)
class Timetable:
    """Rides in the order of their starts, and the hops that could not start."""

    rides: tuple[Ride, ...]
    stuck: tuple[Hop, ...] = ()

    @property
    def makespan_s(self) -> int:
        """When the last ride ends."""
        return max((ride.end_s for ride in self.rides), default=0)


@dataclass(frozen=True, eq=False)
class _Pending:
    """A hop that waits.

    Attributes:
        place: where it stands in the order of trying.
        parked: how often its unit has been parked.
    """

    place: int
    hop: Hop
    slots: tuple[Slot, ...]
    lasts_s: int
    parked: int = 0


@dataclass(eq=False)
class Clockwork:
    """Runs hops through their time, event by event.

    Attributes:
        hops: in the order in which they are tried.
        in_order: whether a hop may only start after all before it have started: then what leads
            to the goal one by one does so here.
        parks: whether units are parked on other hosts where nobody can start.
    """

    law: Law
    hops: Sequence[Hop]
    in_order: bool = False
    parks: bool = False
    now_s: int = field(default=0, init=False)
    rides: list[Ride] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.passage = Passage(self.law)
        self.slots = Slots(self.law.fleet)
        self._running: list[tuple[int, int, _Pending]] = []
        self._waiting: dict[int, _Pending] = {}
        self._by_host: dict[str, set[int]] = {}
        for place, hop in enumerate(self.hops):
            self._wait(place, hop, 0)

    def _wait(self, place: int, hop: Hop, parked: int) -> None:
        slots = self.slots.of(hop.unit.guests, hop.source, hop.target)
        lasts = duration_of(self.law.fleet, hop.unit.guests, hop.source, hop.target)
        self._waiting[place] = _Pending(place, hop, slots, lasts, parked)
        for host in {hop.target, *((hop.source,) if hop.source else ())}:
            self._by_host.setdefault(host, set()).add(place)

    def run(self) -> Timetable:
        """Start what can start, wait for the next end, and so on."""
        self._start_all(sorted(self._waiting))
        while self._running or (self.parks and self._waiting and self._park()):
            freed = self._end_next()
            if self.in_order:
                self._start_all(sorted(self._waiting))
            else:
                self._start_all(self._worth_trying(freed))
        stuck = tuple(self._waiting[place].hop for place in sorted(self._waiting))
        return Timetable(tuple(self.rides), stuck)

    def _start_all(self, places: Sequence[int]) -> None:
        full: set[Slot] = set()
        for place in places:
            pending = self._waiting.get(place)
            if pending is None:
                continue
            if self._may_start(pending, full):
                self._start(pending)
            elif self.in_order or ("at once", "") in full:
                return

    def _may_start(self, pending: _Pending, full: set[Slot]) -> bool:
        hop = pending.hop
        busy = [s for s in pending.slots if self.slots.taken[s] >= self.slots.limit(s)]
        if busy:
            full.update(busy)
            return False
        on = self.passage.view.hosts_of(hop.unit.name)
        if len(on) > 1 or (hop.source is not None and on != (hop.source,)):
            return False
        return self.passage.admits(hop.unit.guests, hop.target)

    def _start(self, pending: _Pending) -> None:
        del self._waiting[pending.place]
        hop, end_s = pending.hop, self.now_s + pending.lasts_s
        self.passage.begin(hop.unit.guests, hop.target)
        self.slots.take(pending.slots)
        self.rides.append(Ride(hop, self.now_s, end_s))
        heappush(self._running, (end_s, pending.place, pending))

    def _end_next(self) -> set[str]:
        """End all that ends next; return the hosts where something has changed."""
        self.now_s = self._running[0][0]
        freed: set[str] = set()
        while self._running and self._running[0][0] == self.now_s:
            pending = heappop(self._running)[2]
            hop = pending.hop
            source = hop.source or self.passage.view.runs_on(hop.unit.name)
            self.passage.end(hop.unit.guests, source, hop.target)
            self.slots.give_back(pending.slots)
            if hop.is_parking and not self.in_order:
                onwards = Hop(hop.unit, hop.target, hop.unit.goal)
                self._wait(pending.place, onwards, pending.parked)
            freed.update({hop.target, *((source,) if source else ())})
        return freed

    def _park(self) -> bool:
        """Where nobody can start, park the smallest unit that lets somebody in by leaving."""
        view = self.passage.view
        for place in sorted(self._waiting):
            target = self._waiting[place].hop.target
            for pending in sorted(self._at(target), key=self._size):
                hop = pending.hop
                if pending.parked >= MOST_PARKINGS or hop.source is None:
                    continue
                for host in self.passage.roomiest():
                    if host in (target, hop.target) or len(view.hosts_of(hop.unit.name)) != 1:
                        continue
                    if self.passage.admits(hop.unit.guests, host):
                        self._wait(
                            pending.place, Hop(hop.unit, hop.source, host), pending.parked + 1
                        )
                        self._start(self._waiting[pending.place])
                        return True
        return False

    def _at(self, host: str) -> list[_Pending]:
        """The waiting hops of units that are on *host*."""
        near = sorted(self._by_host.get(host, ()))
        waiting = (self._waiting[place] for place in near if place in self._waiting)
        return [pending for pending in waiting if pending.hop.source == host]

    def _size(self, pending: _Pending) -> tuple[int, int, int]:
        return pending.parked, pending.lasts_s, pending.place

    def _worth_trying(self, freed: set[str]) -> list[int]:
        """Waiting hops that an end at *freed* hosts may have made possible."""
        general = self.law.general or self.law.named or self.law.fleet.limits.over_link
        if general or self.law.fleet.limits.at_once is not None:
            return sorted(self._waiting)
        near = {place for host in freed for place in self._by_host.get(host, ())}
        return sorted(place for place in near if place in self._waiting)


Priority = Callable[[Hop], tuple[int, ...]]


def priorities(law: Law, hops: Sequence[Hop]) -> list[Priority]:
    """Orders in which hops may be tried: as they are, long ones first, busiest hosts first."""
    lasts = {hop: duration_of(law.fleet, hop.unit.guests, hop.source, hop.target) for hop in hops}
    into: dict[str, int] = {}
    out_of: dict[str | None, int] = {}
    for hop, s in lasts.items():
        into[hop.target] = into.get(hop.target, 0) + s
        out_of[hop.source] = out_of.get(hop.source, 0) + s

    def busiest(hop: Hop) -> tuple[int, ...]:
        return (-max(into[hop.target], out_of[hop.source]), -lasts[hop])

    return [lambda _hop: (), lambda hop: (-lasts[hop],), busiest]


def best_timetable(law: Law, hops: Sequence[Hop], *, parks: bool = False) -> Timetable:
    """Try the hops in several orders; the best is the shortest of those that leave nobody stuck."""
    tried = (
        Clockwork(law, sorted(hops, key=priority), parks=parks).run()
        for priority in priorities(law, hops)
    )
    return min(tried, key=lambda found: (len(found.stuck), found.makespan_s))
