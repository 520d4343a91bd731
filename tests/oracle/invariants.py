# SPDX-License-Identifier: Apache-2.0
"""The invariant sentence of each rule, evaluated literally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from typing import Any

from moorage.model.fleet import Fleet
from moorage.model.hosts import Health, Host, HostState
from moorage.model.rule import Rule, Strength, When
from tests.oracle.instants import Instant, Trouble, demand, usable

Invariant = Callable[[Any, Instant], Iterator[Trouble]]

INVARIANTS: dict[str, Invariant] = {}


def troubles(rule: Rule, now: Instant) -> list[Trouble]:
    """Everything that a rule's sentence finds wrong at an instant; nothing where it holds."""
    return list(INVARIANTS[rule.kind](rule, now))


def holds_on_the_way(rule: Rule) -> bool:
    """Whether a rule binds at every instant of a plan, and not at its end alone."""
    if rule.strength is not Strength.MUST:
        return False
    if rule.when is not None:
        return rule.when is When.ALWAYS
    enforced = rule.always_where_enforced and rule.origin in {"pve", "nova"}
    return enforced or rule.usual_when is When.ALWAYS


def _of(kind: str) -> Callable[[Invariant], Invariant]:
    def register(invariant: Invariant) -> Invariant:
        INVARIANTS[kind] = invariant
        return invariant

    return register


def _sum_over(place: str, resource: str, guests: Iterable[str], excess: int) -> Iterator[Trouble]:
    if excess > 0:
        yield Trouble(place, frozenset(guests), excess, resource)


# --- groups of guests --------------------------------------------------------------------------


@_of("apart")
def _apart(rule: Any, now: Instant) -> Iterator[Trouble]:
    """In every value of the domain at most at_most of the guests hold room, the values differ.

    by at most max_skew running guests, the placed guests run in at least min_domains different
    values (or in as many as there are placed guests), and none holds a host without a value.
    """
    group = [g for g in rule.guests if now.hosts(g)]
    yield from _crowds(rule, now, group)
    yield from _spread(rule, now, group)
    yield from _homeless(now, rule.domain, group)


def _homeless(now: Instant, domain: str, group: Iterable[str]) -> Iterator[Trouble]:
    """Guests of a group hold hosts without a value."""
    homeless = _without_value(now, domain, group)
    if homeless:
        yield Trouble("", homeless, len(homeless))


def _crowds(rule: Any, now: Instant, group: list[str]) -> Iterator[Trouble]:
    """At most at_most hold room in a value; at most one if nothing else is asked."""
    at_most = rule.at_most
    if at_most is None and rule.max_skew is None and rule.min_domains is None:
        at_most = 1
    for value in now.values(rule.domain):
        sharing = frozenset(g for g in group if value in now.values_held(g, rule.domain))
        if at_most is not None and len(sharing) > at_most:
            yield Trouble(value, sharing, len(sharing) - at_most)


def _spread(rule: Any, now: Instant, group: list[str]) -> Iterator[Trouble]:
    """The values differ by at most max_skew, and at least min_domains of them are used."""
    places = Counter(now.value(rule.domain, now.hosts(guest)[0]) for guest in group)
    running = {value: places[value] for value in now.values(rule.domain)}
    skew = max(running.values(), default=0) - min(running.values(), default=0)
    if rule.max_skew is not None and skew > rule.max_skew:
        yield Trouble("skew", frozenset(rule.guests), skew - rule.max_skew)
    missing = min(rule.min_domains or 0, len(group)) - sum(map(bool, running.values()))
    if missing > 0:
        yield Trouble("spread", frozenset(rule.guests), missing)


def _without_value(now: Instant, domain: str, group: Iterable[str]) -> frozenset[str]:
    return frozenset(g for g in group if any(now.value(domain, h) is None for h in now.hosts(g)))


