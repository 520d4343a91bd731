# SPDX-License-Identifier: Apache-2.0
"""Who holds room where at one instant: what rules look at."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from moorage.model.frozen import EMPTY
from moorage.model.natural import natural_key

if TYPE_CHECKING:
    from moorage.model.fleet import Fleet

NOWHERE: tuple[str, ...] = ()


class View:
    """Guests and the hosts that they hold room on, at one instant.

    A guest that moves is on two hosts, source first; one that is stopped is on none. The sums
    per host follow each change, so that looking at one host costs no walk over the fleet.
    """

    __slots__ = (
        "_came",
        "_entered",
        "_held",
        "_kept",
        "_left_behind",
        "_loads",
        "_on",
        "_pooled",
        "_stopped",
        "at_end",
        "fleet",
    )

    def __init__(self, fleet: Fleet, placement: Mapping[str, str | None], *, at_end: bool) -> None:
        self.fleet = fleet
        self.at_end = at_end
        self._held: dict[str, tuple[str, ...]] = {}
        self._on: dict[str, dict[str, None]] = {}
        self._loads: dict[str, dict[str, int]] = {}
        self._entered: dict[str, set[str]] = {}
        self._came: dict[str, dict[str, None]] = {}
        self._left_behind: set[str] = set()
        self._stopped: dict[str, str] = {}
        self._kept: dict[str, set[str]] = {}
        self._pooled: dict[str, int] = dict.fromkeys(fleet.shared_pools, 0)
        self._fill(placement)

    def _fill(self, placement: Mapping[str, str | None]) -> None:
        """Put every guest where it is. Large fleets are viewed often: this is their hot loop."""
        fleet, held, pools = self.fleet, self._held, bool(self._pooled)
        hosts, demand_of = fleet.hosts, fleet.demand_of
        alone = {host: (host,) for host in hosts}
        on: dict[str, dict[str, None]] = {}
        loads: dict[str, dict[str, int]] = {}
        for guest in fleet.guests.values():
            name, host = guest.id, placement.get(guest.id)
            if guest.stopped or host not in alone:
                continue
            held[name] = alone[host]
            if host not in on:
                on[host], loads[host] = {}, {}
            on[host][name] = None
            here = loads[host]
            for resource, amount in demand_of(name).items():
                here[resource] = here.get(resource, 0) + amount
            if pools:
                self._fill_pools(name)
        self._on, self._loads = on, loads
        for guest in fleet.guests.values():
            if guest.stopped:
                self._store(guest.id)
            elif placement.get(guest.id) != guest.host:
                self._move_away(guest.id, guest.host if guest.host in hosts else None)

    def _store(self, guest: str) -> None:
        """A stopped guest takes part in no rule; only its disks lie where it was."""
        host = self.start(guest)
        if host is not None:
            self._stopped[guest] = host
            self._kept.setdefault(host, set()).add(guest)
            self._add_up(guest, host, +1)
            self._fill_pools(guest)

    def _move_away(self, guest: str, start: str | None) -> None:
        """Note that *guest*, if it is anywhere, has moved there from its start."""
        held = self._held.get(guest)
        if held is not None and held[0] != start:
            self._enter(guest, held[0])
        if start is not None and (held is None or held[0] != start):
            self._leave_behind(guest, start)

    def start(self, guest: str) -> str | None:
        """The host where *guest* was in the fleet; None for none or one that is unknown."""
        host = self.fleet.guests[guest].host
        return host if host in self.fleet.hosts else None

    def hosts_of(self, guest: str) -> tuple[str, ...]:
        """The hosts that *guest* holds: none, one, or both ends of its move."""
        return self._held.get(guest, NOWHERE)

    def runs_on(self, guest: str) -> str | None:
        """The host where *guest* runs: its source until it has arrived."""
        held = self._held.get(guest)
        return held[0] if held else None

    def holds_storage(self, guest: str) -> bool:
        """Whether *guest* is placed, or stopped with its disks on a host."""
        return guest in self._held or guest in self._stopped

    def guests_on(self, host: str) -> Collection[str]:
        """The guests that hold room on *host*."""
        return self._on.get(host, {}).keys()

    def occupied_hosts(self) -> Collection[str]:
        """The hosts that hold at least one guest."""
        return [host for host, guests in self._on.items() if guests]

    def load(self, host: str, resource: str) -> int:
        """How much of *resource* is taken on *host*."""
        return self._loads.get(host, {}).get(resource, 0)

    def share(self, guest: str, host: str) -> Mapping[str, int]:
        """How much of each resource *guest* takes on *host*."""
        if host in self._held.get(guest, NOWHERE) or self._stopped.get(guest) == host:
            return self.fleet.demand_of(guest)
        if guest in self._left_behind and host == self.start(guest):
            kept = self.fleet.held_until_end
            return {r: a for r, a in self.fleet.demand_of(guest).items() if r in kept}
        return EMPTY

    def sharers(self, host: str, resource: str) -> Collection[str]:
        """The guests that take some of *resource* on *host*, stopped and moved ones too."""
        guests = {*self._on.get(host, ()), *self._kept.get(host, ())}
        return [g for g in guests if self.share(g, host).get(resource, 0)]

    def pooled(self, resource: str) -> int:
        """How much of a shared pool all guests together take."""
        return self._pooled[resource]

    def loaded(self, host: str) -> Collection[str]:
        """The resources of which anything was ever taken on *host*."""
        return self._loads.get(host, {}).keys()

    def entered(self, guest: str) -> Collection[str]:
        """The hosts that *guest* has been moved onto so far."""
        return self._entered.get(guest, NOWHERE)

    def came_onto(self, host: str) -> Collection[str]:
        """The guests that have been moved onto *host* so far, wherever they are now."""
        return self._came.get(host, {}).keys()

    def begin_move(self, guest: str, target: str) -> None:
        """*guest* starts to move: it holds *target* too from now on."""
        self._enter(guest, target)
        if target not in self._held.get(guest, NOWHERE):
            if target == self.start(guest) and guest in self._left_behind:
                self._add_up(guest, target, -1, held_only=True)
                self._left_behind.discard(guest)
                self._kept[target].discard(guest)
            self._occupy(guest, target)

    def call_off(self, guest: str, target: str, *, had_entered: bool) -> None:
        """Take `begin_move` back; *had_entered*: *guest* had been moved there before, too."""
        self._vacate(guest, target)
        if not self._held[guest]:
            del self._held[guest]
            self._empty_pools(guest)
        if target == self.start(guest):
            self._leave_behind(guest, target)
        if not had_entered:
            self._entered[guest].discard(target)
            self._came[target].pop(guest, None)

    def put(self, guest: str, host: str | None) -> None:
        """Put *guest* on *host* at once, as if it had gone there straight from its start."""
        start, held = self.start(guest), self.hosts_of(guest)
        for place in held:
            self._vacate(guest, place)
        if held:
            del self._held[guest]
            self._empty_pools(guest)
        if start is not None and guest in self._left_behind:
            self._add_up(guest, start, -1, held_only=True)
            self._left_behind.discard(guest)
            self._kept[start].discard(guest)
        for place in self._entered.pop(guest, ()):
            self._came[place].pop(guest, None)
        if host is not None:
            self._occupy(guest, host)
        self._move_away(guest, start)

    def end_move(self, guest: str, source: str | None, target: str) -> None:
        """*guest* has arrived on *target* and lets go of *source*."""
        if source is not None and source != target and source in self._held.get(guest, NOWHERE):
            self._vacate(guest, source)
            if source == self.start(guest):
                self._leave_behind(guest, source)

    def _enter(self, guest: str, host: str) -> None:
        self._entered.setdefault(guest, set()).add(host)
        self._came.setdefault(host, {})[guest] = None

    def _occupy(self, guest: str, host: str) -> None:
        if guest not in self._held:
            self._fill_pools(guest)
        self._held[guest] = (*self._held.get(guest, NOWHERE), host)
        self._on.setdefault(host, {})[guest] = None
        self._add_up(guest, host, +1)

    def _vacate(self, guest: str, host: str) -> None:
        self._held[guest] = tuple(h for h in self._held[guest] if h != host)
        del self._on[host][guest]
        self._add_up(guest, host, -1)

    def _leave_behind(self, guest: str, host: str) -> None:
        """Keep what stays held on the first host until the plan has ended."""
        if self.fleet.held_until_end:
            self._left_behind.add(guest)
            self._kept.setdefault(host, set()).add(guest)
            self._add_up(guest, host, +1, held_only=True)

    def _fill_pools(self, guest: str) -> None:
        """A guest's disks lie in a shared pool once, however many hosts it holds."""
        if self._pooled:
            for resource, amount in self.fleet.demand_of(guest).items():
                if resource in self._pooled:
                    self._pooled[resource] += amount

    def _empty_pools(self, guest: str) -> None:
        """Take a guest's disks off shared pools again."""
        if self._pooled:
            for resource, amount in self.fleet.demand_of(guest).items():
                if resource in self._pooled:
                    self._pooled[resource] -= amount

    def _add_up(self, guest: str, host: str, sign: int, *, held_only: bool = False) -> None:
        loads = self._loads.setdefault(host, {})
        for resource, amount in self.fleet.demand_of(guest).items():
            if not held_only or resource in self.fleet.held_until_end:
                loads[resource] = loads.get(resource, 0) + sign * amount

    def placement(self) -> dict[str, str | None]:
        """Where each guest is, or will be once its move has ended."""
        return {
            g: (self._held[g][-1] if self._held.get(g) else self._stopped.get(g))
            for g in self.fleet.guests
        }


def in_order(names: Collection[str]) -> tuple[str, ...]:
    """Return *names* in the order that people expect."""
    return tuple(sorted(names, key=natural_key))
