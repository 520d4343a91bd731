# SPDX-License-Identifier: Apache-2.0
"""Amounts that can't be had: more than hosts, pools and quotas give, however guests are put."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.model import reasons
from moorage.model.frozen import FrozenMap
from moorage.model.reasons import Reason
from moorage.model.resources import format_amounts
from moorage.problem.bounds.certificate import Cause, Certificate
from moorage.problem.bounds.facts import Facts
from moorage.problem.problem import COLLISION
from moorage.rules.capacity import Capacity
from moorage.rules.exclusive_volume import ExclusiveVolume
from moorage.rules.quota import Quota
from moorage.rules.wording import names, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

MOST_ROWS: Final = 400
"""Sets of hosts that are pooled: fleets have few, but one per guest is possible."""
MOST_NAMED: Final = 50


def sums(facts: Facts) -> Iterator[Certificate]:
    """Prove that amounts exceed what there is."""
    if facts.capacity:
        yield from _overloads(facts)
        yield from _pooled(facts)
    if facts.keeps:
        for rule in facts.problem.must:
            if isinstance(rule, Capacity):
                yield from _shared_pools(facts, rule)
            elif isinstance(rule, Quota):
                yield from _quotas(facts, rule)
            elif isinstance(rule, ExclusiveVolume):
                yield from _volumes(facts, rule)


def _overloads(facts: Facts) -> Iterator[Certificate]:
    """Hosts that are overfull by guests that can't leave, or by what is held until the end."""
    problem = facts.problem
    over = np.maximum(facts.least, 0) - problem.usable
    if not facts.keeps:
        over[:, ~problem.held] = 0
    over[facts.least <= 0] = 0
    for host, column in zip(*np.nonzero(over > 0), strict=True):
        resource, name = problem.resources[column], problem.hosts[host]
        excess = int(over[host, column])
        here = (problem.start == host) & (problem.demand[:, column] > 0)
        staying = here if problem.held[column] else here & facts.fixed
        takes, has = _amounts(facts, resource, problem.usable[host, column] + excess, excess)
        text = f"what stays on {name} takes {takes} of {resource}; {has} are usable"
        yield Certificate(
            Cause.PINS if not problem.held[column] else Cause.CAPACITY,
            reasons.no_capacity(resource),
            (facts.capacity,),
            text,
            severity=excess * problem.unit(resource),
            guests=_named(facts, staying),
            hosts=(name,),
            amounts=FrozenMap({resource: excess}),
            marks=frozenset({("least", resource, int(host))}),
        )


def _amounts(facts: Facts, resource: str, taken: int, excess: int) -> tuple[str, str]:
    taken_of_it, has = format_amounts(
        facts.problem.fleet.unit_of(resource), int(taken), int(taken - excess)
    )
    return taken_of_it, has


def _named(facts: Facts, guests: Flags) -> tuple[str, ...]:
    return tuple(facts.problem.guests[g] for g in np.flatnonzero(guests))


def _pooled(facts: Facts) -> Iterator[Certificate]:
    """Sets of hosts too small for the guests that may be nowhere else."""
    problem = facts.problem
    if not facts.keeps:
        return
    usual: Flags = ~facts.fixed & ~facts.absent
    rows, sizes = np.unique(problem.restrictions.row_of[usual], return_counts=True)
    for row in rows[np.argsort(-sizes, kind="stable")][:MOST_ROWS].tolist():
        hosts = problem.restrictions.open[row]
        inside: Flags = usual & _confined(facts, hosts)
        spare = np.maximum(problem.usable - np.maximum(facts.least, 0), 0)
        room: Ints = spare[hosts].sum(axis=0)
        wanted: Ints = problem.demand[inside].sum(axis=0)
        missing: Ints = np.asarray(wanted - room)
        for column in np.flatnonzero(missing > 0).tolist():
            if not problem.held[column]:
                yield _overfilled(facts, hosts, inside, column, int(missing[column]))


def _confined(facts: Facts, hosts: Flags) -> Flags:
    """The guests that may be on these hosts and, breaking no rule of their own, on no others."""
    restrictions, start = facts.problem.restrictions, facts.problem.start
    inside = np.asarray((~restrictions.open | hosts).all(axis=1))
    within = inside[restrictions.row_of]
    at_home = facts.has_host & ~restrictions.must_leave & ~hosts[np.maximum(start, 0)]
    return np.asarray(within & ~at_home)


