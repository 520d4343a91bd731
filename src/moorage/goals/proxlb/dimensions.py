# SPDX-License-Identifier: Apache-2.0
"""Loads of nodes as proxlb counts them: used by priority over what there is, in 1/10,000."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import PRESSURES, demand_of, of_guests, of_hosts, stored, times
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.resources import CPU, MEMORY
from moorage.problem.problem import Problem
from moorage.rules.maintenance import Maintenance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

SCALE: Final = 10_000
CORE: Final = 1000


@dataclass(frozen=True, eq=False)
class Dimension:
    """One kind of load: floor(scale x sum of amount x priority / cap) per node.

    Attributes:
        amounts: what each guest has of it, before its priority.
        priority: of each guest.
        base: what stopped guests have of it on each node.
        cap: what the load is measured against, at least 1.
        total: what a threshold is measured against: nothing is kept back.
        weight: of its gap in the whole.
    """

    amounts: Ints
    priority: Ints
    base: Ints
    cap: Ints
    total: Ints
    scale: int = SCALE
    weight: int = 1

    def weighing(self, weight: int) -> Dimension:
        """Return it with another weight."""
        return replace(self, weight=weight)

    def loads(self, problem: Problem, *, by_priority: bool = True) -> Ints:
        """What each node has of it now."""
        own = times(self.amounts, self.priority) if by_priority else self.amounts
        found = self.base.copy()
        placed = problem.start >= 0
        np.add.at(found, problem.start[placed], own[placed])
        return found


def in_range(problem: Problem) -> Flags:
    """Nodes that count: all but those in maintenance. One that is evacuated counts as empty."""
    closed = [rule for rule in problem.rules if isinstance(rule, Maintenance) and rule.is_must]
    hosts = (problem.fleet.hosts[host] for host in problem.hosts)
    counts = (not any(rule.gate_of(host) for rule in closed) for host in hosts)
    return np.fromiter(counts, dtype=np.bool_, count=len(problem.hosts))


def _priorities(problem: Problem) -> Ints:
    return of_guests(problem, lambda guest: guest.priority)


def _nothing(problem: Problem) -> Ints:
    return np.zeros(len(problem.hosts), dtype=np.int64)


def memory(problem: Problem) -> Dimension:
    """Configured memory, against memory less what is kept back."""
    total = of_hosts(problem, lambda host: host.capacity.get(MEMORY, 0))
    cap = np.maximum(1, total - of_hosts(problem, lambda host: host.reserve.get(MEMORY, 0)))
    amounts = demand_of(problem, MEMORY)
    return Dimension(amounts, _priorities(problem), _nothing(problem), cap, total)


def cpu(problem: Problem, *, assigned: bool) -> Dimension:
    """CPU used, or vCPUs where *assigned*, against cores less what is kept back."""
    demand = demand_of(problem, CPU)
    amounts = demand if assigned else np.where((used := _cpu_used(problem)) < 0, demand, used)
    total = of_hosts(problem, lambda host: host.capacity.get(CPU, 0))
    cap = np.maximum(CORE, total - of_hosts(problem, lambda host: host.reserve.get(CPU, 0)))
    return Dimension(amounts, _priorities(problem), _nothing(problem), cap, total)


def _cpu_used(problem: Problem) -> Ints:
    def used(guest: Guest) -> int:
        return -1 if guest.load.cpu_millicores is None else guest.load.cpu_millicores

    return of_guests(problem, used)


def storage(problem: Problem) -> Dimension:
    """All disks of a guest, against all pools of a node together; nothing is kept back."""
    pools = [r.id for r in problem.fleet.resources.values() if r.is_disk]
    amounts = np.zeros(len(problem.guests), dtype=np.int64)
    base = _nothing(problem)
    for pool in pools:
        amounts = amounts + demand_of(problem, pool)
        base = base + stored(problem, pool)

    def free(host: Host) -> int:
        return sum(host.capacity.get(pool, 0) for pool in pools)

    total = of_hosts(problem, free)
    return Dimension(amounts, _priorities(problem), base, np.maximum(1, total), total)


def stalls(problem: Problem, name: str) -> Dimension:
    """Pressure in percent over 100, which is basis points over 10,000."""
    part = PRESSURES[name]
    one = np.ones(len(problem.hosts), dtype=np.int64)
    amounts = of_guests(problem, lambda guest: part(guest.load.pressure))
    return Dimension(amounts, _priorities(problem), _nothing(problem), one, one, scale=1)
