# SPDX-License-Identifier: Apache-2.0
"""Fleets out of balance: flavours, two sizes of hosts, a skewed but valid start, replicas apart.

Guests come in ten flavours; a host of the large size has half as much again as one of the usual
size. Capacities follow from the guests, so that those hosts that aren't in maintenance are 65 %
full of memory and 60 % of vCPUs at four to a core. Some hosts attract seven times the guests of
others, up to 97 % of their memory; one guest in ten is one of three replicas that stay apart.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from moorage.model import Fleet, FrozenMap, Guest, Host, HostState
from moorage.rules.apart import Apart

# GiB of memory, vCPUs, and how many in a hundred guests have them.
FLAVOURS = (
    *((1, 1, 5), (2, 1, 12), (4, 2, 20), (8, 2, 17), (8, 4, 12)),
    *((16, 4, 12), (16, 8, 9), (32, 8, 7), (32, 4, 4), (64, 16, 2)),
)
REPLICAS = 3
TRIES = 30
GIB = 1024


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a fleet out of balance is made.

    Attributes:
        memory_percent: how full the hosts that stay are of memory.
        cpu_percent: the same of vCPUs at four to a core.
        fill_percent: how full a host may be at the start.
        replicas_percent: guests that are replicas of three.
        maintenance_permille: hosts in maintenance, which have to be drained; at least one.
        skew: how many times as attractive the most attractive host is at the start.
    """

    hosts: int
    guests: int
    seed: int = 1
    memory_percent: int = 65
    cpu_percent: int = 60
    fill_percent: int = 97
    replicas_percent: int = 10
    maintenance_permille: int = 10
    skew: int = 7

    @property
    def in_maintenance(self) -> int:
        """How many hosts are in maintenance: none of fewer than ten."""
        return max(1, self.hosts * self.maintenance_permille // 1000) if self.hosts >= 10 else 0


def balance_fleet(recipe: Recipe) -> Fleet:
    """Return the fleet of a recipe.

    Raises:
        ValueError: some guest finds no host: too few hosts for so large guests.
    """
    choose = random.Random(recipe.seed)
    weights = [weight for _, _, weight in FLAVOURS]
    flavours = choose.choices(FLAVOURS, weights, k=recipe.guests)
    memory = [gib * GIB for gib, _, _ in flavours]
    cpu = [vcpus * 1000 for _, vcpus, _ in flavours]
    hosts = _hosts(recipe, sum(memory), sum(cpu))
    groups = _groups(recipe, choose)
    where = _Start(recipe, hosts, choose).place(memory, cpu, groups)
    guests = (_guest(i, flavours[i], hosts[where[i]].id) for i in range(recipe.guests))
    return Fleet(
        hosts=FrozenMap({host.id: host for host in hosts}),
        guests=FrozenMap({guest.id: guest for guest in guests}),
        rules=tuple(_apart(number, group) for number, group in enumerate(groups)),
        name=f"balance {recipe.hosts}x{recipe.guests} seed {recipe.seed}",
    )


def _hosts(recipe: Recipe, memory: int, cpu: int) -> list[Host]:
    """Every third host is of the large size; the first ones are in maintenance."""
    large = [number % 3 == 0 for number in range(recipe.hosts)]
    # In halves of the usual size: a usual host has two, a large one three.
    halves = sum(2 + is_large for is_large in large[recipe.in_maintenance :])
    base_mib = -(-memory * 200 // (recipe.memory_percent * halves * GIB)) * GIB
    # So that the largest guest fits a host of the usual size, however few guests there are.
    base_mib = max(base_mib, FLAVOURS[-1][0] * GIB * 5 // 4)
    base_cores = max(8, -(-cpu * 200 // (recipe.cpu_percent * halves * 4000)))
    return [
        Host(
            f"host-{number:05}",
            capacity=FrozenMap(
                {
                    "memory": base_mib * (2 + is_large) // 2,
                    "cpu": base_cores * (2 + is_large) // 2 * 1000,
                }
            ),
            overcommit_permille=FrozenMap({"cpu": 4000}),
            state=HostState.MAINTENANCE if number < recipe.in_maintenance else HostState.ACTIVE,
        )
        for number, is_large in enumerate(large)
    ]


def _groups(recipe: Recipe, choose: random.Random) -> list[list[int]]:
    if recipe.hosts < 2 * REPLICAS:
        return []
    count = recipe.guests * recipe.replicas_percent // 100 // REPLICAS
    members = choose.sample(range(recipe.guests), count * REPLICAS)
    edges = range(0, len(members) + 1, REPLICAS)
    return [sorted(members[a:b]) for a, b in pairwise(edges)]


def _guest(number: int, flavour: tuple[int, int, int], host: str) -> Guest:
    gib, vcpus, _ = flavour
    demand = FrozenMap({"memory": gib * GIB, "cpu": vcpus * 1000})
    return Guest(f"vm-{number:06}", host=host, demand=demand)


def _apart(number: int, group: Sequence[int]) -> Apart:
    return Apart(name=f"replicas-{number:05}", guests=tuple(f"vm-{i:06}" for i in group))


class _Start:
    """Where guests are before anything is balanced: largest first, each where it fits."""

    def __init__(self, recipe: Recipe, hosts: Sequence[Host], choose: random.Random) -> None:
        self.choose = choose
        self.memory = [h.usable("memory") * recipe.fill_percent // 100 for h in hosts]
        self.cpu = [h.usable("cpu") for h in hosts]
        pull = (host.usable("memory") // GIB * choose.randint(1, recipe.skew) for host in hosts)
        self.edges = list(accumulate(pull))
        self.taken: set[tuple[int, int]] = set()

    def place(
        self, memory: Sequence[int], cpu: Sequence[int], groups: Sequence[Sequence[int]]
    ) -> list[int]:
        """Return the number of each guest's host."""
        group_of = {guest: number for number, group in enumerate(groups) for guest in group}
        where = [0] * len(memory)
        for guest in sorted(range(len(memory)), key=lambda i: -memory[i]):
            group = group_of.get(guest, -1)
            host = self._find(memory[guest], cpu[guest], group)
            self.memory[host] -= memory[guest]
            self.cpu[host] -= cpu[guest]
            self.taken.add((host, group))
            where[guest] = host
        return where

    def _find(self, memory: int, cpu: int, group: int) -> int:
        for _ in range(TRIES):
            host = bisect(self.edges, self.choose.randrange(self.edges[-1]))
            if self._fits(host, memory, cpu, group):
                return host
        emptiest = max(
            (h for h in range(len(self.memory)) if self._fits(h, memory, cpu, group)),
            key=lambda h: self.memory[h],
            default=None,
        )
        if emptiest is None:
            raise ValueError("the fleet has no host with room for a guest of its recipe")
        return emptiest

    def _fits(self, host: int, memory: int, cpu: int, group: int) -> bool:
        free = (host, group) not in self.taken or group < 0
        return free and self.memory[host] >= memory and self.cpu[host] >= cpu
