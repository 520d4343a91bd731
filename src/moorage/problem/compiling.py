# SPDX-License-Identifier: Apache-2.0
"""From a fleet to a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import GuestKind
from moorage.model.natural import natural_key
from moorage.model.resources import MEMORY, disk
from moorage.model.view import View
from moorage.problem.magnitudes import (
    LARGEST_PRICE,
    LARGEST_SUM,
    MOST_AMOUNT,
    checked_totals,
)
from moorage.problem.problem import COLLISION, NOWHERE, Problem
from moorage.problem.restrictions import restrict
from moorage.rules.registry import rules_of
from moorage.verifying.standing import breaches, told_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LARGEST_SUM", "MOST_AMOUNT", "compile_fleet"]

LOCAL_DISK: Final = 4
"""Copying a disk is dearer than memory: it takes longer, and wears what it reads and writes."""
EACH_MOVE_MIB: Final = 2048
"""Every move is a risk, however small the guest."""
RESTART_MIB: Final = 2048
"""A container is stopped to be moved."""


def compile_fleet(fleet: Fleet) -> Problem:
    """Compile *fleet*: names become places in arrays, rules the places where guests may be.

    Raises:
        TooLarge: amounts are beyond what 64 bits can count.
    """
    totals = checked_totals(fleet)
    hosts = tuple(sorted(fleet.hosts, key=natural_key))
    guests = tuple(sorted(fleet.running, key=natural_key))
    host_index = {host: index for index, host in enumerate(hosts)}
    guest_index = {guest: index for index, guest in enumerate(guests)}
    placement = fleet.placement
    start = np.fromiter(
        (NOWHERE if (h := placement[g]) is None else host_index[h] for g in guests),
        dtype=np.int32,
        count=len(guests),
    )
    rules = told_apart(rules_of(fleet))
    resources = _resources(fleet, guests)
    demand = _demand(fleet, guests, resources)
    view = View(fleet, placement, at_end=True)
    standing = {b.key: b for b in breaches((r for r in rules if r.is_must), view)}
    return Problem(
        fleet=fleet,
        hosts=hosts,
        guests=guests,
        resources=resources,
        demand=demand,
        usable=_usable(fleet, host_index, resources),
        held=np.array([fleet.resources[r].held_until_end for r in resources], dtype=np.bool_),
        start=start,
        restrictions=restrict(fleet, rules, host_index, guest_index, start),
        rules=rules,
        standing=standing,
        move_cost=_move_cost(fleet, guests),
        units=_units(fleet, guests, totals),
    )


def _resources(fleet: Fleet, guests: Iterable[str]) -> tuple[str, ...]:
    """The hard resources of hosts that any running guest takes."""
    taken = {r for g in guests for r, amount in fleet.demand_of(g).items() if amount}
    hard = (r.id for r in fleet.resources.values() if r.hard)
    return tuple(r for r in sorted(hard) if r in taken)


def _demand(fleet: Fleet, guests: tuple[str, ...], resources: tuple[str, ...]) -> NDArray[np.int64]:
    demand = np.zeros((len(guests), len(resources)), dtype=np.int64)
    column = {resource: index for index, resource in enumerate(resources)}
    for index, guest in enumerate(guests):
        for resource, amount in fleet.demand_of(guest).items():
            if resource in column:
                demand[index, column[resource]] = amount
    return demand


def _usable(
    fleet: Fleet, hosts: Mapping[str, int], resources: tuple[str, ...]
) -> NDArray[np.int64]:
    """What hosts give, less what stopped guests take of it."""
    usable = np.zeros((len(hosts), len(resources)), dtype=np.int64)
    for host, index in hosts.items():
        usable[index] = [fleet.hosts[host].usable(resource) for resource in resources]
    for guest in fleet.guests.values():
        if guest.stopped and guest.host is not None and guest.host in hosts:
            taken = fleet.demand_of(guest.id)
            amounts = [taken.get(resource, 0) for resource in resources]
            usable[hosts[guest.host]] -= np.array(amounts, dtype=np.int64)
    return usable


def _move_cost(fleet: Fleet, guests: tuple[str, ...]) -> NDArray[np.int64]:
    """What is copied: memory, and local disks, which are dearer; and something for the risk."""
    local = [r.id for r in fleet.resources.values() if r.is_disk and r.shared_total is None]
    pools = [pool for pool in local if pool.startswith(disk(""))]
    costs = np.zeros(len(guests), dtype=np.int64)
    for index, guest in enumerate(guests):
        taken = fleet.demand_of(guest)
        disks = sum(taken.get(pool, 0) for pool in pools)
        stopped = RESTART_MIB if fleet.guests[guest].kind is GuestKind.CONTAINER else 0
        costs[index] = EACH_MOVE_MIB + taken.get(MEMORY, 0) + LOCAL_DISK * disks + stopped
    return costs


def _units(fleet: Fleet, guests: tuple[str, ...], totals: Mapping[str, int]) -> FrozenMap[str, int]:
    """What an amount weighs among repairs: also of soft resources, which rules may limit.

    No more than what lets the amounts of all guests be added up, stopped ones among them: their
    disks may be far larger than those of the guests that run.
    """
    largest: dict[str, int] = {}
    for guest in guests:
        for resource, amount in fleet.demand_of(guest).items():
            if amount > largest.get(resource, 0):
                largest[resource] = amount
    return FrozenMap(
        {
            resource: max(1, min(COLLISION // amount, LARGEST_PRICE // totals[resource]))
            for resource, amount in sorted(largest.items())
        }
    )
