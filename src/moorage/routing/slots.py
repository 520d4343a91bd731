# SPDX-License-Identifier: Apache-2.0
"""How many moves may run at once: on the fleet, into and out of hosts, over links, on pools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from moorage.model.fleet import Fleet

Slot = tuple[str, str]
"""What is used, and where."""


@dataclass(eq=False)
class Slots:
    """What of the limits of a fleet is taken by moves that run now."""

    fleet: Fleet
    taken: Counter[Slot] = field(default_factory=Counter)

    def of(self, guests: Sequence[str], source: str | None, target: str) -> tuple[Slot, ...]:
        """What a move takes; one that starts guests anew copies nothing."""
        return () if source is None else tuple(self._of(guests, source, target))

    def take(self, slots: Sequence[Slot]) -> None:
        """A move starts."""
        self.taken.update(slots)

    def give_back(self, slots: Sequence[Slot]) -> None:
        """A move has ended."""
        self.taken.subtract(slots)

    def limit(self, slot: Slot) -> int:
        """How many moves may take a slot at once."""
        return self._limits[slot[0]]

    @cached_property
    def _limits(self) -> Mapping[str, int]:
        limits = self.fleet.limits
        named = {
            "at once": limits.at_once,
            "into": limits.into_host,
            "out of": limits.out_of_host,
            "over": limits.over_link,
            "pool": limits.per_pool,
        }
        return {name: limit for name, limit in named.items() if limit is not None}

    def _of(self, guests: Sequence[str], source: str, target: str) -> Iterator[Slot]:
        limits = self._limits
        if "at once" in limits:
            yield "at once", ""
        if "into" in limits:
            yield "into", target
        if "out of" in limits:
            yield "out of", source
        if "over" in limits:
            there = self._sides.get(target, {})
            for link, side in self._sides.get(source, {}).items():
                if there.get(link, side) != side:
                    yield "over", link
        if "pool" in limits:
            for pool in self._local_pools(guests):
                yield "pool", f"{pool} {source}"
                yield "pool", f"{pool} {target}"

    def _local_pools(self, guests: Sequence[str]) -> list[str]:
        known = self.fleet.resources
        taken = {r for g in guests for r, a in self.fleet.guests[g].demand.items() if a}
        return sorted(
            r for r in taken if r in known and known[r].is_disk and known[r].shared_total is None
        )

    @cached_property
    def _sides(self) -> Mapping[str, Mapping[str, int]]:
        """On which side of each link each host is."""
        sides: dict[str, dict[str, int]] = {}
        for link in self.fleet.links:
            for number, side in enumerate(link.sides):
                for host in side:
                    sides.setdefault(host, {}).setdefault(link.id, number)
        return sides
