# SPDX-License-Identifier: Apache-2.0
"""Small random fleets: everything that a fleet may have, each now and then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Guest, GuestKind, Volume
from moorage.model.hosts import Health, Host, HostState, Verdict
from moorage.model.resources import CPU_RESOURCE, MEMORY_RESOURCE, Resource
from moorage.model.topology import NO_LIMITS, Link, MoveLimits
from tests.oracle.choices import Choices, Seeded
from tests.oracle.random_rules import some_rule, some_rules

if TYPE_CHECKING:
    import random

FEATURES = ("aes", "avx", "sse4")
PROJECTS = ("blue", "red")
OTHER_RESOURCES = (
    CPU_RESOURCE,
    Resource("cpu", "millicores", hard=False),
    Resource("disk:local", "MiB"),
    Resource("disk:local", "MiB", held_until_end=True),
    Resource("disk:ceph", "MiB", shared_total=20),
    Resource("disk:nfs", "MiB", shared_total=8, hard=False),
    Resource("licences", held_until_end=True),
    Resource("ports", hard=False),
)


def random_case(rng: random.Random) -> tuple[Fleet, dict[str, str | None]]:
    """Draw a fleet with rules, and a placement of its guests."""
    choices = Seeded(rng)
    fleet = some_fleet(choices)
    return fleet, some_placement(choices, fleet)


def random_case_of(kind: str, rng: random.Random) -> tuple[Fleet, dict[str, str | None]]:
    """Draw a fleet whose only written rule is of one kind, and a placement of its guests."""
    choices = Seeded(rng)
    fleet = some_fleet(choices, rules=False)
    rule = some_rule(choices, fleet, kind, "rule 1")
    return fleet.changed(rules=(rule,)), some_placement(choices, fleet)


def some_fleet(
    choices: Choices,
    *,
    rules: bool = True,
    calm: bool | None = None,
    hosts: int = 5,
    guests: int = 7,
) -> Fleet:
    """Draw a fleet of at most so many hosts and guests.

    In a calm one all hosts are well and no guest is special.
    """
    calm = choices.chance(40) if calm is None else calm
    resources = _resources(choices)
    numbers = range(1, choices.number(2, hosts) + 1)
    machines = [_host(choices, f"h{i}", resources, calm) for i in numbers]
    names = [host.id for host in machines]
    volumes = [_volume(choices, f"vol{i}", names) for i in range(choices.number(0, 2))]
    inhabitants = [
        _guest(choices, f"g{i}", names, resources, volumes, calm)
        for i in range(1, choices.number(1, guests) + 1)
    ]
    fleet = Fleet(
        hosts=FrozenMap({host.id: host for host in machines}),
        guests=FrozenMap({guest.id: guest for guest in inhabitants}),
        resources=FrozenMap({resource.id: resource for resource in resources}),
        volumes=FrozenMap({volume.id: volume for volume in volumes}),
        overhead=_overhead(choices),
    )
    return fleet.changed(rules=some_rules(choices, fleet)) if rules else fleet


def enlarged(fleet: Fleet, factor: int) -> Fleet:
    """Multiply what hosts give and guests take."""

    def larger(amounts: FrozenMap[str, int]) -> FrozenMap[str, int]:
        return FrozenMap({resource: amount * factor for resource, amount in amounts.items()})

    hosts = {
        host.id: replace(host, capacity=larger(host.capacity), reserve=larger(host.reserve))
        for host in fleet.hosts.values()
    }
    guests = {g.id: replace(g, demand=larger(g.demand)) for g in fleet.guests.values()}
    return fleet.changed(hosts=FrozenMap(hosts), guests=FrozenMap(guests))


def some_placement(choices: Choices, fleet: Fleet) -> dict[str, str | None]:
    """Draw where the guests are: often where they were, now and then nowhere."""
    return {guest.id: _spot(choices, fleet, guest) for guest in fleet.guests.values()}


def some_limits(choices: Choices, fleet: Fleet) -> Fleet:
    """Add a network and limits for moves at once."""
    hosts = list(fleet.hosts)

    def limit() -> int | None:
        return choices.number(0, 2) if choices.chance(40) else None

    limits = MoveLimits(limit(), limit(), limit(), limit(), limit())
    links = tuple(_link(choices, f"link{i}", hosts) for i in range(choices.number(0, 2)))
    return fleet.changed(links=links, limits=limits if choices.chance(80) else NO_LIMITS)


def _link(choices: Choices, name: str, hosts: list[str]) -> Link:
    sides: list[list[str]] = [[] for _ in range(choices.number(2, 3))]
    for host in hosts:
        if choices.chance(85):
            choices.one_of(sides).append(host)
    return Link(name, 1000, tuple(tuple(side) for side in sides))


def _resources(choices: Choices) -> list[Resource]:
    found = {MEMORY_RESOURCE.id: MEMORY_RESOURCE}
    for _ in range(choices.number(0, 2)):
        resource = choices.one_of(OTHER_RESOURCES)
        found[resource.id] = resource
    return list(found.values())


def _host(choices: Choices, name: str, resources: list[Resource], calm: bool) -> Host:
    own = [r.id for r in resources if calm or choices.chance(95)]
    return Host(
        name,
        capacity=FrozenMap({r: choices.number(5, 14) for r in own}),
        reserve=FrozenMap({r: choices.number(0, 3) for r in own if choices.chance(30)}),
        overcommit_permille=FrozenMap(
            {r: choices.one_of((1000, 500, 1333, 2000)) for r in own if choices.chance(30)}
        ),
        labels=_labels(choices),
        state=choices.one_of(list(HostState)) if choices.chance(0 if calm else 25) else _ACTIVE,
        verdict=Verdict(choices.one_of(list(Health)))
        if choices.chance(5 if calm else 35)
        else None,
        heartbeat_age_s=choices.number(0, 120) if choices.chance(40) else None,
        devices=FrozenMap({"gpu": choices.number(0, 3)}) if choices.chance(60) else EMPTY,
        cpu_features=FEATURES if calm else tuple(choices.some_of(FEATURES, 1)),
        cores=choices.number(3, 8) if choices.chance(50) else None,
    )


_ACTIVE = HostState.ACTIVE


def _labels(choices: Choices) -> FrozenMap[str, str]:
    labels = {}
    if choices.chance(80):
        labels["rack"] = choices.one_of(("r1", "r2", "r3"))
    if choices.chance(70):
        labels["zone"] = choices.one_of(("z1", "z2"))
    return FrozenMap(labels)


def _volume(choices: Choices, name: str, hosts: list[str]) -> Volume:
    home = choices.one_of(hosts) if choices.chance(60) else None
    return Volume(name, home, size_mib=10, exclusive=choices.chance(75))


def _guest(
    choices: Choices,
    name: str,
    hosts: list[str],
    resources: list[Resource],
    volumes: list[Volume],
    calm: bool,
) -> Guest:
    special = 0 if calm else 12
    home = "gone" if choices.chance(special // 3) else choices.one_of(hosts)
    return Guest(
        name,
        kind=choices.one_of(list(GuestKind)),
        host=home if choices.chance(88) else None,
        demand=FrozenMap({r.id: choices.number(0, 5) for r in resources if choices.chance(85)}),
        stopped=choices.chance(special),
        vcpus=choices.number(1, 5) if choices.chance(40) else None,
        volumes=tuple(choices.some_of([v.id for v in volumes])) if choices.chance(50) else (),
        devices=FrozenMap({"gpu": choices.number(0, 2)}) if choices.chance(25) else EMPTY,
        cpu_features=tuple(choices.some_of(FEATURES)) if choices.chance(30) else (),
        lock="backup" if choices.chance(special) else None,
        project=choices.one_of(PROJECTS) if choices.chance(70) else None,
    )


def _overhead(choices: Choices) -> FrozenMap[GuestKind, FrozenMap[str, int]]:
    if not choices.chance(30):
        return EMPTY
    return FrozenMap({GuestKind.MICROVM: FrozenMap({"memory": choices.number(1, 2)})})


def _spot(choices: Choices, fleet: Fleet, guest: Guest) -> str | None:
    if guest.stopped or choices.chance(45):
        return fleet.placement[guest.id]
    return choices.one_of(list(fleet.hosts)) if choices.chance(95) else None
