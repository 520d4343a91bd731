# SPDX-License-Identifier: Apache-2.0
"""How a fleet is made up: placed well first, so that a good placement is known; then disturbed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from moorage.drivers.simulator.load import Profile
from moorage.drivers.simulator.state import World
from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.resources import MEMORY
from moorage.model.rule import Rule

Judge = Callable[[Host], bool]


class Site:
    """Hosts being filled with guests, one after the other, never beyond what is usable.

    Attributes:
        at: where each guest is.
        one_way: hosts that a guest could leave but not enter again; so nobody leaves them, or
            the good placement would be out of reach.
    """

    def __init__(self, hosts: Iterable[Host], one_way: Iterable[str] = ()) -> None:
        self.one_way = frozenset(one_way)
        self.hosts = {host.id: host for host in hosts}
        self.guests: dict[str, Guest] = {}
        self.profiles: dict[str, Profile] = {}
        self.at: dict[str, str] = {}
        self._taken: dict[str, dict[str, int]] = {host: {} for host in self.hosts}
        self._usable = {host.id: host.usable(MEMORY) for host in self.hosts.values()}
        in_order = sorted(self.hosts.values(), key=lambda host: host.order)
        self._rank = {host.id: rank for rank, host in enumerate(in_order)}

    def add(self, guest: Guest, profile: Profile, host: str) -> None:
        """Put a new guest on *host*."""
        self.guests[guest.id] = guest
        self.profiles[guest.id] = profile
        self._put(guest.id, host)

    def spread(self, guest: Guest, profile: Profile, allowed: Judge | None = None) -> str:
        """Put a new guest on the emptiest of the allowed hosts, and say which."""
        hosts = (h for h in self.emptiest_first() if allowed is None or allowed(self.hosts[h]))
        host = next((h for h in hosts if self.fits(guest, h)), None)
        assert host is not None, f"the fleet is drawn so that {guest.id} fits somewhere"
        self.add(guest, profile, host)
        return host

    def emptiest_first(self) -> list[str]:
        """Return all hosts, the one with the smallest part of its memory taken first."""
        return sorted(self.hosts, key=lambda h: (self.used_permille(h), self._rank[h]))

    def used_permille(self, host: str) -> int:
        """How full *host* is: its memory."""
        return self._taken[host].get(MEMORY, 0) * 1000 // self._usable[host]

    def fits(self, guest: Guest, host: str) -> bool:
        """Whether *host* has room for one more guest, devices included."""
        there, taken = self.hosts[host], self._taken[host]
        wide = there.cores is not None and guest.vcpus is not None and guest.vcpus > there.cores
        room = all(taken.get(r, 0) + a <= there.usable(r) for r, a in guest.demand.items())
        return (
            room
            and not wide
            and all(
                taken.get(f"device {d}", 0) + n <= there.devices.get(d, 0)
                for d, n in guest.devices.items()
            )
        )

    def on(self, host: str) -> list[str]:
        """The guests on *host*."""
        return [guest for guest, where in self.at.items() if where == host]

    def move(self, guest: str, host: str) -> bool:
        """Move *guest* if it fits there; say whether it did."""
        if self.at[guest] == host:
            return True
        if self.at[guest] in self.one_way or not self.fits(self.guests[guest], host):
            return False
        self._count(guest, self.at[guest], -1)
        self._put(guest, host)
        return True

    def _put(self, guest: str, host: str) -> None:
        assert self.fits(self.guests[guest], host), f"{guest} fits on {host}"
        self.at[guest] = host
        self._count(guest, host, +1)

    def _count(self, guest: str, host: str, sign: int) -> None:
        taken = self._taken[host]
        for resource, amount in self.guests[guest].demand.items():
            taken[resource] = taken.get(resource, 0) + sign * amount
        for device, number in self.guests[guest].devices.items():
            taken[f"device {device}"] = taken.get(f"device {device}", 0) + sign * number

    def heat(self, host: str, guests: Iterable[str], *, to_permille: int) -> None:
        """Move *guests* onto *host*, one after the other, until it is so full."""
        for guest in guests:
            if self.used_permille(host) >= to_permille:
                return
            self.move(guest, host)

    def drive(self, host: str, *, to_permille: int) -> None:
        """Set the guests on *host* to work: together they want so much of its cores."""
        guests = self.on(host)
        vcpus = sum(self.guests[g].vcpus or 1 for g in guests)
        each = min(950, to_permille * (self.hosts[host].cores or 1) // max(1, vcpus))
        for guest in guests:
            self.profiles[guest] = replace(self.profiles[guest], cpu=each, cpu_swing=0)

    def world(
        self,
        fleet: Fleet,
        seed: int,
        good: dict[str, str],
        rules: Iterable[Rule],
        steal_permille: dict[str, int] | None = None,
    ) -> World:
        """Return the finished world: *good* is where guests stood before they were disturbed."""
        placed = {g.id: replace(g, host=self.at[g.id]) for g in self.guests.values()}
        return World(
            fleet=fleet.changed(
                hosts=FrozenMap(self.hosts), guests=FrozenMap(placed), rules=tuple(rules)
            ),
            name=fleet.name,
            seed=seed,
            good=FrozenMap(good),
            profiles=FrozenMap(self.profiles),
            steal_permille=FrozenMap(steal_permille or {}),
        )
