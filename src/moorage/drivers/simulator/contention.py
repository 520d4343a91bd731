# SPDX-License-Identifier: Apache-2.0
"""What guests get when they share a host, and how long they stall (PSI)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moorage.drivers.simulator.load import Wanted
from moorage.model.guests import Load
from moorage.model.hosts import CALM, Pressure

CALM_BELOW = {"cpu": 700, "memory": 850, "io": 600}
"""Use in permille up to which nobody waits."""

FULL_BP = {"cpu": 500, "memory": 2_000, "io": 1_500}
"""Stall in basis points when exactly all there is, is wanted."""

WORST_BP = 9_500


@dataclass(frozen=True, slots=True)
class Shared:
    """A host's answer to its guests: what each got, and how long they stalled."""

    loads: Mapping[str, Load]
    pressure: Pressure


def share(
    wants: Mapping[str, Wanted], *, cpu_millicores: int, memory_mib: int, vcpus: Mapping[str, int]
) -> Shared:
    """Share a host among *wants*: when CPU is short, each gets the same part of its wish."""
    cpu = sum(w.cpu_millicores for w in wants.values())
    cpu_use = _use(cpu, cpu_millicores)
    memory_use = _use(sum(w.memory_mib for w in wants.values()), memory_mib)
    pressure = Pressure(
        cpu_bp=_stall("cpu", cpu_use),
        memory_bp=_stall("memory", memory_use),
        io_bp=_stall("io", sum(w.io_permille for w in wants.values())),
    )
    loads = {
        guest: Load(
            cpu_millicores=w.cpu_millicores * 1000 // max(1000, cpu_use),
            memory_mib=w.memory_mib,
            pressure=_felt(pressure, w, vcpus[guest]),
        )
        for guest, w in wants.items()
    }
    return Shared(loads, pressure)


def _use(wanted: int, there: int) -> int:
    """Use in permille."""
    if not wanted:
        return 0
    return wanted * 1000 // there if there else 10_000


def _stall(resource: str, use: int) -> int:
    """Nobody waits, then a few do, then all that can't be served do."""
    calm, full = CALM_BELOW[resource], FULL_BP[resource]
    if use <= calm:
        return 0
    if use <= 1000:
        return full * (use - calm) ** 2 // (1000 - calm) ** 2
    return min(WORST_BP, full + (use - 1000) * 10_000 // use)


def _felt(host: Pressure, wants: Wanted, vcpus: int) -> Pressure:
    """A busy guest feels all of the host's stall, an idle one little."""
    if host == CALM:
        return CALM
    busy = min(1000, 300 + wants.cpu_millicores // max(1, vcpus))
    disks = min(1000, 300 + 10 * wants.io_permille)
    return Pressure(host.cpu_bp * busy // 1000, host.memory_bp, host.io_bp * disks // 1000)
