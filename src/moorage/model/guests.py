# SPDX-License-Identifier: Apache-2.0
"""Guests: what takes room, and what it costs to move it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.hosts import CALM, Pressure


class GuestKind(StrEnum):
    """How a guest runs, which decides how it moves."""

    VM = "vm"
    CONTAINER = "ct"
    MICROVM = "microvm"


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured of a guest. None is not measured, which is not zero."""

    cpu_millicores: int | None = None
    memory_mib: int | None = None
    pressure: Pressure = CALM


IDLE = Load()


@dataclass(frozen=True, slots=True)
class Dirtying:
    """How fast a guest rewrites its memory while it is copied.

    A hot part of *hot_mib* is rewritten within *hot_period_ms*; the rest turns dirty at
    *cold_kib_s*.
    """

    hot_mib: int = 0
    hot_period_ms: int = 1000
    cold_kib_s: int = 0


@dataclass(frozen=True, slots=True)
class Volume:
    """A disk with a life of its own, that guests attach."""

    id: str
    home: str | None = None
    size_mib: int = 0
    exclusive: bool = True


@dataclass(frozen=True, slots=True)
class Guest:
    """A virtual machine, container or microVM.

    Attributes:
        host: where it is now; None for one that has no host yet.
        demand: amount of each resource it takes, disks included as `disk:POOL`.
        stopped: it is off: it wants no host, and holds nothing but its disks.
        vcpus: None if not known.
        priority: weight of its load, for goals that have priorities.
        lock: what holds it (backup, snapshot …); a locked guest isn't moved.
        group: the application that it is a replica of.
        move_price: price of moving it at all, for goals that have prices.
        move_duration_s: how long a move takes, where that is known beforehand.
    """

    id: str
    kind: GuestKind = GuestKind.VM
    host: str | None = None
    demand: FrozenMap[str, int] = EMPTY
    stopped: bool = False
    vcpus: int | None = None
    load: Load = IDLE
    priority: int = 1
    volumes: tuple[str, ...] = ()
    devices: FrozenMap[str, int] = EMPTY
    cpu_features: tuple[str, ...] = ()
    dirtying: Dirtying | None = None
    lock: str | None = None
    tags: tuple[str, ...] = ()
    project: str | None = None
    group: str | None = None
    move_price: int = 0
    move_duration_s: int | None = None
    name: str = ""
