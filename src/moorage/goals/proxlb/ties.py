# SPDX-License-Identifier: Apache-2.0
"""What decides between answers that cost the same: the order in which scenarios expect it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import PRESSURES, demand_of, of_guests, of_hosts, times
from moorage.goals.proxlb import dimensions
from moorage.goals.proxlb.settings import Settings
from moorage.goals.quiet import moved_at
from moorage.model.resources import MEMORY
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier
from moorage.rules.pin import Pin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

MOST_CELLS: Final = 10_000_000
"""Of a price for each guest on each host; larger fleets do without those two ties."""


def ties(problem: Problem, settings: Settings) -> tuple[Tier, ...]:
    """Return the six ties in their order, without those that can't tell anything apart."""
    return tuple(
        Tier(name, objective=objective, shown=False)
        for name, objective in _objectives(problem, settings)
        if objective.place_price.any() or objective.move_price.any()
    )


def _objectives(problem: Problem, settings: Settings) -> Iterator[tuple[str, Objective]]:
    if len(problem.guests) * len(problem.hosts) <= MOST_CELLS:
        yield "order of pins", _placed_at(problem, pin_order(problem))
        yield "pressure", _placed_at(problem, stalled(problem, settings))
    priority = of_guests(problem, lambda guest: guest.priority)
    yield "moves", moved_at(problem, np.ones(len(problem.guests), dtype=np.int64))
    # As many are moved as the tie before says, so that this is the largest sum of priorities.
    yield "priority", moved_at(problem, priority.max(initial=0) - priority)
    yield "moved memory", moved_at(problem, demand_of(problem, MEMORY))
    yield "moved cpu", moved_at(problem, dimensions.cpu(problem, assigned=False).amounts)


def _placed_at(problem: Problem, prices: Ints) -> Objective:
    found = prices if prices.any() else np.zeros((0, 0), dtype=np.int64)
    return Objective(**{**plain(problem), "place_price": found})


def pin_order(problem: Problem) -> Ints:
    """How far down the list of its pin each host is for a guest."""
    pins = [rule for rule in problem.must if isinstance(rule, Pin) and len(rule.hosts) > 1]
    if not pins:
        return np.zeros((0, 0), dtype=np.int64)
    found = np.zeros((len(problem.guests), len(problem.hosts)), dtype=np.int64)
    for pin in pins:
        rows = [problem.guest_index[g] for g in pin.guests if g in problem.guest_index]
        for place, host in enumerate(pin.hosts):
            if host in problem.host_index:
                found[rows, problem.host_index[host]] += place
    return found


def stalled(problem: Problem, settings: Settings) -> Ints:
    """What a guest brings to a host, times how much that host stalls, as it says of itself."""
    nothing = np.zeros((0, 0), dtype=np.int64)
    if not settings.psi:
        return nothing
    priority = of_guests(problem, lambda guest: guest.priority)
    found = nothing
    for resource in settings.parts():
        part = PRESSURES[f"{resource}_pressure"]
        stalls = of_hosts(problem, lambda host, part=part: part(host.pressure))  # type: ignore[misc]
        if stalls.any():
            brings = _brings(problem, settings, resource)
            weight = settings.weight_of(resource)
            priced = times(brings, weight, priority[:, None], stalls)
            found = priced if not found.size else found + priced
    return found


def _brings(problem: Problem, settings: Settings, resource: str) -> Ints:
    """What each guest brings to each host of a resource's load, in ten-thousandths."""
    stalls = dimensions.stalls(problem, f"{resource}_pressure").amounts[:, None]
    if not settings.is_smart:
        return np.asarray(stalls)
    usage = settings.usage_of(problem, resource)
    share = dimensions.SCALE * usage.amounts[:, None] // usage.cap
    weighted = settings.usage_weight(resource) * share + settings.psi_weight(resource) * stalls
    return np.asarray(weighted)