def _strays(now: Instant, domain: str, group: set[str]) -> Iterator[Trouble]:
    """The members of *group* on each host without a value."""
    for host in now.fleet.hosts:
        if now.value(domain, host) is None:
            here = frozenset(g for g in group if host in now.hosts(g))
            if here:
                yield Trouble(host, here, len(here))


@_of("split")
def _split(rule: Any, now: Instant) -> Iterator[Trouble]:
    """No value holds guests of two different groups, and none holds a host without a value."""
    yield from _strays(now, rule.domain, {g for group in rule.groups for g in group})
    for value in now.values(rule.domain):
        present = [
            {g for g in group if value in now.values_held(g, rule.domain)} for group in rule.groups
        ]
        meeting = [guests for guests in present if guests]
        if len(meeting) > 1:
            yield Trouble(value, frozenset[str]().union(*meeting), len(meeting) - 1)


@_of("dedicated")
def _dedicated(rule: Any, now: Instant) -> Iterator[Trouble]:
    """No outsider holds a host in a value in which a guest of the group does.

    And none of the group holds a host without a value.
    """
    yield from _strays(now, rule.domain, set(rule.guests))
    for value in now.values(rule.domain):
        here = {g for g in now.placed() if value in now.values_held(g, rule.domain)}
        members, strangers = here & set(rule.guests), here - set(rule.guests)
        if members and strangers:
            yield Trouble(value, frozenset(here), len(strangers))


@_of("together")
def _together(rule: Any, now: Instant) -> Iterator[Trouble]:
    """All placed guests of the group run in the same value (or the same part), none in none."""
    spots = {g: now.runs_on(g) for g in rule.guests}
    placed = {g: host for g, host in spots.items() if host is not None}

    def homes(host: str) -> set[str]:
        if rule.parts:
            return {str(i) for i, part in enumerate(rule.parts) if host in part}
        value = now.value(rule.domain, host)
        return set() if value is None else {value}

    chosen = [homes(host) for host in placed.values()]
    if chosen and not set.intersection(*chosen):
        strayed = Counter(home for each in chosen for home in each)
        yield Trouble("", frozenset(placed), len(placed) - max(strayed.values(), default=0))


@_of("near")
def _near(rule: Any, now: Instant) -> Iterator[Trouble]:
    """Each placed guest of the first group runs in a value in which one of the second runs."""

    def value_of(guest: str) -> str | None:
        host = now.runs_on(guest)
        return None if host is None else now.value(rule.domain, host)

    company = {value_of(g) for g in rule.to} - {None}
    lonely = frozenset(g for g in rule.guests if now.hosts(g) and value_of(g) not in company)
    if lonely:
        yield Trouble("", lonely, len(lonely))


# --- single guests -----------------------------------------------------------------------------


def _each(
    guests: Iterable[str], now: Instant, wrong: Callable[[str, str], bool]
) -> Iterator[Trouble]:
    """One trouble for each guest and each host that it holds where something is wrong."""
    for guest in guests:
        for host in now.hosts(guest):
            if wrong(guest, host):
                yield Trouble(host, frozenset({guest}), 1)


@_of("pin")
def _pin(rule: Any, now: Instant) -> Iterator[Trouble]:
    """Every host that a guest of the rule holds is one of the rule's hosts.

    On the way that binds only guests that start on one of them or have no host yet.
    """

    def binds(guest: str) -> bool:
        start = now.start(guest)
        return now.at_end or start is None or start in rule.hosts

    yield from _each(filter(binds, rule.guests), now, lambda _, host: host not in rule.hosts)


@_of("ban")
def _ban(rule: Any, now: Instant) -> Iterator[Trouble]:
    """No guest of the rule holds one of the rule's hosts.

    On the way a guest may still hold the banned host that it starts on.
    """

    def wrong(guest: str, host: str) -> bool:
        still_there = now.start(guest) == host and not now.at_end
        return host in rule.hosts and not still_there

    yield from _each(rule.guests, now, wrong)


