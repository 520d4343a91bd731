# SPDX-License-Identifier: Apache-2.0
"""proxlb-solver's own objective, from a fleet and a placement: the judge under its goal.

Its terms are public behaviour: a gap between the fullest and the emptiest host in hundredths of
a percent, times a weight, and a price for each move. Written for the method that balances memory,
which is what the scaling scenarios ask for.
"""

from __future__ import annotations

from collections.abc import Mapping

from moorage.model import Fleet, HostState

# Weight of the gap, weight of the moves, and the least gap (in hundredths of a percent) at which
# anything is balanced, for each level of balanciness.
LEVELS = {1: (0, 1, 10_000), 2: (1, 50, 2500), 3: (10, 10, 1500), 4: (50, 5, 500), 5: (100, 1, 0)}
FULL = 10_000
STEP_MIB = 256


def objective(fleet: Fleet, placements: Mapping[str, str | None]) -> int:
    """Return what the peer would call the objective of *placements*.

    Raises:
        ValueError: the scenario balances something else than memory.
    """
    options = fleet.goal.options if fleet.goal else {}
    if options.get("method", "memory") != "memory":
        raise ValueError(f"no judge for the method {options['method']}")
    balance, price, trigger = LEVELS[options.get("balanciness", 3)]
    if _gap(fleet, fleet.placement) < trigger:
        balance = 0
    where = {**fleet.placement, **placements}
    return balance * _gap(fleet, where) + price * _cost(fleet, where)


def _gap(fleet: Fleet, where: Mapping[str, str | None]) -> int:
    taken = dict.fromkeys(fleet.hosts, 0)
    for guest in fleet.guests.values():
        host = where[guest.id]
        if host is not None:
            taken[host] += guest.demand.get("memory", 0) * guest.priority
    loads = [
        FULL * taken[host.id] // host.usable("memory")
        for host in fleet.hosts.values()
        if host.state is not HostState.MAINTENANCE
    ]
    return max(loads) - min(loads)


def _cost(fleet: Fleet, where: Mapping[str, str | None]) -> int:
    moved = (g for g in fleet.guests.values() if where[g.id] != fleet.placement[g.id])
    return sum(
        max(1, guest.demand.get("memory", 0) // STEP_MIB)
        + 4 * (sum(a for r, a in guest.demand.items() if r.startswith("disk:")) // STEP_MIB)
        for guest in moved
    )
