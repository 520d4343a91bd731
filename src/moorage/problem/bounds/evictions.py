# SPDX-License-Identifier: Apache-2.0
"""Which guests have to move if repairs are made: why, and what that costs at least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.bounds.facts import Facts
from moorage.problem.problem import COLLISION
from moorage.rules.apart import Apart
from moorage.rules.devices import Devices
from moorage.rules.group_capacity import GroupCapacity
from moorage.rules.guest_count import GuestCount
from moorage.rules.together import Together

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Need:
    """Guests of whom some have to move, or a must-rule stays broken.

    Attributes:
        weights: what each guest contributes by moving, by index.
        least: how much those who move have to contribute together.
        severity: what remains among repairs at least if they don't.
        host: the one host on which all of them are; -1 for none.
    """

    weights: Mapping[int, int]
    least: int
    severity: int
    host: int = -1


def needs(facts: Facts) -> Iterator[Need]:
    """Name every need to move that stands now; none if guests could just lose their host."""
    if not facts.keeps:
        return
    yield from _leaving(facts)
    if facts.capacity:
        yield from _overloaded(facts)
    members = _residents(facts)
    for rule in facts.problem.must:
        if isinstance(rule, Devices):
            yield from _devices(facts, members)
        elif isinstance(rule, GuestCount):
            groups = [(h,) for h in rule.hosts] if rule.each else [rule.hosts]
            yield from (n for g in groups for n in _counted(facts, members, g, rule.at_most))
        elif isinstance(rule, GroupCapacity):
            yield from _together_over(facts, members, rule)
        elif isinstance(rule, Apart) and rule.most is not None:
            yield from _crowded(facts, rule, rule.most)
        elif isinstance(rule, Together):
            yield from _scattered(facts, rule)


def _leaving(facts: Facts) -> Iterator[Need]:
    """Each guest that may not be where it is and has another host to go to."""
    leaving = facts.problem.restrictions.must_leave & facts.has_host & ~facts.fixed
    for guest in np.flatnonzero(leaving).tolist():
        yield Need({guest: 1}, 1, COLLISION, int(facts.problem.start[guest]))


def _overloaded(facts: Facts) -> Iterator[Need]:
    """Hosts that take more of a resource than they have: beyond what stays there in any case."""
    problem = facts.problem
    limit = np.maximum(problem.usable, facts.least)
    over = facts.start_load - limit
    over[:, problem.held] = 0
    hosts, columns = np.nonzero(over > 0)
    residents = {host: np.flatnonzero(problem.start == host) for host in set(hosts.tolist())}
    for host, column in zip(hosts.tolist(), columns.tolist(), strict=True):
        here = residents[host][~facts.fixed[residents[host]]].tolist()
        weights = {g: w for g in here if (w := int(problem.demand[g, column]))}
        unit = problem.unit(problem.resources[column])
        yield Need(weights, int(over[host, column]), unit, host)


def _residents(facts: Facts) -> dict[str, list[int]]:
    """Return {host: guests on it now, by index}."""
    found: dict[str, list[int]] = {}
    hosts = facts.problem.hosts
    for guest, host in enumerate(facts.problem.start.tolist()):
        if host >= 0:
            found.setdefault(hosts[host], []).append(guest)
    return found


def _need(
    facts: Facts, amounts: Mapping[int, int], limit: int, severity: int, hosts: Sequence[str]
) -> Iterator[Need]:
    """A need if *amounts* exceed *limit*, by more than those who can't move."""
    fixed = sum(amount for g, amount in amounts.items() if facts.fixed[g])
    excess = sum(amounts.values()) - max(limit, fixed)
    if excess > 0:
        weights = {g: a for g, a in amounts.items() if a and not facts.fixed[g]}
        host = facts.problem.host_index[hosts[0]] if len(hosts) == 1 else -1
        yield Need(weights, excess, severity, host)


def _devices(facts: Facts, residents: Mapping[str, list[int]]) -> Iterator[Need]:
    fleet, names = facts.problem.fleet, facts.problem.guests
    if not fleet.uses_devices:
        return
    for host, here in residents.items():
        wanted = {g: fleet.guests[names[g]].devices for g in here}
        for device in sorted({d for each in wanted.values() for d in each}):
            amounts = {g: each.get(device, 0) for g, each in wanted.items()}
            has, unit = fleet.hosts[host].devices.get(device, 0), f"device:{device}"
            yield from _need(facts, amounts, has, facts.problem.unit(unit), [host])


def _counted(
    facts: Facts, residents: Mapping[str, list[int]], hosts: Sequence[str], limit: int
) -> Iterator[Need]:
    amounts = {g: 1 for h in hosts for g in residents.get(h, ())}
    yield from _need(facts, amounts, limit, facts.problem.unit("guests"), hosts)


def _together_over(
    facts: Facts, residents: Mapping[str, list[int]], rule: GroupCapacity
) -> Iterator[Need]:
    """A limit for hosts together: guests have to leave all of them."""
    problem, fleet = facts.problem, facts.problem.fleet
    if rule.resource in fleet.held_until_end:
        return
    here = [g for h in dict.fromkeys(rule.hosts) for g in residents.get(h, ())]
    amounts = {g: fleet.demand_of(problem.guests[g]).get(rule.resource, 0) for g in here}
    severity = problem.unit(rule.resource)
    yield from _need(facts, amounts, rule.at_most, severity, tuple(dict.fromkeys(rule.hosts)))


def _placed_members(facts: Facts, names: Iterable[str]) -> list[int]:
    index, start = facts.problem.guest_index, facts.problem.start
    return [i for g in names if (i := index.get(g)) is not None and start[i] >= 0]


def _crowded(facts: Facts, rule: Apart, most: int) -> Iterator[Need]:
    value_of, hosts = facts.problem.fleet.domain_of(rule.domain), facts.problem.hosts
    found: dict[str | None, list[int]] = {}
    for guest in _placed_members(facts, rule.guests):
        found.setdefault(value_of.get(hosts[facts.problem.start[guest]]), []).append(guest)
    for value, guests in found.items():
        limit = 0 if value is None else most
        if len(guests) > limit:
            there = {hosts[facts.problem.start[g]] for g in guests}
            yield from _need(facts, dict.fromkeys(guests, 1), limit, COLLISION, sorted(there))


def _scattered(facts: Facts, rule: Together) -> Iterator[Need]:
    """All who aren't in the place where most of the group are have to come there, or all."""
    value_of, hosts = facts.problem.fleet.domain_of(rule.domain), facts.problem.hosts
    members = _placed_members(facts, rule.guests)
    inside: dict[str, int] = {}
    for guest in members:
        host = hosts[facts.problem.start[guest]]
        parts = [str(i) for i, part in enumerate(rule.parts) if host in part]
        for value in parts if rule.parts else [value_of.get(host)]:
            if value is not None:
                inside[value] = inside.get(value, 0) + 1
    missing = len(members) - max(inside.values(), default=0)
    if missing > 0 and not any(facts.fixed[g] for g in members):
        yield Need(dict.fromkeys(members, 1), missing, COLLISION)
