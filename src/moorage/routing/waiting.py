# SPDX-License-Identifier: Apache-2.0
"""Which rides a ride has to wait for: enough that leave, not all that do.

Whoever follows the dependencies alone, whatever the clock says, breaks nothing. On each host the
newcomers are taken in the order of their starts, and room is counted as if all before had come and
nobody had left but those that are waited for. Then they may come in any order: if a later one comes
first, it has waited for enough leavers for both.
"""

from __future__ import annotations

from collections.abc import Sequence

from moorage.routing.passage import Law, Passage
from moorage.routing.timetable import Ride


def dependencies(law: Law, rides: Sequence[Ride]) -> list[tuple[int, ...]]:
    """Return for each of *rides*, which are in the order of their starts, those it waits for."""
    rooms, crowd = _Rooms(law), Passage(law)
    last_of: dict[str, int] = {}
    found: list[tuple[int, ...]] = []
    leavers: dict[str, list[int]] = {}
    needs_rules = bool(law.general or law.named)
    for number, ride in enumerate(rides):
        hop = ride.hop
        wanted: set[int] = set()
        if hop.unit.name in last_of:
            wanted.add(last_of[hop.unit.name])
        ended = [n for n in leavers.get(hop.target, ()) if rides[n].end_s <= ride.start_s]
        ended.sort(key=lambda n: (rides[n].end_s, n))
        wanted.update(rooms.enter(hop.unit.guests, hop.target, ended, rides))
        if needs_rules:
            # Nobody leaves in the crowd: what is allowed there is allowed whoever has left.
            if not crowd.rules_admit(hop.unit.guests, hop.target):
                wanted.update(_for_rules(law, rides, number, wanted))
            crowd.begin(hop.unit.guests, hop.target)
        found.append(tuple(sorted(wanted)))
        last_of[hop.unit.name] = number
        if hop.source is not None:
            leavers.setdefault(hop.source, []).append(number)
    return found


class _Rooms:
    """What newcomers have taken so far on each host, nobody having left."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self.passage = Passage(law)
        self.came: dict[tuple[str, str], int] = {}

    def enter(
        self, guests: Sequence[str], host: str, ended: Sequence[int], rides: Sequence[Ride]
    ) -> set[int]:
        """Count *guests* in; return the fewest of *ended*, first come first, that make room."""
        wanted = set[int]()
        for resource, amount in self.law.demand(guests).items():
            self.came[host, resource] = self.came.get((host, resource), 0) + amount
            taken = self.passage.view.load(host, resource) + self.came[host, resource]
            over = taken - self.passage.most(host, resource)
            over -= sum(self._leaves(rides[n], resource) for n in wanted)
            for n in ended:
                if over <= 0:
                    break
                leaves = self._leaves(rides[n], resource)
                if n not in wanted and leaves:
                    wanted.add(n)
                    over -= leaves
        return wanted

    def _leaves(self, ride: Ride, resource: str) -> int:
        if resource in self.law.fleet.held_until_end:
            return 0
        return self.law.demand(ride.hop.unit.guests).get(resource, 0)


def _for_rules(law: Law, rides: Sequence[Ride], number: int, wanted: set[int]) -> set[int]:
    """The earlier rides without whose end a rule would forbid this one to start."""
    ride = rides[number]
    ended = [n for n in range(number) if rides[n].end_s <= ride.start_s]
    if _is_allowed(law, rides, number, wanted, ended):
        return set()
    more = set(ended) - wanted
    for n in sorted(more, key=lambda n: (-rides[n].end_s, -n)):
        if _is_allowed(law, rides, number, wanted | (more - {n}), ended):
            more.discard(n)
    return more


def _is_allowed(
    law: Law, rides: Sequence[Ride], number: int, done: set[int], ended: Sequence[int]
) -> bool:
    """Whether rules let a ride start once *done* have ended and all others of *ended* still run."""
    passage, hop = Passage(law), rides[number].hop
    for n in ended:
        other = rides[n].hop
        source = other.source or passage.view.runs_on(other.unit.name)
        passage.begin(other.unit.guests, other.target)
        if n in done:
            passage.end(other.unit.guests, source, other.target)
    return passage.rules_admit(hop.unit.guests, hop.target)
