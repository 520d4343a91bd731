# SPDX-License-Identifier: Apache-2.0
"""What rules say to the local search, gathered row by row in plain form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from moorage.model.fleet import Fleet
from moorage.model.rule import Rule
from moorage.problem.magnitudes import refuse_dear
from moorage.problem.problem import COLLISION, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

UNLIMITED = 2**60


class Kind(IntEnum):
    """What a group rule asks for."""

    SPREAD = 0
    GATHER = 1
    NEAR = 2
    SPLIT = 3
    CROWD = 4
    SECLUDE = 5


@dataclass(eq=False)
class Column:
    """A sum on every host that is limited there."""

    amounts: Ints
    held: bool
    base: Ints
    limit: Ints
    must: bool
    unit: int


@dataclass(eq=False)
class Zone:
    """A sum over several hosts; `used` counts hosts that hold guests instead of amounts."""

    inside: Flags
    amounts: Ints
    held: bool
    base: int
    limit: int
    must: bool
    unit: int
    used: bool = False
    placed: bool = False


@dataclass(eq=False)
class GroupRule:
    """A rule over sets of guests: *sets* are numbers of sets, by their part in it."""

    kind: Kind
    must: bool
    unit: int
    sets: tuple[int, ...]
    most: int = UNLIMITED
    skew: int = UNLIMITED
    least: int = 0
    parts: Flags | None = None


@dataclass(eq=False)
class Rows:
    """The protocol `Tables`: what each rule says becomes a row."""

    problem: Problem
    columns: list[Column] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    rules: list[GroupRule] = field(default_factory=list)
    sets: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    domains: list[str] = field(default_factory=lambda: ["host"])
    asked: list[Rule] = field(default_factory=list)
    adrift_severity: int = 0
    adrift_cost: int = 0
    _known_sets: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)
    _counted: dict[int, Column] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem) -> Rows:
        """Ask all rules of *problem*."""
        rows = cls(problem)
        for rule in problem.rules:
            if rule.is_must or rule.weight:
                rule.arrays(rows)
        return rows

    @property
    def fleet(self) -> Fleet:
        """The fleet as it is now."""
        return self.problem.fleet

    def limit_hosts(self, rule: Rule, resource: str) -> None:
        """Limit what guests take of *resource* on each host."""
        problem = self.problem
        usable = [problem.fleet.hosts[h].usable(resource) for h in problem.hosts]
        limit = np.array([min(amount, UNLIMITED) for amount in usable], dtype=np.int64)
        held, unit = resource in self.fleet.held_until_end, self._unit(rule, resource)
        taken, stored = self._taken(resource), self._stored(resource)
        refuse_dear(rule, int(taken.sum() + stored.sum()), unit)
        self.columns.append(Column(taken, held, stored, limit, rule.is_must, unit))

    def limit_devices(self, rule: Rule, device: str) -> None:
        """Limit the devices of a kind that guests need on each host."""
        problem, guests = self.problem, self.fleet.guests
        needed = [guests[g].devices.get(device, 0) for g in problem.guests]
        has = [self.fleet.hosts[h].devices.get(device, 0) for h in problem.hosts]
        nothing = np.zeros(len(problem.hosts), dtype=np.int64)
        unit = self._unit(rule, f"device:{device}")
        amounts, limit = np.array(needed, dtype=np.int64), np.array(has, dtype=np.int64)
        self.columns.append(Column(amounts, False, nothing, limit, rule.is_must, unit))

    def limit_sum(
        self, rule: Rule, where: str, hosts: Collection[str], resource: str, at_most: int
    ) -> None:
        """Limit what is taken of *resource* on several hosts together."""
        inside = self._inside(hosts)
        base = int(self._stored(resource)[inside].sum())
        held = resource in self.fleet.held_until_end
        amounts, unit = self._taken(resource), self._unit(rule, resource)
        refuse_dear(rule, int(amounts.sum()) + base, unit)
        self.zones.append(Zone(inside, amounts, held, base, at_most, rule.is_must, unit))

    def limit_count(self, rule: Rule, where: str, hosts: Collection[str], at_most: int) -> None:
        """Limit how many guests are on *hosts*: on one host as a column, cheap to follow."""
        inside, unit = self._inside(hosts), self._unit(rule, "guests")
        ones = np.ones(len(self.problem.guests), dtype=np.int64)
        if inside.sum() != 1:
            self.zones.append(Zone(inside, ones, False, 0, at_most, rule.is_must, unit))
            return
        column = self._counted.get(id(rule))
        if column is None or (column.limit[inside] < UNLIMITED).any():
            nothing = np.zeros(len(inside), dtype=np.int64)
            column = Column(ones, False, nothing, nothing + UNLIMITED, rule.is_must, unit)
            self._counted[id(rule)] = column
            self.columns.append(column)
        column.limit[inside] = at_most

    def limit_placed(
        self, rule: Rule, where: str, weights: Mapping[str, int], at_most: int, resource: str
    ) -> None:
        """Limit what those guests weigh that have a host."""
        if not resource:
            number = self._set(list(weights), "host")
            self._rule(rule, Kind.CROWD, (number,), most=at_most)
            return
        amounts = np.zeros(len(self.problem.guests), dtype=np.int64)
        for guest, weight in weights.items():
            if guest in self.problem.guest_index:
                amounts[self.problem.guest_index[guest]] = weight
        everywhere = np.ones(len(self.problem.hosts), dtype=np.bool_)
        unit = self._unit(rule, resource)
        refuse_dear(rule, int(amounts.sum()), unit)
        self.zones.append(
            Zone(everywhere, amounts, False, 0, at_most, rule.is_must, unit, placed=True)
        )

    def limit_used(self, rule: Rule, hosts: Collection[str], at_most: int) -> None:
        """Limit how many of *hosts* hold guests."""
        nothing = np.zeros(len(self.problem.guests), dtype=np.int64)
        unit = self._unit(rule, "hosts")
        self.zones.append(
            Zone(self._inside(hosts), nothing, False, 0, at_most, rule.is_must, unit, used=True)
        )

    def spread(
        self,
        rule: Rule,
        guests: Sequence[str],
        domain: str,
        *,
        at_most: int | None,
        max_skew: int | None,
        min_domains: int | None,
    ) -> None:
        """Keep guests apart in a domain."""
        self._rule(
            rule,
            Kind.SPREAD,
            (self._set(guests, domain),),
            most=UNLIMITED if at_most is None else at_most,
            skew=UNLIMITED if max_skew is None else max_skew,
            least=min_domains or 0,
        )

    def gather(
        self, rule: Rule, guests: Sequence[str], domain: str, parts: Sequence[Collection[str]]
    ) -> None:
        """Keep guests in one value of a domain, or in one of the parts."""
        masks = np.array([self._inside(part) for part in parts]) if parts else None
        number = self._set(guests, "host" if parts else domain)
        self._rule(rule, Kind.GATHER, (number,), parts=masks)

    def accompany(self, rule: Rule, guests: Sequence[str], to: Sequence[str], domain: str) -> None:
        """Keep each guest where some guest of *to* is."""
        sets = (self._set(guests, domain), self._set(to, domain))
        self._rule(rule, Kind.NEAR, sets)

    def seclude(self, rule: Rule, guests: Sequence[str], domain: str) -> None:
        """Keep outsiders from where *guests* are."""
        self._rule(rule, Kind.SECLUDE, (self._set(guests, domain),))

    def separate(self, rule: Rule, groups: Sequence[Sequence[str]], domain: str) -> None:
        """Keep guests of different groups from meeting."""
        self._rule(rule, Kind.SPLIT, tuple(self._set(group, domain) for group in groups))

    def place_all(self, rule: Rule) -> None:
        """Count guests that have no host."""
        if rule.is_must:
            self.adrift_severity += COLLISION
        else:
            self.adrift_cost += rule.weight

    def ask(self, rule: Rule) -> None:
        """Remember to ask the rule's own check."""
        self.asked.append(rule)

    def _rule(self, rule: Rule, kind: Kind, sets: tuple[int, ...], **limits: object) -> None:
        if not sets:
            return
        unit = COLLISION if rule.is_must else rule.weight
        members = sum(len(self.sets[number][1]) for number in sets)
        refuse_dear(rule, max(members**2, len(self.problem.guests)), unit)
        self.rules.append(GroupRule(kind, rule.is_must, unit, sets, **limits))  # type: ignore[arg-type]

    def _unit(self, rule: Rule, resource: str) -> int:
        return self.problem.unit(resource) if rule.is_must else rule.weight

    def _set(self, guests: Collection[str], domain: str) -> int:
        """The number of a set of guests that is counted by values of *domain*."""
        if domain not in self.domains:
            self.domains.append(domain)
        index = self.problem.guest_index
        members = tuple(sorted({index[g] for g in guests if g in index}))
        key = (self.domains.index(domain), members)
        number = self._known_sets.setdefault(key, len(self.sets))
        if number == len(self.sets):
            self.sets.append(key)
        return number

    def _inside(self, hosts: Collection[str]) -> Flags:
        inside = np.zeros(len(self.problem.hosts), dtype=np.bool_)
        inside[[self.problem.host_index[h] for h in hosts if h in self.problem.host_index]] = True
        return inside

    def _taken(self, resource: str) -> Ints:
        problem = self.problem
        if resource in problem.resources:
            return np.ascontiguousarray(problem.demand[:, problem.resources.index(resource)])
        taken = (self.fleet.demand_of(g).get(resource, 0) for g in problem.guests)
        return np.fromiter(taken, dtype=np.int64, count=len(problem.guests))

    def _stored(self, resource: str) -> Ints:
        """What stopped guests take of *resource* on each host."""
        stored = np.zeros(len(self.problem.hosts), dtype=np.int64)
        for guest in self.fleet.guests.values():
            if guest.stopped and guest.host in self.problem.host_index:
                taken = self.fleet.demand_of(guest.id).get(resource, 0)
                stored[self.problem.host_index[guest.host]] += taken
        return stored
