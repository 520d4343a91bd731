# SPDX-License-Identifier: Apache-2.0
"""Resources: named integer dimensions with their units, and how amounts are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEMORY: Final = "memory"
CPU: Final = "cpu"
DISK_PREFIX: Final = "disk:"

_BINARY_STEPS: Final = ("MiB", "GiB", "TiB", "PiB")


@dataclass(frozen=True, slots=True)
class Resource:
    """One dimension of room that guests take and hosts have.

    Attributes:
        id: its name; a storage pool's is `disk:` and the pool's name.
        unit: what one is: `MiB`, `millicores`, or any word for other resources.
        shared_total: for a pool that hosts share: the room over all of them; None for
            a resource that each host has for itself.
        hard: a must for capacity; a soft resource is weighed, never refused.
        held_until_end: a guest that moved still holds it on its first host until the
            whole plan has ended.
        price: price of one unit above a host's threshold.
    """

    id: str
    unit: str = "units"
    shared_total: int | None = None
    hard: bool = True
    held_until_end: bool = False
    price: int = 0

    @property
    def is_disk(self) -> bool:
        """Whether it is room in a storage pool."""
        return self.id.startswith(DISK_PREFIX)

    @property
    def pool(self) -> str:
        """The pool's name, for a storage pool."""
        return self.id.removeprefix(DISK_PREFIX)


MEMORY_RESOURCE: Final = Resource(MEMORY, "MiB")
CPU_RESOURCE: Final = Resource(CPU, "millicores")


def disk(pool: str) -> str:
    """Return the id of the resource that stands for *pool*."""
    return DISK_PREFIX + pool


def format_amount(amount: int, unit: str) -> str:
    """Show *amount* for people: 6 GiB, 2.5 cores, 7 units. Never less exact than a percent."""
    if unit == "millicores":
        cores = amount / 1000
        return f"{cores:g} core{'' if cores == 1 else 's'}"
    if unit not in _BINARY_STEPS[:1]:
        return f"{amount} {unit}"
    value, step = float(amount), 0
    while abs(value) >= 1024 and step < len(_BINARY_STEPS) - 1:
        value, step = value / 1024, step + 1
    text = f"{value:.{1 if abs(value) >= 10 else 2}f}".rstrip("0").rstrip(".")
    return f"{text} {_BINARY_STEPS[step]}"


def format_amounts(unit: str, *amounts: int) -> list[str]:
    """Show *amounts* side by side: different ones look different, if need be to the unit."""
    shown = [format_amount(amount, unit) for amount in amounts]
    if len(set(shown)) < len(set(amounts)):
        return [f"{amount} {unit}" for amount in amounts]
    return shown