def _overfilled(facts: Facts, hosts: Flags, inside: Flags, column: int, excess: int) -> Certificate:
    problem = facts.problem
    resource = problem.resources[column]
    concerned = inside & (problem.demand[:, column] > 0)
    loose = concerned & facts.may_deviate
    severity = excess * problem.unit(resource)
    if loose.any():  # each point that one of them costs elsewhere takes away what it has
        severity = min(severity, excess * COLLISION // int(problem.demand[loose, column].max()))
    wanted = int(problem.demand[concerned, column].sum())
    takes, has = _amounts(facts, resource, wanted, excess)
    text = (
        f"{plural(int(concerned.sum()), 'guest')} want {takes} of {resource}; the"
        f" {plural(int(hosts.sum()), 'host')} open to them have {has} left"
    )
    marks = ((("room", resource), int(h)) for h in np.flatnonzero(hosts))
    return Certificate(
        _cause(facts, hosts, inside, column),
        reasons.no_capacity(resource),
        (facts.capacity, *_bars(facts, concerned)),
        text,
        severity,
        guests=_named(facts, concerned),
        hosts=tuple(problem.hosts[h] for h in np.flatnonzero(hosts)[:MOST_NAMED]),
        amounts=FrozenMap({resource: excess}),
        marks=frozenset(marks) or frozenset({("room", resource)}),
        relief=frozenset(np.flatnonzero(loose).tolist()),
    )


def _cause(facts: Facts, hosts: Flags, inside: Flags, column: int) -> Cause:
    """Capacity where all hosts together have too little; else what keeps guests from the rest."""
    problem = facts.problem
    whole = np.maximum(problem.usable[:, column], 0).sum()
    if hosts.all() or problem.demand[:, column].sum() > whole:
        return Cause.CAPACITY
    closed = ~problem.restrictions.open.any(axis=0)
    return Cause.COMBINED if (hosts | closed).all() else Cause.PINS


def _bars(facts: Facts, guests: Flags) -> tuple[str, ...]:
    """The rules that keep guests like the first of these from some host."""
    problem = facts.problem
    first = problem.guests[int(np.flatnonzero(guests)[0])]
    found = [
        rule.label
        for rule in problem.must
        for bar in rule.bars(problem.fleet)
        if (bar.guests is None or first in bar.guests) and any(map(bar.bars, problem.hosts))
    ]
    return tuple(dict.fromkeys(found))


def _shared_pools(facts: Facts, rule: Capacity) -> Iterator[Certificate]:
    """Pools of all hosts, filled by guests that have a host and can't lose it."""
    fleet = facts.problem.fleet
    for pool, total in fleet.shared_pools.items():
        if not fleet.resources[pool].hard:
            continue
        users = [g for g in _settled(facts) if fleet.demand_of(g).get(pool, 0)]
        stored = [g.id for g in fleet.guests.values() if g.stopped and g.host in fleet.hosts]
        taken = sum(fleet.demand_of(g).get(pool, 0) for g in (*users, *stored))
        if taken > total:
            code = reasons.no_capacity(pool)
            yield _total(facts, rule.label, code, f"shared {pool}", pool, taken - total, users)


def _settled(facts: Facts) -> list[str]:
    return [facts.problem.guests[g] for g in np.flatnonzero(facts.must_be_somewhere)]


def _quotas(facts: Facts, rule: Quota) -> Iterator[Certificate]:
    fleet = facts.problem.fleet
    members, what = set(rule.guests_named(fleet)), f"project {rule.project}"
    placed = [g for g in _settled(facts) if g in members]
    if rule.at_most is not None and len(placed) > rule.at_most:
        excess = len(placed) - rule.at_most
        yield _total(facts, rule.label, Reason.QUOTA, what, "guests", excess, placed)
    for resource, limit in sorted(rule.limits.items()):
        taken = sum(fleet.demand_of(g).get(resource, 0) for g in placed)
        if taken > limit:
            excess = taken - limit
            yield _total(facts, rule.label, Reason.QUOTA, what, resource, excess, placed)


def _total(
    facts: Facts,
    rule: str,
    code: str,
    what: str,
    resource: str,
    excess: int,
    guests: Iterable[str],
) -> Certificate:
    text = f"{what}: the guests that run take {excess} of {resource} more than {rule} allows"
    return Certificate(
        Cause.CAPACITY,
        code,
        (rule,),
        text,
        severity=excess * facts.problem.unit(resource),
        guests=tuple(guests),
        amounts=FrozenMap({resource: excess}),
        marks=frozenset({("total", rule, resource)}),
    )


def _volumes(facts: Facts, rule: ExclusiveVolume) -> Iterator[Certificate]:
    fleet = facts.problem.fleet
    shared = {v: users for v, users in fleet.users_of_volume.items() if len(users) > 1}
    if not shared:
        return
    settled = set(_settled(facts))
    for volume, users in sorted(shared.items()):
        running = [g for g in users if g in settled]
        if fleet.volumes[volume].exclusive and len(running) > 1:
            yield Certificate(
                Cause.COMBINED,
                Reason.VOLUME_IN_USE,
                (rule.label,),
                f"{names(running)} all write to the exclusive volume {volume} and all run",
                severity=(len(running) - 1) * COLLISION,
                guests=tuple(running),
                amounts=FrozenMap({"guests": len(running) - 1}),
                marks=frozenset({("total", rule.label, volume)}),
            )
