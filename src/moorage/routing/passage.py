# SPDX-License-Identifier: Apache-2.0
"""A fleet on its way: who holds room where, and what may start to move now.

Rules are asked themselves, through the same view that the verifier looks at; capacity, which every
attempt needs, is looked up in sums first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from moorage.model.fleet import Fleet
from moorage.model.natural import natural_key
from moorage.model.resources import MEMORY
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View
from moorage.rules.capacity import Capacity


@dataclass(frozen=True, eq=False)
class Law:
    """The must-rules that hold at every instant, and what of them stood broken at the start."""

    fleet: Fleet
    always: tuple[Rule, ...]
    standing: Mapping[tuple[str, str, str, str], Breach]

    @cached_property
    def named(self) -> Mapping[str, tuple[Rule, ...]]:
        """Rules by the guests that they name."""
        found: dict[str, list[Rule]] = {}
        for rule in self.always:
            for guest in rule.guests_named(self.fleet) or ():
                found.setdefault(guest, []).append(rule)
        return {guest: tuple(rules) for guest, rules in found.items()}

    @cached_property
    def general(self) -> tuple[Rule, ...]:
        """Rules about any guest, but for capacity."""
        return tuple(
            rule
            for rule in self.always
            if rule.guests_named(self.fleet) is None and not isinstance(rule, Capacity)
        )

    @cached_property
    def has_capacity(self) -> bool:
        """Whether hosts are bound to what they have."""
        return any(isinstance(rule, Capacity) for rule in self.always)

    @cached_property
    def hard(self) -> frozenset[str]:
        """Resources of hosts that nobody may take too much of."""
        return frozenset(r.id for r in self.fleet.resources.values() if r.hard)

    @cached_property
    def counted(self) -> frozenset[str]:
        """The hard resources that single hosts have; shared pools are on no host."""
        return self.hard - set(self.fleet.shared_pools) if self.has_capacity else frozenset()

    def demand(self, guests: Sequence[str]) -> Mapping[str, int]:
        """What *guests* take together of what is counted."""
        found: dict[str, int] = {}
        for guest in guests:
            for resource, amount in self.fleet.demand_of(guest).items():
                if amount and resource in self.counted:
                    found[resource] = found.get(resource, 0) + amount
        return found

    def is_old(self, breach: Breach) -> bool:
        """Whether *breach* stood at the start and is no worse."""
        return breach.is_no_worse_than(self.standing.get(breach.key))


@dataclass(eq=False)
class Passage:
    """The fleet at one instant of a plan."""

    law: Law
    view: View = field(init=False)
    _most: dict[tuple[str, str], int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        fleet = self.law.fleet
        self.view = View(fleet, fleet.placement, at_end=False)
        if self.law.has_capacity:
            for host in fleet.hosts.values():
                for resource in self.view.loaded(host.id):
                    if resource in self.law.hard:
                        most = max(host.usable(resource), self.view.load(host.id, resource))
                        self._most[host.id, resource] = most

    @property
    def fleet(self) -> Fleet:
        """The fleet from which everything starts."""
        return self.law.fleet

    def most(self, host: str, resource: str) -> int:
        """How much of a hard resource guests may hold on a host: what it has, or had at first."""
        known = self._most.get((host, resource))
        if known is None:
            known = self.fleet.hosts[host].usable(resource)
            self._most[host, resource] = known
        return known

    def roomiest(self) -> list[str]:
        """Hosts by how much of their memory is left, most first."""
        left = {h: self.most(h, MEMORY) - self.view.load(h, MEMORY) for h in self.fleet.hosts}
        return sorted(left, key=lambda host: (-left[host], natural_key(host)))

    def has_room(self, guests: Sequence[str], host: str) -> bool:
        """Whether *guests*, of whom none holds *host*, fit there together."""
        if not self.law.has_capacity:
            return True
        if len(guests) == 1:
            wanted: Mapping[str, int] = self._comes(guests[0], host)
        else:
            sums: dict[str, int] = {}
            for guest in guests:
                for resource, amount in self._comes(guest, host).items():
                    sums[resource] = sums.get(resource, 0) + amount
            wanted = sums
        return all(
            self._has(host, resource, amount)
            for resource, amount in wanted.items()
            if amount > 0 and resource in self.law.hard
        ) and self._fits_pools(guests)

    def _has(self, host: str, resource: str, amount: int) -> bool:
        if resource in self.fleet.shared_pools:
            return True
        return self.view.load(host, resource) + amount <= self.most(host, resource)

    def _fits_pools(self, guests: Sequence[str]) -> bool:
        """Whether shared pools have room for the disks of those that lie in none yet."""
        pools = self.fleet.shared_pools
        new = [g for g in guests if pools and not self.view.hosts_of(g)]
        for pool, total in pools.items() if new else ():
            more = sum(self.fleet.demand_of(g).get(pool, 0) for g in new)
            if more and pool in self.law.hard and self.view.pooled(pool) + more > total:
                return False
        return True

    def _comes(self, guest: str, host: str) -> Mapping[str, int]:
        """What *guest* would take on *host* beside what it still holds there."""
        demand = self.fleet.demand_of(guest)
        kept = self.view.share(guest, host)
        if not kept:
            return demand
        return {r: a - kept.get(r, 0) for r, a in demand.items()}

    def admits(self, guests: Sequence[str], host: str) -> bool:
        """Whether *guests* may start to move to *host* now, as far as rules and room go."""
        return self.has_room(guests, host) and self.rules_admit(guests, host)

    def rules_admit(self, guests: Sequence[str], host: str) -> bool:
        """Whether rules, but for capacity, let *guests* start to move to *host* now."""
        rules = dict.fromkeys(
            (*self.law.general, *(r for g in guests for r in self.law.named.get(g, ())))
        )
        if not rules:
            return True
        entered = [host in self.view.entered(guest) for guest in guests]
        for guest in guests:
            self.view.begin_move(guest, host)
        allowed = not self._is_broken(rules, guests)
        for guest, had_entered in zip(reversed(guests), reversed(entered), strict=True):
            self.view.call_off(guest, host, had_entered=had_entered)
        return allowed

    def _is_broken(self, rules: Collection[Rule], guests: Sequence[str]) -> bool:
        hosts = frozenset(h for g in guests for h in self.view.hosts_of(g))
        focus = Focus(hosts, frozenset(guests))
        return any(
            not self.law.is_old(breach) for rule in rules for breach in rule.check(self.view, focus)
        )

    def begin(self, guests: Sequence[str], host: str) -> None:
        """*guests* start to move to *host*."""
        for guest in guests:
            self.view.begin_move(guest, host)

    def end(self, guests: Sequence[str], source: str | None, host: str) -> None:
        """*guests* have arrived on *host*, and let go of *source*."""
        for guest in guests:
            self.view.end_move(guest, source, host)

    def put(self, guests: Sequence[str], host: str | None) -> None:
        """Put *guests* on *host* at once; None is where they started."""
        for guest in guests:
            self.view.put(guest, self.view.start(guest) if host is None else host)
