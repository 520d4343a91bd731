# SPDX-License-Identifier: Apache-2.0
"""From a target to a plan: a way that holds at every instant, and its times.

Straight ways come first, in several orders. Where each of them ends with somebody stuck, a complete
search over placements finds the way with the fewest moves, parking whom it has to, or proves that
there is none. What can't be reached is named, and the rest of the way is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from moorage.model.fleet import Fleet
from moorage.model.hosts import HostState
from moorage.model.natural import natural_key
from moorage.model.plan import Action, ActionKind, Plan, Step
from moorage.model.reasons import Reason
from moorage.routing.bounds import makespan_bound
from moorage.routing.passage import Law, Passage
from moorage.routing.searching import Hop, Search
from moorage.routing.shortening import shortened
from moorage.routing.timetable import Clockwork, Ride, Timetable, best_timetable
from moorage.routing.units import Grouping, Unit
from moorage.routing.waiting import dependencies
from moorage.verifying import is_refused, verify
from moorage.verifying.standing import Standing

SMALL: Final = 150
"""Units times hosts up to which a complete search comes first."""
MOST_HELPERS: Final = 12
"""Guests beside those that have to move that the search may park."""


def route(fleet: Fleet, target: Mapping[str, str | None], seconds: float | None = None) -> Plan:
    """Find a plan that leads from where guests are to where *target* has them.

    With *seconds* the search for a shorter one stops by the wall clock, too.
    """
    return Router(fleet, target).plan(seconds)


class Router:
    """One target, and the way to it."""

    def __init__(self, fleet: Fleet, target: Mapping[str, str | None]) -> None:
        self.fleet = fleet
        standing = Standing(fleet)
        always = tuple(rule for rule in standing.must if rule.holds_always)
        self.law = Law(fleet, always, {b.key: b for b in standing.breaches})
        self.where = {g: self._runs_on(g) for g in fleet.running}
        self.goals = {
            g: host
            for g in fleet.running
            if (host := target.get(g, fleet.placement[g])) is not None
        }
        self.grouping = Grouping(fleet, always)

    def _runs_on(self, guest: str) -> str | None:
        """Where a guest can be moved from: nothing is copied off a host that is down."""
        host = self.fleet.placement[guest]
        known = None if host is None else self.fleet.hosts.get(host)
        return None if known is None or known.state is HostState.DOWN else host

    def plan(self, seconds: float | None = None) -> Plan:
        """Find the way."""
        movers = [g for g, host in self.goals.items() if host != self.fleet.placement[g]]
        units = self.grouping.units(movers, self.where, self.goals)
        if not units:
            return Plan()
        straight = [Hop(unit, unit.home, unit.goal) for unit in units]
        bound = makespan_bound(self.law, straight)
        found = best_timetable(self.law, straight)
        if found.stuck:
            found = self._around(units, straight) or found
        if not found.stuck:
            shorter = shortened(self.law, units, found, bound, seconds)
            found, bound = shorter.timetable, shorter.bound_s
        return self._told(found, bound)

    def _around(self, units: Sequence[Unit], straight: Sequence[Hop]) -> Timetable | None:
        """A way that parks, or goes in an order that no priority finds; None if there is none.

        The complete search finds the way with the fewest moves. Where there is too much to look
        at, parking by rule of thumb comes first.
        """
        players = [*units, *self._helpers(units)]
        is_small = len(players) * len(self.fleet.hosts) <= SMALL
        if not is_small:
            parked = best_timetable(self.law, straight, parks=True)
            if not parked.stuck:
                return parked
        way = Search(Passage(self.law), players).run()
        if way.hops is None:
            return None
        return Clockwork(self.law, way.hops, in_order=True).run()

    def _helpers(self, units: Iterable[Unit]) -> list[Unit]:
        """Guests that may be parked though they should end where they are.

        All of them where they are few; else the smallest of those that are on hosts concerned.
        """
        moving = {g for unit in units for g in unit.guests}
        concerned = {h for unit in units for h in (unit.home, unit.goal)}
        staying = [g for g, host in self.where.items() if g not in moving and host is not None]
        chosen = self.grouping.units(staying, self.where, self.goals)
        chosen.sort(key=self._usefulness(concerned))
        return chosen[:MOST_HELPERS]

    def _usefulness(self, concerned: set[str | None]) -> Callable[[Unit], tuple[object, ...]]:
        def key(unit: Unit) -> tuple[object, ...]:
            return unit.home not in concerned, self._weight(unit), natural_key(unit.name)

        return key

    def _weight(self, unit: Unit) -> int:
        return sum(sum(self.fleet.demand_of(g).values()) for g in unit.guests)

    # --- the plan as a value ---------------------------------------------------------------

    def _told(self, found: Timetable, bound: int) -> Plan:
        rides = sorted(found.rides, key=lambda ride: ride.start_s)
        if found.stuck:
            rides = self._reachable(rides)
        waits = dependencies(self.law, rides)
        steps = tuple(
            Step(number, ride.start_s, ride.end_s, tuple(self._actions(ride)), waits[number])
            for number, ride in enumerate(rides)
        )
        parked = sorted(
            {g for ride in rides for g in ride.hop.unit.guests if ride.hop.is_parking},
            key=natural_key,
        )
        lost = [(g, Reason.NO_PATH.value) for hop in found.stuck for g in hop.unit.guests]
        return Plan(
            steps,
            feasible=not found.stuck,
            makespan_bound_s=bound,
            parked=tuple(parked),
            unreachable=tuple(lost),
        )

    def _reachable(self, rides: list[Ride]) -> list[Ride]:
        """Those rides that may be made without the others; none if rules tie them to the rest."""
        where = {**self.fleet.placement}
        for ride in rides:
            where.update(dict.fromkeys(ride.hop.unit.guests, ride.hop.target))
        broken = verify(self.fleet, {g: h for g, h in where.items() if h is not None})
        return [] if is_refused(broken) else rides

    def _actions(self, ride: Ride) -> Iterable[Action]:
        hop = ride.hop
        kind = ActionKind.MIGRATE
        if hop.source is None:
            kind = ActionKind.PLACE
        elif hop.is_parking:
            kind = ActionKind.PARK
        elif hop.source != hop.unit.home:
            kind = ActionKind.RETURN
        for number, guest in enumerate(hop.unit.guests):
            with_others = number and kind is not ActionKind.PLACE
            yield Action(guest, hop.source, hop.target, ActionKind.CO_MOVE if with_others else kind)
