# SPDX-License-Identifier: Apache-2.0
"""Where rules alone, without capacities, let a guest be at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from moorage.model.fleet import Fleet
from moorage.model.rule import Rule
from moorage.rules.ban import Ban
from moorage.rules.drain import Drain
from moorage.rules.gate import Closed
from moorage.rules.health import HealthGate
from moorage.rules.in_service import InService
from moorage.rules.locked import Locked
from moorage.rules.maintenance import Maintenance
from moorage.rules.pin import Pin
from moorage.rules.quarantine import Quarantine
from moorage.rules.stay import Stay
from moorage.rules.volume_locality import VolumeLocality

Gate = Maintenance | Drain | InService | HealthGate


@dataclass(slots=True)
class Limits:
    """The sets of hosts that rules leave to one guest, each with the rule's name."""

    only: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    never: list[tuple[str, frozenset[str]]] = field(default_factory=list)

    def hosts(self, all_hosts: Iterable[str]) -> set[str]:
        """The hosts that remain of *all_hosts*."""
        only = sorted((hosts for _, hosts in self.only), key=len)
        left = set(only[0] if only else all_hosts).intersection(*only[1:])
        for _, hosts in self.never:
            left -= hosts
        return left

    def names(self) -> list[str]:
        """The rules that had a say."""
        return [name for name, _ in (*self.only, *self.never)]


class Allowed:
    """Hosts that each guest may be on: by pins, bans, locks, volumes, and closed hosts."""

    def __init__(self, fleet: Fleet, rules: Iterable[Rule]) -> None:
        self.fleet = fleet
        self.limits: dict[str, Limits] = {}
        self.closed: dict[str, list[tuple[str, Closed]]] = {}
        for rule in rules:
            if rule.is_must:
                self._take_in(rule)

    def _take_in(self, rule: Rule) -> None:
        if isinstance(rule, Maintenance | Drain | InService | HealthGate):
            self._close(rule)
            return
        for guest, hosts in self._only(rule):
            self._of(guest).only.append((rule.label, frozenset(hosts)))
        if isinstance(rule, Ban):
            for guest in rule.guests:
                self._of(guest).never.append((rule.label, frozenset(rule.hosts)))

    def _of(self, guest: str) -> Limits:
        return self.limits.setdefault(guest, Limits())

    def _close(self, rule: Gate) -> None:
        for host in self.fleet.hosts.values():
            gate = rule.gate_of(host)
            if gate is not None:
                self.closed.setdefault(host.id, []).append((rule.label, gate))

    def _only(self, rule: Rule) -> Iterator[tuple[str, Iterable[str]]]:
        """The guests that *rule* holds to a set of hosts."""
        guests, placement = self.fleet.guests, self.fleet.placement
        if isinstance(rule, Pin):
            yield from ((guest, rule.hosts) for guest in rule.guests)
        elif isinstance(rule, Stay | Locked):
            still = ((g, placement[g]) for g in rule.guests_named(self.fleet))
            yield from ((g, (h,)) for g, h in still if h is not None and not guests[g].stopped)
        elif isinstance(rule, Quarantine):
            yield from ((g, (h,)) for h in rule.hosts for g in self.fleet.residents[h])
        elif isinstance(rule, VolumeLocality):
            for guest in rule.guests_named(self.fleet):
                homes = (self.fleet.volumes[v].home for v in guests[guest].volumes)
                yield from ((guest, (home,)) for home in homes if home is not None)

    def is_open(self, host: str, guest: str) -> bool:
        """Whether *host* may hold *guest* at the end, as far as gates go."""
        for _, gate in self.closed.get(host, ()):
            if gate.must_leave or self.fleet.placement[guest] != host:
                return False
        return True

    def by_rules(self, guest: str) -> set[str]:
        """The hosts that pins, bans and the like leave to *guest*, closed ones among them."""
        limits = self.limits.get(guest)
        return set(self.fleet.hosts) if limits is None else limits.hosts(self.fleet.hosts)

    def hosts(self, guest: str) -> set[str]:
        """The hosts where *guest* may be at the end."""
        return {host for host in self.by_rules(guest) if self.is_open(host, guest)}

    def rules_on(self, guest: str) -> list[str]:
        """The names of the rules that say where *guest* may be."""
        limits = self.limits.get(guest)
        return [] if limits is None else limits.names()

    def gates_on(self, hosts: Iterable[str]) -> list[str]:
        """The names of the rules that close *hosts*."""
        return [name for host in hosts for name, _ in self.closed.get(host, ())]
