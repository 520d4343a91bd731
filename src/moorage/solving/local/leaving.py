# SPDX-License-Identifier: Apache-2.0
"""Who leaves hosts that have too much: on each host the cheapest choice, by all sums there are.

A guest more or less by chance overshoots by half a guest on every host. All sums that the guests
of a host add up to are soon tabulated, where they are multiples of a unit that isn't too fine;
else they are rounded to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.solving.local.layout import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]

NEVER: Final = 2**60
MOST_WIDTH: Final = 1_024
"""Sums that are told apart on a host; finer units are rounded."""
HALVINGS: Final = 12


@dataclass(frozen=True, eq=False)
class Choices:
    """Sums that may leave a host, and what each costs: the leaving itself, and what stays.

    Attributes:
        sums: how much leaves, ascending from nothing.
        costs: what that costs the guests who leave.
        stay: what the host pays for what is left.
        short: how much the host has too little then.
        filled: what the host pays for what is left once others have brought that much.
        taken: who leaves for each sum and guest, [guest, sum in units].
    """

    guests: Indices
    units: Ints
    sums: Ints
    costs: Ints
    stay: Ints
    short: Ints
    filled: Ints
    taken: NDArray[np.bool_]

    def best(self, price: float) -> tuple[int, int]:
        """The place of the best sum, and how much leaves on balance.

        Each unit that leaves earns *price*, and each that comes to fill the host up costs it.
        """
        filled = self.filled + price * self.short
        place = int(np.argmin(self.costs + np.minimum(self.stay, filled) - price * self.sums))
        is_filled = filled[place] < self.stay[place]
        return place, int(self.sums[place]) - is_filled * int(self.short[place])

    def leaving(self, place: int, unit: int) -> list[int]:
        """The guests whose amounts add up to a sum."""
        at, found = int(self.sums[place]) // unit, []
        for k in range(len(self.guests) - 1, -1, -1):
            if self.taken[k, at]:
                found.append(int(self.guests[k]))
                at -= int(self.units[k])
        return found


def leavers(state: State, column: int, gathered: Ints, refill: bool) -> Indices:
    """The guests that had best leave their hosts for the sake of a column, the largest first.

    Those of *gathered* sets could only leave together, and so don't. With *refill* hosts count on
    others to bring what they lack then.
    """
    hosts, guests = state.hosts, state.guests
    count = hosts.load.shape[0] - 1
    load = hosts.load[:count, column]
    lacks = _lacks(state, column, load)
    order = guests.order[hosts.amount[guests.order, column] > 0]
    order = order[(guests.host[order] < count) & ~_tied(state, gathered)[order]]
    where = np.argsort(guests.host[order], kind="stable")
    order = order[where]
    ends = np.searchsorted(guests.host[order], np.arange(count + 1))
    unit = _unit(hosts.amount[order, column], ends)
    found = {}
    for host in _worth_a_look(state, column, load, lacks).tolist():
        here = order[ends[host] : ends[host + 1]]
        if len(here):
            found[host] = _choices(state, column, host, here, unit, refill)
    chosen = _settled(found, int(lacks.sum()))
    leaving = [g for host, place in chosen.items() for g in found[host].leaving(place, unit)]
    picked = np.array(leaving, dtype=np.int32)
    return picked[np.argsort(-hosts.amount[picked, column], kind="stable")]


def _tied(state: State, gathered: Ints) -> Flags:
    sets, found = state.sets, np.zeros(len(state.guests.host), dtype=np.bool_)
    for s in gathered.tolist():
        found[sets.member[sets.begin[s] : sets.begin[s + 1]]] = True
    return found


def _paid(state: State, column: int, host: int, loads: Ints) -> Ints:
    """What a host pays for each of some loads of a column."""
    hosts = state.hosts
    found = hosts.price[column] * np.maximum(0, loads - hosts.high[host, column])
    for k in np.flatnonzero(hosts.edge_column == column).tolist():
        past = (loads - hosts.edge_at[host, k]) * hosts.edge_sign[k]
        found = found + hosts.edge_price[k] * np.maximum(0, past)
    return np.asarray(found)


def _lacks(state: State, column: int, load: Ints) -> Ints:
    """What hosts have less than they should."""
    hosts, found = state.hosts, np.zeros_like(load)
    for k in np.flatnonzero((hosts.edge_column == column) & (hosts.edge_sign < 0)).tolist():
        found = np.maximum(found, hosts.edge_at[: len(load), k] - load)
    return found


def _floor(state: State, column: int, host: int) -> int:
    """Below which load a host pays for having too little; 0 if it never does."""
    hosts = state.hosts
    lows = (hosts.edge_column == column) & (hosts.edge_sign < 0)
    return int(hosts.edge_at[host, lows].max(initial=0))


def _worth_a_look(state: State, column: int, load: Ints, lacks: Ints) -> Ints:
    """Hosts that have too much; and those with anything to give, if others lack more than that."""
    over = np.maximum(0, load - state.hosts.high[: len(load), column])
    if lacks.sum() > over.sum():
        return np.flatnonzero(lacks == 0)
    return np.flatnonzero(over)


def _unit(amounts: Ints, ends: Ints) -> int:
    """In what sums are told apart, by the host whose guests, from end to end, have most.

    Its load says nothing of that: it may be next to none where a column starts far below zero.
    """
    least = max(1, int(np.gcd.reduce(amounts, initial=0)))
    sums = np.concatenate([[0], np.cumsum(amounts)])[ends]
    width = int(np.diff(sums).max(initial=0)) // least
    return least * max(1, -(-width // MOST_WIDTH))


def _choices(
    state: State, column: int, host: int, here: Indices, unit: int, refill: bool
) -> Choices:
    """Tabulate the cheapest choice among the guests on a host for each sum."""
    guests = state.guests
    fares = np.where(guests.host[here] == guests.start[here], guests.move[here], 0)
    units = state.hosts.amount[here, column] // unit
    width = int(units.sum()) + 1
    costs = np.full(width, NEVER, dtype=np.int64)
    costs[0] = 0
    taken = np.zeros((len(here), width), dtype=np.bool_)
    for k, (step, fare) in enumerate(zip(units.tolist(), fares.tolist(), strict=True)):
        if 0 < step < width:
            better = costs[:-step] + fare < costs[step:]
            taken[k, step:] = better
            costs[step:] = np.where(better, costs[:-step] + fare, costs[step:])
    reached = np.flatnonzero(costs < NEVER)
    sums = reached * unit
    left = state.hosts.load[host, column] - sums
    floor = _floor(state, column, host) if refill else 0
    short = np.maximum(0, floor - left)
    stay, filled = (_paid(state, column, host, load) for load in (left, left + short))
    return Choices(here, units, sums, costs[reached], stay, short, filled, taken)


def _settled(choices: dict[int, Choices], wanted: int) -> dict[int, int]:
    """Which sum leaves each host: what is best there, or more for as much as others lack.

    At the price that calls forth enough many hosts waver at once. Only as many of them give way
    as are needed.
    """

    def at(price: float) -> dict[int, tuple[int, int]]:
        return {host: each.best(price) for host, each in choices.items()}

    def total(places: dict[int, tuple[int, int]]) -> int:
        return sum(leaves for _, leaves in places.values())

    few = at(0.0)
    if total(few) < wanted and choices:
        least, most = 0.0, 1.0
        steepest = max(float(each.stay.max()) for each in choices.values())
        while total(many := at(most)) < wanted and most < steepest:
            most *= 2
        for _ in range(HALVINGS):
            middle = (least + most) / 2
            places = at(middle)
            if total(places) < wanted:
                least, few = middle, places
            else:
                most, many = middle, places
        missing = wanted - total(few)
        for host, (place, leaves) in many.items():
            more = leaves - few[host][1]
            if missing > 0 and more > 0:
                few[host] = place, leaves
                missing -= more
    return {host: place for host, (place, _) in few.items()}
