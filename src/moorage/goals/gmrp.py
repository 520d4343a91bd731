# SPDX-License-Identifier: Apache-2.0
"""The cost of the machine reassignment challenge (Google, ROADEF/EURO 2012), to the unit.

One number: what guests take above the thresholds of hosts, what a host lacks of one resource to
go with its free room of another, and what moves cost by guest, by group and by pair of hosts. All
prices stand in the fleet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from moorage.goals.measures import Measure, of_guests, of_hosts, taken_of, times
from moorage.goals.options import Options
from moorage.goals.quiet import QUIET_REPAIRS, quiet_should
from moorage.model.prices import PairPrices
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]

NAME: Final = "gmrp"
OPTIONS: Final = ()


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """One tier that is the challenge's own number; what rules ask comes before it, unseen."""
    return (QUIET_REPAIRS, *quiet_should(problem), Tier(NAME, objective=cost(problem)))


def cost(problem: Problem) -> Objective:
    """Return the cost as an objective."""
    loads, lacks = _load_dimensions(problem), _balance_dimensions(problem)
    dimensions = [*loads, *lacks]
    fields = plain(problem, len(dimensions), levels=1)
    for column, (amounts, base, high, price) in enumerate(dimensions):
        fields["amounts"][:, column] = amounts
        fields["base"][:, column] = base
        fields["high"][0, :, column] = high
        # Nothing costs for being low: no host can have less than this.
        fields["low"][0, :, column] = base + min(0, int(np.minimum(amounts, 0).sum()))
        fields["price"][0, column] = price
    return Objective(**{**fields, **_moves(problem)})


def _load_dimensions(problem: Problem) -> list[tuple[Ints, Ints, Ints, int]]:
    """Resources with a price above the thresholds of hosts."""
    found = []
    for resource in problem.fleet.resources.values():
        if resource.price:
            taken = taken_of(problem, resource.id)
            high = _thresholds(problem, resource.id)
            found.append((taken.amounts, taken.base, high, resource.price))
    return found


def _thresholds(problem: Problem, resource: str) -> Ints:
    """What is free of a price: up to the capacity where a host has no threshold."""
    return of_hosts(
        problem, lambda host: host.thresholds.get(resource, host.capacity.get(resource, 0))
    )


def _balance_dimensions(problem: Problem) -> list[tuple[Ints, Ints, Ints, int]]:
    """What a host lacks: target x free of one resource, less what is free of the other."""
    found = []
    for balance in problem.fleet.prices.balance:
        of, to = taken_of(problem, balance.of), taken_of(problem, balance.to)
        amounts = to.amounts - times(balance.target, of.amounts)
        base = times(balance.target, _free(of)) - _free(to)
        found.append((amounts, base, np.zeros_like(base), balance.price))
    return found


def _free(measure: Measure) -> Ints:
    return np.asarray(measure.room - measure.base)


def _moves(problem: Problem) -> Mapping[str, Any]:
    prices = problem.fleet.prices
    own = times(prices.guest_weight, of_guests(problem, lambda guest: guest.move_price))
    found: dict[str, Any] = {"move_price": own}
    if prices.group_weight:
        found["group_of"] = _groups(problem)
        found["group_price"] = prices.group_weight
    if prices.between is not None and prices.pair_weight:
        matrix = times(prices.pair_weight, _matrix(prices.between, problem.hosts))
        staying = np.diagonal(matrix)
        # The challenge counts guests that stay, too: by the price from a host to itself.
        found["constant"] = int(staying[problem.start[problem.start >= 0]].sum())
        found["pair_price"] = matrix - staying[:, None]
    return found


def _groups(problem: Problem) -> Indices:
    """Number the groups; a guest without one is a group of its own."""
    numbers: dict[tuple[bool, str], int] = {}
    guests = problem.fleet.guests
    keys = ((guests[g].group is not None, guests[g].group or g) for g in problem.guests)
    found = (numbers.setdefault(key, len(numbers)) for key in keys)
    return np.fromiter(found, dtype=np.int32, count=len(problem.guests))


def _matrix(between: PairPrices, hosts: tuple[str, ...]) -> Ints:
    """Return the prices in the order of *hosts*; 0 for hosts that they don't name."""
    place = {host: index for index, host in enumerate(between.hosts)}
    known = np.array([place.get(host, -1) for host in hosts], dtype=np.int64)
    if not len(place):
        return np.zeros((len(hosts), len(hosts)), dtype=np.int64)
    full = np.array(between.matrix, dtype=np.int64)
    named = known >= 0
    return np.where(named[:, None] & named, full[np.ix_(known, known)], 0)
