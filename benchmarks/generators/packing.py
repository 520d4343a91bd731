# SPDX-License-Identifier: Apache-2.0
"""Guests that have no host yet: replicas apart on hosts and racks, and room that is known.

A hidden placement fills the hosts first and is then forgotten, so that one surely exists. Pairs
of replicas are drawn among guests that the hidden placement keeps apart.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from moorage.model import Fleet, FrozenMap, Guest, Health, Host, Verdict
from moorage.rules.apart import Apart

HOST_MIB = 256 << 10
HOST_MILLICORES = 48_000
PAIRS = 10
SHARES = (24, 32, 48, 64, 96)
"""Guests are multiples of a sixty-fourth of their fair part of a host, in these sixty-fourths."""


@dataclass(frozen=True, slots=True)
class Packing:
    """How guests without a host are drawn.

    Attributes:
        fill_percent: how full the hidden placement makes the hosts of memory.
        racks: hosts take turns in them.
        degraded: hosts that admit nobody, besides the others.
    """

    hosts: int
    guests: int
    racks: int
    seed: int = 1
    fill_percent: int = 78
    degraded: int = 1


def packing_fleet(packing: Packing) -> Fleet:
    """Return hosts that are empty, and guests that surely fit them."""
    choose = random.Random(packing.seed)
    hosts = _hosts(packing)
    hidden = [number % packing.hosts for number in range(packing.guests)]
    choose.shuffle(hidden)
    guests = _guests(packing, hidden, choose)
    near = _pairs(hidden, choose)
    far = _pairs([host % packing.racks for host in hidden], choose)
    rules = [Apart(name=f"host-pair-{i}", guests=pair) for i, pair in enumerate(near)]
    rules += [Apart(name=f"rack-pair-{i}", guests=p, domain="rack") for i, p in enumerate(far)]
    name = f"packing {packing.hosts}x{packing.guests} seed {packing.seed}"
    return _fleet(hosts, guests, tuple(rules), name)


def crowded_fleet(hosts: int, replicas: int, racks: int) -> Fleet:
    """Return more replicas than racks to keep them apart in: impossible, and easy to see."""
    plan = Packing(hosts, hosts, racks, degraded=0)
    demand = FrozenMap({"memory": HOST_MIB // 4, "cpu": HOST_MILLICORES // 4})
    guests = [Guest(_guest_name(i), demand=demand) for i in range(hosts)]
    group = tuple(guest.id for guest in guests[:replicas])
    rule = Apart(name="replicas", guests=group, domain="rack")
    return _fleet(_hosts(plan), guests, (rule,), f"{replicas} replicas on {racks} racks")


def _fleet(hosts: list[Host], guests: list[Guest], rules: tuple[Apart, ...], name: str) -> Fleet:
    return Fleet(
        hosts=FrozenMap({host.id: host for host in hosts}),
        guests=FrozenMap({guest.id: guest for guest in guests}),
        rules=rules,
        name=name,
    )


def _hosts(packing: Packing) -> list[Host]:
    return [
        Host(
            f"pve{number + 1}",
            capacity=FrozenMap({"memory": HOST_MIB, "cpu": HOST_MILLICORES}),
            labels=FrozenMap({"rack": f"rack-{number % packing.racks + 1}"}),
            verdict=Verdict(Health.NOMINAL if number < packing.hosts else Health.DEGRADED),
        )
        for number in range(packing.hosts + packing.degraded)
    ]


def _guests(packing: Packing, hidden: list[int], choose: random.Random) -> list[Guest]:
    """Each takes about a fair part of its hidden host, and all on a host what it is filled to."""
    shares = [choose.choice(SHARES) for _ in hidden]
    total = [0] * packing.hosts
    for host, share in zip(hidden, shares, strict=True):
        total[host] += share
    room_mib = HOST_MIB * packing.fill_percent // 100
    room_cpu = HOST_MILLICORES * packing.fill_percent // 100
    return [
        Guest(
            _guest_name(number),
            demand=FrozenMap(
                {
                    # Rounded down: together they never take more than the room.
                    "memory": room_mib * share // total[host],
                    "cpu": room_cpu * share // total[host],
                }
            ),
        )
        for number, (host, share) in enumerate(zip(hidden, shares, strict=True))
    ]


def _pairs(places: list[int], choose: random.Random) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    while len(pairs) < PAIRS:
        one, other = choose.sample(range(len(places)), 2)
        if places[one] != places[other]:
            pairs.append((_guest_name(one), _guest_name(other)))
    return pairs


def _guest_name(number: int) -> str:
    return f"svc-{number + 1}"