@_of("stay")
def _stay(rule: Any, now: Instant) -> Iterator[Trouble]:
    """A guest that has a host at the start holds that host and no other, and never moved."""
    yield from _frozen(now, rule.guests)


@_of("locked")
def _locked(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """A running guest with a lock that has a host at the start holds it alone, and never moved."""
    yield from _frozen(now, [g.id for g in now.fleet.guests.values() if g.lock is not None])


def _frozen(now: Instant, guests: Iterable[str]) -> Iterator[Trouble]:
    for guest in guests:
        start = now.start(guest)
        if start is None or now.fleet.guests[guest].stopped:
            continue
        if now.hosts(guest) != (start,) or now.moved_onto.get(guest):
            yield Trouble(start, frozenset({guest}), 1)


@_of("quarantine")
def _quarantine(rule: Any, now: Instant) -> Iterator[Trouble]:
    """No guest was ever moved onto a host of the rule; each that starts there holds it alone."""
    for host in rule.hosts:
        came = {g for g in now.fleet.guests if now.entered(g, host)}
        residents = {
            g.id for g in now.fleet.guests.values() if now.start(g.id) == host and not g.stopped
        }
        gone = {g for g in residents if now.hosts(g) != (host,)}
        if came | gone:
            yield Trouble(host, frozenset(came | gone), len(came | gone))


@_of("placed")
def _placed(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """Every guest that is not stopped holds a host."""
    for guest in now.fleet.guests.values():
        if not guest.stopped and not now.hosts(guest.id):
            yield Trouble("", frozenset({guest.id}), 1)


@_of("prefer")
def _prefer(rule: Any, now: Instant) -> Iterator[Trouble]:
    """Every guest of the rule runs on a host of the highest priority.

    Each point of priority that a guest misses counts once.
    """
    best = max((rule.hosts.get(host, 0) for host in now.fleet.hosts), default=0)
    for guest in rule.guests:
        host = now.runs_on(guest)
        if host is not None and rule.hosts.get(host, 0) < best:
            yield Trouble(host, frozenset({guest}), best - rule.hosts.get(host, 0))


@_of("cpu_compatible")
def _cpu_compatible(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """Every host that a guest holds has all CPU features it needs."""
    fleet = now.fleet

    def wrong(guest: str, host: str) -> bool:
        return not set(fleet.guests[guest].cpu_features) <= set(fleet.hosts[host].cpu_features)

    yield from _each(fleet.guests, now, wrong)


@_of("vcpus_fit")
def _vcpus_fit(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """Every host that a guest holds has as many cores as it has vCPUs, where both are known."""
    fleet = now.fleet

    def wrong(guest: str, host: str) -> bool:
        vcpus, cores = fleet.guests[guest].vcpus, fleet.hosts[host].cores
        return vcpus is not None and cores is not None and vcpus > cores

    yield from _each(fleet.guests, now, wrong)


@_of("volume_locality")
def _volume_locality(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """Every host that a guest holds is the home of each of its volumes that has a home."""
    fleet = now.fleet

    def wrong(guest: str, host: str) -> bool:
        homes = {fleet.volumes[volume].home for volume in fleet.guests[guest].volumes} - {None}
        return bool(homes - {host})

    yield from _each(fleet.guests, now, wrong)


@_of("exclusive_volume")
def _exclusive_volume(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """At most one placed guest attaches each exclusive volume."""
    for volume in now.fleet.volumes.values():
        users = frozenset(g for g in now.placed() if volume.id in now.fleet.guests[g].volumes)
        if volume.exclusive and len(users) > 1:
            yield Trouble(volume.id, users, len(users) - 1)


# --- hosts -------------------------------------------------------------------------------------


def _closed(now: Instant, hosts: Iterable[str], *, must_leave: bool) -> Iterator[Trouble]:
    """Hosts that none may hold who was moved there, and at the end nobody at all.

    To be moved there is another trouble than to be there at the end.
    """
    for host in hosts:
        wrong = frozenset(
            g for g in now.holders(host) if now.entered(g, host) or (must_leave and now.at_end)
        )
        if wrong:
            yield Trouble(host if now.at_end else f"into {host}", wrong, len(wrong))


def _in_state(fleet: Fleet, *states: HostState) -> list[str]:
    return [host.id for host in fleet.hosts.values() if host.state in states]


@_of("maintenance")
def _maintenance(rule: Any, now: Instant) -> Iterator[Trouble]:
    """At the end no guest holds a host in maintenance, on the way none that it was moved onto."""
    hosts = rule.hosts or _in_state(now.fleet, HostState.MAINTENANCE)
    yield from _closed(now, hosts, must_leave=True)


@_of("drain")
def _drain(rule: Any, now: Instant) -> Iterator[Trouble]:
    """At the end no guest holds a drained host, on the way none that it was moved onto."""
    hosts = rule.hosts or _in_state(now.fleet, HostState.DRAINING)
    yield from _closed(now, hosts, must_leave=True)


@_of("in_service")
def _in_service(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """At the end none holds a host that is down; never a down or disabled one it moved onto."""
    yield from _closed(now, _in_state(now.fleet, HostState.DOWN), must_leave=True)
    yield from _closed(now, _in_state(now.fleet, HostState.DISABLED), must_leave=False)


@_of("health")
def _health(rule: Any, now: Instant) -> Iterator[Trouble]:
    """At no instant does a guest hold a host that it was moved onto and whose verdict is not.

    admitted, and at the end none holds a host whose verdict is to be drained.
    """
    for host in now.fleet.hosts.values():
        healths = set() if host.id in rule.exempt else _healths(rule, host)
        if not healths <= set(rule.admit):
            yield from _closed(now, [host.id], must_leave=bool(healths & set(rule.drain)))


def _healths(rule: Any, host: Host) -> set[Health]:
    """The verdict, or unknown for a heartbeat too old; and degraded for that state."""
    limit, age = rule.max_heartbeat_age_s, host.heartbeat_age_s
    found = set() if host.verdict is None else {host.verdict.health}
    if limit is not None and age is not None and age > limit:
        found = {Health.UNKNOWN}
    return found | ({Health.DEGRADED} if host.state is HostState.DEGRADED else set())


# --- sums --------------------------------------------------------------------------------------


@_of("capacity")
def _capacity(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """On every host, for every hard resource, what guests hold is at most what is usable.

    And what all placed guests hold of a shared pool is at most its total.
    """
    for resource in now.fleet.resources.values():
        if not resource.hard:
            continue
        if resource.shared_total is not None:
            yield from _shared_pool(now, resource.id, resource.shared_total)
        for host in now.fleet.hosts:
            excess = now.taken(host, resource.id) - usable(now.fleet, host, resource.id)
            yield from _sum_over(host, resource.id, _sharers(now, host, resource.id), excess)


def _sharers(now: Instant, host: str, resource: str) -> list[str]:
    return [guest for guest, amount in now.shares(host, resource) if amount]


def _shared_pool(now: Instant, resource: str, total: int) -> Iterator[Trouble]:
    """Each guest's disks lie in a shared pool once, however many hosts it holds."""
    users = [
        guest
        for guest in now.fleet.guests.values()
        if now.hosts(guest.id) or (guest.stopped and now.start(guest.id) is not None)
    ]
    taken = sum(demand(now.fleet, guest, resource) for guest in users)
    yield from _sum_over("", resource, [guest.id for guest in users], taken - total)


@_of("group_capacity")
def _group_capacity(rule: Any, now: Instant) -> Iterator[Trouble]:
    """What guests hold of the resource, summed over the rule's hosts, is at most at_most."""
    taken = sum(now.taken(host, rule.resource) for host in rule.hosts)
    sharers = {g for host in rule.hosts for g in _sharers(now, host, rule.resource)}
    yield from _sum_over("", rule.resource, sharers, taken - rule.at_most)


@_of("guest_count")
def _guest_count(rule: Any, now: Instant) -> Iterator[Trouble]:
    """At most at_most guests hold one of the rule's hosts (with each: any single one)."""
    sets = [(host,) for host in rule.hosts] if rule.each else [rule.hosts]
    for hosts in sets:
        guests = frozenset[str]().union(*(now.holders(host) for host in hosts))
        place = hosts[0] if rule.each else ""
        yield from _sum_over(place, "guests", guests, len(guests) - rule.at_most)


@_of("host_count")
def _host_count(rule: Any, now: Instant) -> Iterator[Trouble]:
    """At most at_most of the rule's hosts hold any guest."""
    used = [host for host in rule.hosts if now.holders(host)]
    guests = frozenset[str]().union(*(now.holders(host) for host in used))
    yield from _sum_over("", "hosts", guests, len(used) - rule.at_most)


@_of("devices")
def _devices(_rule: Any, now: Instant) -> Iterator[Trouble]:
    """On every host, for every kind of device, its guests need at most as many as it has."""
    fleet = now.fleet
    kinds = {device for guest in fleet.guests.values() for device in guest.devices}
    for host, kind in product(fleet.hosts, sorted(kinds)):
        users = {g: fleet.guests[g].devices.get(kind, 0) for g in now.holders(host)}
        excess = sum(users.values()) - fleet.hosts[host].devices.get(kind, 0)
        yield from _sum_over(host, kind, [g for g, need in users.items() if need], excess)


@_of("quota")
def _quota(rule: Any, now: Instant) -> Iterator[Trouble]:
    """The project's placed guests take at most each limit, and are at most at_most."""
    placed = [g for g in now.placed() if now.fleet.guests[g].project == rule.project]
    for resource, limit in rule.limits.items():
        taken = sum(demand(now.fleet, now.fleet.guests[g], resource) for g in placed)
        yield from _sum_over("", resource, placed, taken - limit)
    if rule.at_most is not None:
        yield from _sum_over("", "guests", placed, len(placed) - rule.at_most)


@_of("headroom")
def _headroom(rule: Any, now: Instant) -> Iterator[Trouble]:
    """For every choice of *lose* values the guests running there fit on what remains.

    Found by trying every assignment to the remaining active hosts of the rule.
    """
    active = [
        host
        for host in (rule.hosts or now.fleet.hosts)
        if now.fleet.hosts[host].state is HostState.ACTIVE
    ]
    values = sorted({now.value(rule.domain, host) for host in active} - {None}, key=str)
    for lost in combinations(values, min(rule.lose, len(values))):
        gone = {host for host in active if now.value(rule.domain, host) in lost}
        stranded = [g for g in now.placed() if now.runs_on(g) in gone]
        if stranded and not _any_assignment(now, stranded, [h for h in active if h not in gone]):
            place = ", ".join(str(value) for value in lost)
            yield Trouble(place, frozenset(stranded), 1, vague=True)


def _any_assignment(now: Instant, stranded: list[str], hosts: list[str]) -> bool:
    """Whether the stranded fit somewhere, once what they held before is free again."""
    hard = [resource.id for resource in now.fleet.resources.values() if resource.hard]
    room = {
        (host, r): usable(now.fleet, host, r)
        - sum(amount for guest, amount in now.shares(host, r) if guest not in stranded)
        for host in hosts
        for r in hard
    }
    needs = [{r: demand(now.fleet, now.fleet.guests[g], r) for r in hard} for g in stranded]
    for assignment in product(hosts, repeat=len(stranded)):
        asked = Counter[tuple[str, str]]()
        for host, need in zip(assignment, needs, strict=True):
            asked.update({(host, resource): amount for resource, amount in need.items()})
        if all(amount == 0 or amount <= room[spot] for spot, amount in asked.items()):
            return True
    return False
