# SPDX-License-Identifier: Apache-2.0
"""What guests take and hosts give, measure by measure, as columns in the order of a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.model.errors import TooLarge
from moorage.model.guests import Guest
from moorage.model.hosts import Host, Pressure
from moorage.model.resources import CPU, DISK_PREFIX
from moorage.problem.compiling import LARGEST_SUM, MOST_AMOUNT
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

BP: Final = 10_000
"""Basis points in a whole: a host that stalls all the time."""
PRESSURES: Final[dict[str, Callable[[Pressure], int]]] = {
    "cpu_pressure": lambda pressure: pressure.cpu_bp,
    "memory_pressure": lambda pressure: pressure.memory_bp,
    "io_pressure": lambda pressure: pressure.io_bp,
}


@dataclass(frozen=True, eq=False)
class Measure:
    """One dimension.

    Attributes:
        amounts: what each running guest has of it.
        base: what stopped guests have of it on each host.
        room: what each host gives.
    """

    amounts: Ints
    base: Ints
    room: Ints


def of_guests(problem: Problem, amount: Callable[[Guest], int]) -> Ints:
    """Return *amount* of each running guest."""
    guests = problem.fleet.guests
    found = [amount(guests[guest]) for guest in problem.guests]
    if max(found, default=0) > MOST_AMOUNT:
        raise _too_large(f"a guest has an amount of {max(found)}")
    return np.array(found, dtype=np.int64)


def of_hosts(problem: Problem, amount: Callable[[Host], int]) -> Ints:
    """Return *amount* of each host."""
    hosts = problem.fleet.hosts
    found = (min(LARGEST_SUM, amount(hosts[host])) for host in problem.hosts)
    return np.fromiter(found, dtype=np.int64, count=len(problem.hosts))


def times(*factors: Ints | int) -> Ints:
    """Return the product of *factors*, each entry of which has to stay within 64 bits."""
    reach, found = 1.0, np.ones((), dtype=np.int64)
    for factor in factors:
        array = np.asarray(factor, dtype=np.int64)
        reach *= float(np.abs(array.astype(np.float64)).max(initial=0))
        if reach > LARGEST_SUM:
            raise _too_large("amounts times priorities, prices or weights")
        found = found * array
    return np.asarray(found)


def _too_large(what: str) -> TooLarge:
    return TooLarge(
        f"{what}: more than the goal can count in 64 bits",
        place="guests",
        hint="measure resources in larger units, or make prices and weights smaller",
    )


def open_hosts(problem: Problem) -> Flags:
    """Hosts that newcomers may come onto, as far as no guest in particular is meant."""
    everybody: Flags = problem.restrictions.open[0]  # the first row has nobody's own bars
    return everybody


def demand_of(problem: Problem, resource: str) -> Ints:
    """What each running guest takes of *resource*."""
    if resource in problem.resources:
        column: Ints = problem.demand[:, problem.resources.index(resource)]
        return column
    return of_guests(problem, lambda guest: problem.fleet.demand_of(guest.id).get(resource, 0))


def stored(problem: Problem, resource: str) -> Ints:
    """What stopped guests take of *resource* on each host: only of disks they take any."""
    found = np.zeros(len(problem.hosts), dtype=np.int64)
    if resource.startswith(DISK_PREFIX):
        for guest in problem.fleet.guests.values():
            if guest.stopped and guest.host in problem.host_index:
                taken = problem.fleet.demand_of(guest.id).get(resource, 0)
                found[problem.host_index[guest.host]] += taken
    return found


def taken_of(problem: Problem, resource: str) -> Measure:
    """What is demanded of *resource*, and what is usable of it."""
    room = of_hosts(problem, lambda host: host.usable(resource))
    return Measure(demand_of(problem, resource), stored(problem, resource), room)


def cpu_load(problem: Problem) -> Measure | None:
    """Measured load against cores; None if no guest was measured.

    A guest that wasn't measured is taken to use as much of its demand as the others do.
    """
    load = of_guests(problem, lambda g: -1 if g.load.cpu_millicores is None else _load(g))
    known = load >= 0
    if not known.any():
        return None
    if not known.all():
        demand = demand_of(problem, CPU)
        measured, of = int(load[known].sum()), max(1, int(demand[known].sum()))
        load = np.where(known, load, demand * min(measured, of) // of)
    nothing = np.zeros(len(problem.hosts), dtype=np.int64)
    return Measure(load, nothing, of_hosts(problem, cores))


def _load(guest: Guest) -> int:
    return guest.load.cpu_millicores or 0


def cores(host: Host) -> int:
    """Return a host's cores in millicores: the physical ones where they are known."""
    own = host.capacity.get(CPU, 0) if host.cores is None else 1000 * host.cores
    return max(0, own - host.reserve.get(CPU, 0))


def pressure(problem: Problem, name: str) -> Measure:
    """Stalls of guests, against a host that stalls all the time."""
    part = PRESSURES[name]
    return Measure(
        of_guests(problem, lambda guest: part(guest.load.pressure)),
        np.zeros(len(problem.hosts), dtype=np.int64),
        np.full(len(problem.hosts), BP, dtype=np.int64),
    )


def measure(problem: Problem, name: str) -> Measure | None:
    """Return what *name* stands for: cpu is measured load, a resource is what is demanded.

    None if it is cpu, and nobody measured it.
    """
    if name in PRESSURES:
        return pressure(problem, name)
    if name == CPU:
        return cpu_load(problem)
    return taken_of(problem, name)


def share_of(amounts: Ints, millionths: int) -> Ints:
    """Return so many millionths of *amounts*, cut to whole units, without leaving 64 bits."""
    whole, rest = np.divmod(amounts, 1_000_000)
    return times(whole, millionths) + times(rest, millionths) // 1_000_000
