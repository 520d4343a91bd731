# SPDX-License-Identifier: Apache-2.0
"""What is so at one instant: who holds which hosts, and what that adds up to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from moorage.model.fleet import Fleet
from moorage.model.guests import Guest

Placement = Mapping[str, str | None]


@dataclass(frozen=True)
class Trouble:
    """One place where an invariant doesn't hold.

    Attributes:
        place: a host or a domain value, where the sentence speaks of one.
        guests: whom it is about.
        amount: for sums, how much too much; for others how many collide.
        resource: what there is too much of, for sums.
        vague: the sentence says that it is broken, but not how badly.
    """

    place: str
    guests: frozenset[str]
    amount: int
    resource: str = ""
    vague: bool = False


@dataclass(frozen=True)
class Instant:
    """The state of a fleet, from first principles; every sum is made anew when it is asked for.

    Attributes:
        held: {running guest: hosts that it holds}, the host where it runs first.
        moved_onto: {guest: hosts that it was moved onto so far}.
    """

    fleet: Fleet
    held: Mapping[str, tuple[str, ...]]
    moved_onto: Mapping[str, frozenset[str]] = field(default_factory=dict)
    at_end: bool = True

    def start(self, guest: str) -> str | None:
        host = self.fleet.guests[guest].host
        return host if host in self.fleet.hosts else None

    def hosts(self, guest: str) -> tuple[str, ...]:
        return self.held.get(guest, ())

    def runs_on(self, guest: str) -> str | None:
        return self.hosts(guest)[0] if self.hosts(guest) else None

    def entered(self, guest: str, host: str) -> bool:
        return host in self.moved_onto.get(guest, frozenset())

    def placed(self) -> list[str]:
        """The guests that hold at least one host."""
        return [g for g in self.fleet.guests if self.hosts(g)]

    def holders(self, host: str) -> frozenset[str]:
        """The running guests that hold a host."""
        return frozenset(g for g in self.fleet.guests if host in self.hosts(g))

    def value(self, domain: str, host: str) -> str | None:
        """The host's value in a domain; None where it has none."""
        return host if domain == "host" else self.fleet.hosts[host].labels.get(domain)

    def values(self, domain: str) -> list[str]:
        """All values that a domain has in this fleet."""
        found = {self.value(domain, host) for host in self.fleet.hosts}
        return sorted(value for value in found if value is not None)

    def values_held(self, guest: str, domain: str) -> frozenset[str]:
        """The values of the domain in which a guest holds a host."""
        found = {self.value(domain, host) for host in self.hosts(guest)}
        return frozenset(value for value in found if value is not None)

    def taken(self, host: str, resource: str) -> int:
        """How much of a resource is held on a host."""
        return sum(amount for _, amount in self.shares(host, resource))

    def shares(self, host: str, resource: str) -> Iterator[tuple[str, int]]:
        """Who holds how much of a resource on a host."""
        for guest in self.fleet.guests.values():
            if self._has_a_share(guest, host, resource):
                yield guest.id, demand(self.fleet, guest, resource)

    def _has_a_share(self, guest: Guest, host: str, resource: str) -> bool:
        if guest.stopped:
            return self.start(guest.id) == host
        if host in self.hosts(guest.id):
            return True
        # A guest that moved holds some resources on its first host until the plan has ended.
        return self.start(guest.id) == host and self.fleet.resources[resource].held_until_end


def demand(fleet: Fleet, guest: Guest, resource: str) -> int:
    """What a guest takes: its demand and what its kind takes on top; stopped, only its disks."""
    own = guest.demand.get(resource, 0)
    if guest.stopped:
        return own if resource.startswith("disk:") else 0
    on_top = fleet.overhead.get(guest.kind)
    return own if on_top is None else own + on_top.get(resource, 0)


def usable(fleet: Fleet, host: str, resource: str) -> int:
    """(capacity - reserve) x overcommit, in whole units, never below zero."""
    values = fleet.hosts[host]
    rest = values.capacity.get(resource, 0) - values.reserve.get(resource, 0)
    return max(0, rest * values.overcommit_permille.get(resource, 1000) // 1000)


def end_of(fleet: Fleet, placement: Placement) -> Instant:
    """The final state in which each guest is where a placement says, or has no host."""
    held: dict[str, tuple[str, ...]] = {}
    moved: dict[str, frozenset[str]] = {}
    for guest in fleet.guests.values():
        host = placement.get(guest.id)
        if guest.stopped or host is None or host not in fleet.hosts:
            continue
        held[guest.id] = (host,)
        if host != guest.host:
            moved[guest.id] = frozenset({host})
    return Instant(fleet, held, moved)


def start_of(fleet: Fleet) -> Instant:
    """The state before anything moves, judged as if it were the final one."""
    return end_of(fleet, {guest.id: guest.host for guest in fleet.guests.values()})
