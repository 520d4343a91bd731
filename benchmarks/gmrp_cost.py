# SPDX-License-Identifier: Apache-2.0
"""The machine reassignment challenge's cost, from its problem statement and the files alone."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Invalid(Exception):
    """An assignment that breaks a hard constraint, with its name."""


class _Numbers:
    """The numbers of a file, one after the other."""

    def __init__(self, path: Path) -> None:
        text = path.read_bytes()
        plain = gzip.decompress(text) if path.suffix == ".gz" else text
        self._left = iter(plain.split())

    def one(self) -> int:
        return int(next(self._left))

    def take(self, count: int) -> list[int]:
        return [self.one() for _ in range(count)]

    def rest(self) -> list[int]:
        return [int(number) for number in self._left]


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: where it stands, what it has, up to where that is free, what moves cost."""

    neighborhood: int
    location: int
    capacities: list[int]
    safe: list[int]
    move_costs: list[int]


@dataclass(frozen=True, slots=True)
class Service:
    """A service: over how many locations, and on whom it depends."""

    spread: int
    depends_on: list[int]


@dataclass(frozen=True, slots=True)
class Process:
    """A process of a service: what it takes, and what moving it costs."""

    service: int
    takes: list[int]
    move_cost: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """A model as the challenge writes it.

    Attributes:
        balances: (first resource, second, target, weight).
        weights: of moving processes, services, and between machines.
    """

    transient: list[bool]
    load_weights: list[int]
    machines: list[Machine]
    services: list[Service]
    processes: list[Process]
    balances: list[tuple[int, int, int, int]]
    weights: tuple[int, int, int]


def read_challenge(path: Path) -> Challenge:
    """Read a model."""
    numbers = _Numbers(path)
    resources = [numbers.take(2) for _ in range(numbers.one())]
    kinds, count = len(resources), numbers.one()
    machines = [
        Machine(
            numbers.one(),
            numbers.one(),
            numbers.take(kinds),
            numbers.take(kinds),
            numbers.take(count),
        )
        for _ in range(count)
    ]
    services = [Service(numbers.one(), numbers.take(numbers.one())) for _ in range(numbers.one())]
    processes = [
        Process(numbers.one(), numbers.take(kinds), numbers.one()) for _ in range(numbers.one())
    ]
    balances = [
        (numbers.one(), numbers.one(), numbers.one(), numbers.one()) for _ in range(numbers.one())
    ]
    weights = numbers.one(), numbers.one(), numbers.one()
    transient = [bool(is_transient) for is_transient, _ in resources]
    load_weights = [weight for _, weight in resources]
    return Challenge(transient, load_weights, machines, services, processes, balances, weights)


def read_assignment(path: Path) -> list[int]:
    """Read the machine of each process."""
    return _Numbers(path).rest()


def cost(challenge: Challenge, old: Sequence[int], new: Sequence[int]) -> int:
    """Return what the assignment *new* costs.

    Raises:
        Invalid: it breaks a hard constraint.
    """
    _check_shape(challenge, new)
    used = _used(challenge, enumerate(new))
    _check_room(challenge, old, new, used)
    _check_services(challenge, new)
    return _load_cost(challenge, used) + _move_cost(challenge, old, new)


def _check_shape(challenge: Challenge, new: Sequence[int]) -> None:
    if len(new) != len(challenge.processes):
        raise Invalid(f"{len(new)} processes instead of {len(challenge.processes)}")
    if not all(0 <= machine < len(challenge.machines) for machine in new):
        raise Invalid("a machine that isn't there")


def _used(challenge: Challenge, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    used = [[0] * len(challenge.transient) for _ in challenge.machines]
    for number, machine in pairs:
        row = used[machine]
        for resource, amount in enumerate(challenge.processes[number].takes):
            row[resource] += amount
    return used


def _check_room(
    challenge: Challenge, old: Sequence[int], new: Sequence[int], used: list[list[int]]
) -> None:
    left = [(n, machine) for n, machine in enumerate(old) if new[n] != machine]
    held = _used(challenge, left)
    for machine, now, behind in zip(challenge.machines, used, held, strict=True):
        for resource, capacity in enumerate(machine.capacities):
            kept = behind[resource] if challenge.transient[resource] else 0
            if now[resource] + kept > capacity:
                raise Invalid("capacity")


def _check_services(challenge: Challenge, new: Sequence[int]) -> None:
    places = Counter((p.service, m) for p, m in zip(challenge.processes, new, strict=True))
    if any(count > 1 for count in places.values()):
        raise Invalid("conflict")
    locations: list[set[int]] = [set() for _ in challenge.services]
    neighborhoods: list[set[int]] = [set() for _ in challenge.services]
    for service, machine in places:
        locations[service].add(challenge.machines[machine].location)
        neighborhoods[service].add(challenge.machines[machine].neighborhood)
    for number, asked in enumerate(challenge.services):
        if len(locations[number]) < asked.spread:
            raise Invalid("spread")
        if any(not neighborhoods[number] <= neighborhoods[d] for d in asked.depends_on):
            raise Invalid("dependency")


def _load_cost(challenge: Challenge, used: list[list[int]]) -> int:
    total = 0
    for machine, now in zip(challenge.machines, used, strict=True):
        over = (max(0, u - s) for u, s in zip(now, machine.safe, strict=True))
        total += sum(w * o for w, o in zip(challenge.load_weights, over, strict=True))
        free = [c - u for c, u in zip(machine.capacities, now, strict=True)]
        for first, second, target, weight in challenge.balances:
            total += weight * max(0, target * free[first] - free[second])
    return total


def _move_cost(challenge: Challenge, old: Sequence[int], new: Sequence[int]) -> int:
    moved = [number for number, machine in enumerate(old) if new[number] != machine]
    by_process, by_service, by_machine = challenge.weights
    of_service = Counter(challenge.processes[number].service for number in moved)
    return (
        by_process * sum(challenge.processes[number].move_cost for number in moved)
        + by_service * max(of_service.values(), default=0)
        + by_machine * sum(challenge.machines[old[n]].move_costs[new[n]] for n in moved)
    )
