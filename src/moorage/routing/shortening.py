# SPDX-License-Identifier: Apache-2.0
"""A shorter timetable: CP-SAT over starts and parking, from one that is known.

A guest takes room on its source until it has left and on its target from when it starts; parked it
goes over one other host. Rules other than capacity are not said here: where they say nothing about
the hops even if nobody ever leaves, they don't matter, and what comes out is replayed anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from moorage.model.natural import natural_key
from moorage.routing.durations import duration_of
from moorage.routing.passage import Law, Passage
from moorage.routing.searching import Hop
from moorage.routing.slots import Slot, Slots
from moorage.routing.timetable import Ride, Timetable
from moorage.routing.units import Unit

MOST_UNITS: Final = 160
MOST_OPTIONS: Final = 40
"""Units times hosts up to which every way over another host is modelled. Beyond that none is, or,
where somebody has to be parked, those over the roomiest hosts."""
ROOMIEST: Final = 4
LEAST_SECONDS: Final = 0.5
"""In less than that CP-SAT is hardly loaded."""
MUCH: Final = 0.05
"""Of the makespan."""
GAP: Final = 0.002
"""Of the makespan: as near to the bound it is short enough."""
EFFORT: Final = 2.0
"""Deterministic seconds of CP-SAT."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A timetable, and what is proved of how short any can be."""

    timetable: Timetable
    bound_s: int


@dataclass(frozen=True, slots=True)
class _Way:
    """One way of a unit: straight, or over another host; hops with their intervals."""

    literal: Any
    hops: tuple[Hop, ...]
    starts: tuple[Any, ...]
    lasts: tuple[int, ...]


