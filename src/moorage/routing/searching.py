# SPDX-License-Identifier: Apache-2.0
"""A complete search for a way: the fewest moves that lead to a target, or the proof of none.

Moves one after another are enough: a guest holds both ends for as long as it moves, so that what
can't be done one by one can't be done at once either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import Final

from moorage.model.natural import natural_key
from moorage.routing.passage import Passage
from moorage.routing.units import Unit

MOST_LOOKS: Final = 1_500_000
"""Moves that are looked at before the search gives up: about ten seconds."""

State = tuple[int, ...]
"""The host of each unit."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One unit goes from one host to another; not always to its goal."""

    unit: Unit
    source: str | None
    target: str

    @property
    def is_parking(self) -> bool:
        """Whether the unit has further to go."""
        return self.target != self.unit.goal


@dataclass(frozen=True, slots=True)
class Way:
    """What a search found: hops in their order, or none, and whether that is proved."""

    hops: tuple[Hop, ...] | None
    is_proved: bool


@dataclass(eq=False)
class Search:
    """A* over placements: as far as a placement is from its goal are the units that aren't there.

    Attributes:
        units: those that have to go somewhere, and those that may make room for them.
        limit: moves to look at.
    """

    passage: Passage
    units: Sequence[Unit]
    limit: int = MOST_LOOKS
    hosts: tuple[str, ...] = field(init=False)
    seen: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        fleet = self.passage.fleet
        self.hosts = tuple(sorted(fleet.hosts, key=natural_key))
        index = {host: number for number, host in enumerate(self.hosts)}
        self._here: State = tuple(-1 if u.home is None else index[u.home] for u in self.units)
        self._set_to = self._here
        self._goal: State = tuple(index[u.goal] for u in self.units)

    @cached_property
    def _resources(self) -> tuple[str, ...]:
        return tuple(sorted({r for u in self.units for r in self.passage.law.demand(u.guests)}))

    @cached_property
    def _amounts(self) -> list[list[int]]:
        """What each unit takes of each resource."""
        demands = [self.passage.law.demand(unit.guests) for unit in self.units]
        return [[demand.get(r, 0) for r in self._resources] for demand in demands]

    @cached_property
    def _rooms(self) -> list[list[int]]:
        """What units may take on each host together: all but what others hold."""
        rooms = []
        for number, host in enumerate(self.hosts):
            mine = [i for i, at in enumerate(self._here) if at == number]
            rooms.append(
                [
                    self.passage.most(host, r)
                    - self.passage.view.load(host, r)
                    + sum(self._amounts[i][k] for i in mine)
                    for k, r in enumerate(self._resources)
                ]
            )
        return rooms

    @cached_property
    def _is_asked(self) -> list[bool]:
        """Whether rules have to be asked about each unit."""
        law = self.passage.law
        asked = bool(law.general or law.fleet.held_until_end)
        return [asked or any(g in law.named for g in unit.guests) for unit in self.units]

    def run(self) -> Way:
        """Search until a way is found, there is none, or the limit is reached."""
        start, goal = self._here, self._goal
        came: dict[State, tuple[State, int]] = {}
        steps = {start: 0}
        # Of equally long ways the one that is furthest is looked at first.
        queue: list[tuple[int, int, int, State]] = [(self._far(start), 0, 0, start)]
        number = 0
        while queue:
            _, less, _, state = heappop(queue)
            if -less > steps[state]:
                continue
            if state == goal:
                return Way(self._hops(came, state), True)
            self.seen += len(self.units) * len(self.hosts)
            if self.seen > self.limit:
                return Way(None, False)
            for unit, after in self._next(state):
                if steps[state] + 1 < steps.get(after, 1 << 30):
                    steps[after] = steps[state] + 1
                    came[after] = (state, unit)
                    number += 1
                    length = steps[after] + self._far(after)
                    heappush(queue, (length, -steps[after], number, after))
        return Way(None, True)

    def _far(self, state: State) -> int:
        return sum(a != b for a, b in zip(state, self._goal, strict=True))

    def _next(self, state: State) -> Iterator[tuple[int, State]]:
        """The placements that one move leads to, those that reach a goal first."""
        room = self._left(state)
        is_set = False
        amounts, goal = self._amounts, self._goal
        for away in (False, True):
            for unit, at in enumerate(state):
                targets = range(len(self.hosts)) if away else (goal[unit],)
                for host in targets:
                    if host == at or (away and host == goal[unit]):
                        continue
                    if away and at < 0:
                        continue  # nobody is started only to be parked
                    if any(a > left for a, left in zip(amounts[unit], room[host], strict=True)):
                        continue
                    if self._is_asked[unit]:
                        if not is_set:
                            self._set(state)
                            is_set = True
                        if not self.passage.admits(self.units[unit].guests, self.hosts[host]):
                            continue
                    yield unit, (*state[:unit], host, *state[unit + 1 :])

    def _left(self, state: State) -> list[list[int]]:
        room = [list(row) for row in self._rooms]
        for unit, host in enumerate(state):
            if host >= 0:
                row = room[host]
                for k, amount in enumerate(self._amounts[unit]):
                    row[k] -= amount
        return room

    def _set(self, state: State) -> None:
        for place, (unit, host) in enumerate(zip(self.units, state, strict=True)):
            if host != self._set_to[place]:
                self.passage.put(unit.guests, None if host < 0 else self.hosts[host])
        self._set_to = state

    def _hops(self, came: dict[State, tuple[State, int]], state: State) -> tuple[Hop, ...]:
        found: list[Hop] = []
        while state in came:
            before, unit = came[state]
            source = None if before[unit] < 0 else self.hosts[before[unit]]
            found.append(Hop(self.units[unit], source, self.hosts[state[unit]]))
            state = before
        return tuple(reversed(found))
