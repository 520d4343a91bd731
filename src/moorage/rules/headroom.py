# SPDX-License-Identifier: Apache-2.0
"""Headroom: the fleet survives the loss of hosts, or of a whole domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.hosts import HostState
from moorage.model.natural import natural_key
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order
from moorage.rules.packing import Room, Survey
from moorage.rules.wording import are, names, plural

MOST_SUMS = 200_000
"""Terms posted onto the exact model: beyond them asking solutions has to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headroom(Rule):
    """Guests of lost hosts can all start again on what remains.

    Attributes:
        lose: how many values of the domain may be lost at once.
        domain: `host`, or a label such as rack.
        hosts: only these can be lost and take over; none named is all.
    """

    kind: ClassVar[str] = "headroom"
    invariant: ClassVar[str] = (
        "For every choice of *lose* values of the domain, the guests running there can be"
        " given hosts among the remaining active hosts of the rule so that, with the guests"
        " already there, no hard resource of a host is exceeded."
    )
    remedy: ClassVar[str] = "add a host, or keep fewer guests on {host}"
    usual_when: ClassVar[When] = When.AT_END

    lose: int = 1
    domain: str = HOST_DOMAIN
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.lose < 1:
            raise ValueError(f"lose is {self.lose}, but must be at least 1")

    def scope(self, fleet: Fleet) -> list[str]:
        """The hosts that it is for, as far as they are active."""
        hosts = self.hosts or tuple(fleet.hosts)
        active = [h for h in hosts if fleet.hosts[h].state is HostState.ACTIVE]
        return sorted(active, key=natural_key)

    def post(self, exact: Exact) -> None:
        """Post what has to hold of sums; whether guests fit one by one is asked of solutions."""
        exact.ask(self)
        if not self.is_must:
            return
        scope = self.scope(exact.fleet)
        now = View(exact.fleet, exact.fleet.placement, at_end=True)
        if any(left < 0 for host in scope for left in _room(now, host).values()):
            return  # where a host stands overfull, sums say nothing of the room on the others
        losses = list(self._losses(exact.fleet))
        if len(losses) * len(scope) > MOST_SUMS:
            return
        for lost, gone in losses:
            if not exact.stood(self, "+".join(lost), "guests"):
                self._post_sums(exact, gone, [h for h in scope if h not in gone])

    @staticmethod
    def _post_sums(exact: Exact, gone: set[str], left: list[str]) -> None:
        """What runs on lost hosts has to find room on the others, as far as sums tell.

        What guests leave behind on their first hosts is theirs to take again, so that sums say
        nothing of resources that are held until the end.
        """
        fleet = exact.fleet
        stopped = [g for g in fleet.guests.values() if g.stopped and g.host in gone]
        for resource in fleet.resources.values():
            if resource.hard and not resource.held_until_end:
                kept = sum(fleet.demand_of(g.id).get(resource.id, 0) for g in stopped)
                taken = sum(exact.load(host, resource.id) for host in (*sorted(gone), *left))
                room = sum(fleet.hosts[host].usable(resource.id) for host in left)
                exact.need(taken - kept <= room)

    def arrays(self, tables: Tables) -> None:
        tables.ask(self)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        survey = Survey({host: _room(view, host) for host in self.scope(view.fleet)})
        for lost, gone in self._losses(view.fleet):
            stranded = _stranded(view, survey, gone)
            if stranded:
                yield self._breach(lost, stranded)

    def _losses(self, fleet: Fleet) -> Iterator[tuple[tuple[str, ...], set[str]]]:
        """Each choice of values that may be lost at once, with their hosts."""
        value_of = fleet.domain_of(self.domain)
        members: dict[str, list[str]] = {}
        for host in self.scope(fleet):
            if host in value_of:
                members.setdefault(value_of[host], []).append(host)
        for lost in combinations(sorted(members, key=natural_key), min(self.lose, len(members))):
            yield lost, {h for v in lost for h in members[v]}

    def _breach(self, lost: tuple[str, ...], stranded: list[str]) -> Breach:
        what = names(lost) if self.domain == HOST_DOMAIN else f"{self.domain} {names(lost)}"
        text = (
            f"if {what} {are(lost)} lost, {plural(len(stranded), 'guest')} ({names(stranded)})"
            " can't start elsewhere"
        )
        host = lost[0] if self.domain == HOST_DOMAIN and len(lost) == 1 else None
        guests, where = in_order(stranded), "+".join(lost)
        return Breach(
            self.label, Reason.HEADROOM, where, guests, len(guests), text, "guests", host=host
        )


def hard_demand(fleet: Fleet, guest: str) -> Mapping[str, int]:
    """What *guest* takes of hard resources, on whichever host it runs."""
    return {
        r: amount
        for r, amount in fleet.demand_of(guest).items()
        if amount and (known := fleet.resources.get(r)) is not None and known.hard
    }


def _room(view: View, host: str) -> Room:
    there = view.fleet.hosts[host]
    resources = [r.id for r in view.fleet.resources.values() if r.hard]
    return {r: there.usable(r) - view.load(host, r) for r in resources}


def _stranded(view: View, survey: Survey, gone: set[str]) -> list[str]:
    """The guests that find no host once *gone* is lost."""
    running = [g for host in sorted(gone) for g in view.guests_on(host) if view.runs_on(g) in gone]
    changed: dict[str, Room] = {}
    for guest in running:
        # What it holds on hosts that remain, as the other end of its move, is its own to take.
        for host in {*view.hosts_of(guest), view.start(guest) or ""} - gone:
            share = view.share(guest, host)
            if share and host in survey.rooms:
                room = changed.setdefault(host, _room(view, host))
                room.update({r: room[r] + amount for r, amount in share.items() if r in room})
    return survey.stranded({g: hard_demand(view.fleet, g) for g in running}, gone, changed)