def shortened(
    law: Law, units: Sequence[Unit], known: Timetable, bound_s: int, seconds: float | None = None
) -> Shortened:
    """Look for a shorter timetable than *known*, which leaves nobody stuck.

    Nobody is parked for the sake of time alone, unless others have to be anyway and it saves much.
    With *seconds* each search stops by the wall clock, too.
    """
    parkings = sum(ride.hop.is_parking for ride in known.rides)
    found = Shortening(law, units, known, bound_s, parkings, seconds).run()
    if parkings < 2:
        return found
    more = Shortening(law, units, found.timetable, bound_s, parkings * 3 // 2, seconds).run()
    worth_it = (1.0 - MUCH) * found.timetable.makespan_s
    return more if more.timetable.makespan_s <= worth_it else found


@dataclass(eq=False)
class Shortening:
    """One search for a shorter timetable.

    Attributes:
        bound_s: what is known already of how short one can be.
        parkings: how often somebody may be parked.
    """

    law: Law
    units: Sequence[Unit]
    known: Timetable
    bound_s: int
    parkings: int
    seconds: float | None = None
    _held: dict[tuple[str, str], list[tuple[Any, int]]] = field(default_factory=dict, init=False)
    _taken: dict[Slot, list[Any]] = field(default_factory=dict, init=False)

    def run(self) -> Shortened:
        """Return the shortest that is found, or what was known."""
        unchanged = Shortened(self.known, self.bound_s)
        if self.known.makespan_s <= self.bound_s or len(self.units) > MOST_UNITS:
            return unchanged
        if self.seconds is not None and self.seconds < LEAST_SECONDS:
            return unchanged
        if not self._is_about_room_alone():
            return unchanged
        from ortools.sat.python import cp_model

        self.cp = cp_model.CpModel()
        self.horizon = self.known.makespan_s
        self.makespan = self.cp.new_int_var(self.bound_s, self.horizon, "makespan")
        ways = [self._ways(unit) for unit in self.units]
        self._limit()
        over_others = [way.literal for choices in ways for way in choices[1:]]
        self.cp.add(sum(over_others) <= self.parkings)
        self.cp.minimize(self.makespan)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = EFFORT
        if self.seconds is not None:
            solver.parameters.max_time_in_seconds = self.seconds
        solver.parameters.relative_gap_limit = GAP
        status = solver.solve(self.cp)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return unchanged
        found = self._read(solver, ways)
        # Where some ways over other hosts were left out, a shorter one may be among them.
        bound = max(self.bound_s, round(solver.best_objective_bound)) if self._is_whole else 0
        if found.makespan_s >= self.known.makespan_s or not is_sound(self.law, found.rides):
            return Shortened(self.known, max(self.bound_s, min(bound, self.known.makespan_s)))
        return Shortened(found, max(self.bound_s, min(bound, found.makespan_s)))

    def _is_about_room_alone(self) -> bool:
        """Whether rules let every unit go straight even if nobody ever leaves."""
        if any(unit.home is None for unit in self.units) or self.law.fleet.held_until_end:
            return False
        crowd = Passage(self.law)
        for unit in self.units:
            if not crowd.rules_admit(unit.guests, unit.goal):
                return False
            crowd.begin(unit.guests, unit.goal)
        return True

    # --- the model -------------------------------------------------------------------------

    @cached_property
    def _spare(self) -> list[str]:
        """Hosts to park on, the roomiest first."""
        if not self.parkings:
            return []
        ranked = Passage(self.law).roomiest()
        if len(ranked) * len(self.units) <= MOST_OPTIONS:
            return ranked
        used = {ride.hop.target for ride in self.known.rides if ride.hop.is_parking}
        return [h for number, h in enumerate(ranked) if number < ROOMIEST or h in used]

    @cached_property
    def _is_whole(self) -> bool:
        """Whether all plans with as few moves are modelled, but for such as park a unit twice."""
        return len(self._spare) in (0, len(self.law.fleet.hosts))

    @cached_property
    def _known_starts(self) -> dict[tuple[str, str | None, str], int]:
        return {(r.hop.unit.name, r.hop.source, r.hop.target): r.start_s for r in self.known.rides}

    def _ways(self, unit: Unit) -> list[_Way]:
        """All ways of a unit, of which one is taken; it holds its home until it leaves."""
        between = [host for host in self._spare if host not in (unit.home, unit.goal)]
        found = [self._way([Hop(unit, unit.home, unit.goal)])]
        found += [self._way([Hop(unit, unit.home, h), Hop(unit, h, unit.goal)]) for h in between]
        self.cp.add_exactly_one(way.literal for way in found)
        leaves = self.cp.new_int_var(0, self.horizon, "")
        comes = self.cp.new_int_var(0, self.horizon, "")
        for way in found:
            self.cp.add(leaves == way.starts[0] + way.lasts[0]).only_enforce_if(way.literal)
            self.cp.add(comes == way.starts[-1]).only_enforce_if(way.literal)
        demand = self.law.demand(unit.guests)
        stays = self.cp.new_int_var(0, self.horizon, "")
        at_home = self.cp.new_interval_var(0, leaves, leaves, "")
        at_goal = self.cp.new_interval_var(comes, stays, self.horizon, "")
        for resource, amount in demand.items():
            if unit.home is not None:
                self._held.setdefault((unit.home, resource), []).append((at_home, amount))
                self._held.setdefault((unit.goal, resource), []).append((at_goal, amount))
                for way in found[1:]:
                    self._park(way, resource, amount)
        return found

    def _way(self, hops: Sequence[Hop]) -> _Way:
        """A way that may be taken, with what its hops take of limits."""
        literal, slots = self.cp.new_bool_var(""), Slots(self.law.fleet)
        starts: list[Any] = []
        lasts: list[int] = []
        is_known = all((h.unit.name, h.source, h.target) in self._known_starts for h in hops)
        self.cp.add_hint(literal, is_known)
        for hop in hops:
            s = duration_of(self.law.fleet, hop.unit.guests, hop.source, hop.target)
            start = self.cp.new_int_var(0, max(0, self.horizon - s), "")
            if is_known:
                known = self._known_starts[hop.unit.name, hop.source, hop.target]
                self.cp.add_hint(start, known)
            ride = self.cp.new_optional_interval_var(start, s, start + s, literal, "")
            for slot in slots.of(hop.unit.guests, hop.source, hop.target):
                self._taken.setdefault(slot, []).append(ride)
            self.cp.add(self.makespan >= start + s).only_enforce_if(literal)
            if starts:
                self.cp.add(start >= starts[-1] + lasts[-1]).only_enforce_if(literal)
            starts.append(start)
            lasts.append(s)
        return _Way(literal, tuple(hops), tuple(starts), tuple(lasts))

    def _park(self, way: _Way, resource: str, amount: int) -> None:
        """A parked unit holds the host between from when it starts to when it has left again."""
        until = way.starts[1] + way.lasts[1]
        size = self.cp.new_int_var(0, self.horizon, "")
        held = self.cp.new_optional_interval_var(way.starts[0], size, until, way.literal, "")
        self._held.setdefault((way.hops[0].target, resource), []).append((held, amount))

    def _limit(self) -> None:
        """Room on hosts, and moves at once."""
        passage = Passage(self.law)
        moving: dict[tuple[str, str], int] = {}
        for unit in self.units:
            for resource, amount in self.law.demand(unit.guests).items():
                key = (str(unit.home), resource)
                moving[key] = moving.get(key, 0) + amount
        for (host, resource), held in self._held.items():
            others = passage.view.load(host, resource) - moving.get((host, resource), 0)
            intervals, amounts = zip(*held, strict=True)
            self.cp.add_cumulative(intervals, amounts, passage.most(host, resource) - others)
        limits = Slots(self.law.fleet)
        for slot, rides in self._taken.items():
            limit = limits.limit(slot)
            if limit == 1:
                self.cp.add_no_overlap(rides)
            elif len(rides) > limit:
                self.cp.add_cumulative(rides, [1] * len(rides), limit)

    @staticmethod
    def _read(solver: Any, ways: Sequence[Sequence[_Way]]) -> Timetable:
        rides = []
        for choices in ways:
            way = next(way for way in choices if solver.boolean_value(way.literal))
            for hop, start, s in zip(way.hops, way.starts, way.lasts, strict=True):
                at = solver.value(start)
                rides.append(Ride(hop, at, at + s))
        rides.sort(key=lambda ride: (ride.start_s, natural_key(ride.hop.unit.name)))
        return Timetable(tuple(rides))


def is_sound(law: Law, rides: Sequence[Ride]) -> bool:
    """Whether each of *rides* may start when it does, by rules and room."""
    passage = Passage(law)
    events = [(r.start_s, 1, n) for n, r in enumerate(rides)]
    events += [(r.end_s, 0, n) for n, r in enumerate(rides)]
    for _, starts, number in sorted(events):
        hop = rides[number].hop
        if not starts:
            passage.end(hop.unit.guests, hop.source, hop.target)
        elif not passage.admits(hop.unit.guests, hop.target):
            return False
        else:
            passage.begin(hop.unit.guests, hop.target)
    return True
