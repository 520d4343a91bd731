# SPDX-License-Identifier: Apache-2.0
"""The problem: a fleet as integer arrays, in the natural order of names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.rule import Breach, Rule
from moorage.problem.restrictions import Restrictions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Indices: TypeAlias = NDArray[np.int32]
    Flags: TypeAlias = NDArray[np.bool_]

NOWHERE: Final = -1
"""The host of a guest that has none."""

COLLISION: Final = 1_000_000
"""What one point of a breach that is counted weighs among repairs; amounts of a resource weigh
so that the largest guest of the fleet weighs as much."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What the engines work on. Guests that are stopped are not in it; their disks are taken off.

    Attributes:
        fleet: what it was compiled from.
        hosts: ids, in natural order; a host's index is its place here.
        guests: ids of the running guests, in natural order.
        resources: hard resources of hosts that any guest takes, storage pools included, in order.
        demand: what each guest takes, [guest, resource].
        usable: what hosts can give to running guests, [host, resource]: negative where stopped
            guests alone exceed it.
        held: whether a moved guest still holds the resource on its first host at the end.
        start: host of each guest now, or NOWHERE.
        restrictions: where each guest may be, and what it costs there, by its own rules.
        rules: all that bind the fleet, each with a label of its own, written ones first.
        standing: breaches of must-rules at the start, by (rule, code, where, resource).
        move_cost: what moving each guest costs, in MiB copied.
    """

    fleet: Fleet
    hosts: tuple[str, ...]
    guests: tuple[str, ...]
    resources: tuple[str, ...]
    demand: Ints
    usable: Ints
    held: Flags
    start: Indices
    restrictions: Restrictions
    rules: tuple[Rule, ...]
    standing: Mapping[tuple[str, str, str, str], Breach]
    move_cost: Ints
    units: FrozenMap[str, int] = field(default=EMPTY)

    @cached_property
    def host_index(self) -> dict[str, int]:
        """Return {id: index} of the hosts."""
        return {host: index for index, host in enumerate(self.hosts)}

    @cached_property
    def guest_index(self) -> dict[str, int]:
        """Return {id: index} of the guests."""
        return {guest: index for index, guest in enumerate(self.guests)}

    @cached_property
    def must(self) -> tuple[Rule, ...]:
        """The rules that have to hold."""
        return tuple(rule for rule in self.rules if rule.is_must)

    @cached_property
    def should(self) -> tuple[Rule, ...]:
        """The rules that cost where they don't hold."""
        return tuple(rule for rule in self.rules if not rule.is_must)

    def severity(self, breach: Breach) -> int:
        """What *breach* weighs among repairs."""
        return breach.amount * self.unit(breach.resource)

    def unit(self, resource: str) -> int:
        """What one unit too much of *resource* (empty: one collision) weighs among repairs."""
        return self.units.get(resource, COLLISION)

    def placement(self, hosts: Any) -> dict[str, str | None]:
        """Return the placement that an array of host indices stands for, stopped guests too."""
        found = dict(self.fleet.placement)
        names = self.hosts
        for guest, host in zip(self.guests, hosts.tolist(), strict=True):
            found[guest] = None if host < 0 else names[host]
        return found

    def indices(self, placement: Mapping[str, str | None]) -> Indices:
        """Return the array of host indices that stands for *placement*."""
        import numpy as np

        index = self.host_index
        rows = (NOWHERE if (h := placement.get(g)) is None else index[h] for g in self.guests)
        return np.fromiter(rows, dtype=np.int32, count=len(self.guests))
