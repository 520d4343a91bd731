# SPDX-License-Identifier: Apache-2.0
"""The fleet: everything that was seen at one instant. Immutable, with a version."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Guest, GuestKind, Volume
from moorage.model.hosts import Host
from moorage.model.natural import natural_key
from moorage.model.prices import NO_PRICES, Prices
from moorage.model.resources import CPU_RESOURCE, MEMORY_RESOURCE, Resource
from moorage.model.rule import Rule
from moorage.model.topology import NO_LIMITS, Link, MoveLimits

HOST_DOMAIN = "host"

STANDARD_RESOURCES: FrozenMap[str, Resource] = FrozenMap(
    {MEMORY_RESOURCE.id: MEMORY_RESOURCE, CPU_RESOURCE.id: CPU_RESOURCE}
)


@dataclass(frozen=True, slots=True)
class GoalChoice:
    """The goal that a fleet asks for, with its options as plain values."""

    name: str
    options: FrozenMap[str, Any] = EMPTY


@dataclass(frozen=True)
class Fleet:
    """A snapshot: hosts, guests, rules, and what they are measured in.

    Attributes:
        resources: every resource that a host or guest names.
        overhead: what a guest of each kind takes on top of its own demand.
        goal: what the source asks to optimise; None leaves it to the caller.
        notes: what the source said that has no meaning here (descriptions, expectations),
            kept so that it can be written back.
        source: where it was read from; not part of the content.
        warnings: what the reader had to skip or found odd; not part of the content.
    """

    hosts: FrozenMap[str, Host] = EMPTY
    guests: FrozenMap[str, Guest] = EMPTY
    rules: tuple[Rule, ...] = ()
    resources: FrozenMap[str, Resource] = STANDARD_RESOURCES
    volumes: FrozenMap[str, Volume] = EMPTY
    links: tuple[Link, ...] = ()
    limits: MoveLimits = NO_LIMITS
    overhead: FrozenMap[GuestKind, FrozenMap[str, int]] = EMPTY
    prices: Prices = NO_PRICES
    goal: GoalChoice | None = None
    name: str = ""
    notes: FrozenMap[str, Any] = EMPTY
    source: str = field(default="", compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def version(self) -> str:
        """A short hash of the whole content; the order of hosts and guests doesn't matter."""
        digest = hashlib.sha256()
        for part in self._canonical():
            digest.update(part.encode("utf-8", "surrogatepass"))
            digest.update(b"\n")
        return digest.hexdigest()[:16]

    def _canonical(self) -> list[str]:
        parts = [repr(self.hosts[h]) for h in sorted(self.hosts)]
        parts += [repr(self.guests[g]) for g in sorted(self.guests)]
        parts += [f"{type(r).__name__} {r!r}" for r in self.rules]
        rest = (self.resources, self.volumes, self.links, self.limits, self.overhead)
        parts += [repr(part) for part in (*rest, self.prices, self.goal, self.name, self.notes)]
        return parts

    @cached_property
    def held_until_end(self) -> frozenset[str]:
        """Resources that a moved guest holds on its first host until the plan has ended."""
        return frozenset(r.id for r in self.resources.values() if r.held_until_end)

    @cached_property
    def shared_pools(self) -> FrozenMap[str, int]:
        """Return {resource: room over all hosts} for pools that hosts share."""
        pools = ((r.id, r.shared_total) for r in self.resources.values())
        return FrozenMap({pool: total for pool, total in pools if total is not None})

    @cached_property
    def _demands(self) -> dict[str, FrozenMap[str, int]]:
        return {}

    def demand_of(self, guest: str) -> FrozenMap[str, int]:
        """What *guest* takes where it is: its demand and its kind's overhead.

        A stopped guest holds only its disks.
        """
        known = self._demands.get(guest)
        if known is None:
            known = self._demands[guest] = self._demand(self.guests[guest])
        return known

    def _demand(self, guest: Guest) -> FrozenMap[str, int]:
        if guest.stopped:
            disks = {r: a for r, a in guest.demand.items() if r.startswith("disk:")}
            return FrozenMap(disks)
        overhead = self.overhead.get(guest.kind, EMPTY)
        if not overhead:
            return guest.demand
        both = {*guest.demand, *overhead}
        return FrozenMap({r: guest.demand.get(r, 0) + overhead.get(r, 0) for r in both})

    @cached_property
    def _domains(self) -> dict[str, FrozenMap[str, str]]:
        return {}

    def domain_of(self, domain: str) -> FrozenMap[str, str]:
        """Return {host: value} for a domain; a host without the label is not in it."""
        known = self._domains.get(domain)
        if known is None:
            if domain == HOST_DOMAIN:
                known = FrozenMap({h: h for h in self.hosts})
            else:
                labelled = ((h.id, h.labels.get(domain)) for h in self.hosts.values())
                known = FrozenMap({h: value for h, value in labelled if value is not None})
            self._domains[domain] = known
        return known

    @cached_property
    def placement(self) -> FrozenMap[str, str | None]:
        """Where each guest is now; None for no host and for a host that is not in the fleet."""
        return FrozenMap(
            {g.id: (g.host if g.host in self.hosts else None) for g in self.guests.values()}
        )

    @cached_property
    def residents(self) -> FrozenMap[str, tuple[str, ...]]:
        """Return {host: running guests that are on it now}."""
        found: dict[str, list[str]] = {host: [] for host in self.hosts}
        for guest in self.guests.values():
            if guest.host in found and not guest.stopped:
                found[guest.host].append(guest.id)
        return FrozenMap({host: tuple(guests) for host, guests in found.items()})

    @cached_property
    def running(self) -> tuple[str, ...]:
        """Guests that want a host: all but the stopped ones."""
        return tuple(g.id for g in self.guests.values() if not g.stopped)

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """Guests whose host is not in the fleet."""
        lost = (g.id for g in self.guests.values() if g.host and g.host not in self.hosts)
        return tuple(sorted(lost, key=natural_key))

    @cached_property
    def uses_devices(self) -> bool:
        """Whether any guest needs a device."""
        return any(g.devices for g in self.guests.values())

    @cached_property
    def users_of_volume(self) -> FrozenMap[str, tuple[str, ...]]:
        """Return {volume: guests that attach it}."""
        users: dict[str, list[str]] = {}
        for guest in self.guests.values():
            for volume in guest.volumes:
                users.setdefault(volume, []).append(guest.id)
        return FrozenMap({v: tuple(gs) for v, gs in users.items()})

    @cached_property
    def guests_of_project(self) -> FrozenMap[str, tuple[str, ...]]:
        """Return {project: its guests}."""
        members: dict[str, list[str]] = {}
        for guest in self.guests.values():
            if guest.project is not None:
                members.setdefault(guest.project, []).append(guest.id)
        return FrozenMap({project: tuple(guests) for project, guests in members.items()})

    @cached_property
    def _members(self) -> dict[str, FrozenMap[str, tuple[str, ...]]]:
        return {}

    def hosts_in(self, domain: str) -> FrozenMap[str, tuple[str, ...]]:
        """Return {value: hosts that have it} for a domain."""
        known = self._members.get(domain)
        if known is None:
            found: dict[str, list[str]] = {}
            for host, value in self.domain_of(domain).items():
                found.setdefault(value, []).append(host)
            known = FrozenMap({value: tuple(hosts) for value, hosts in found.items()})
            self._members[domain] = known
        return known

    def unit_of(self, resource: str) -> str:
        """Return the unit of *resource*."""
        known = self.resources.get(resource)
        return known.unit if known else "units"

    def changed(self, **fields: Any) -> Fleet:
        """Return a new fleet with *fields* in place of its own."""
        return replace(self, **fields)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}
