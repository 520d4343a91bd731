# SPDX-License-Identifier: Apache-2.0
"""How full and how busy hosts are: the figures behind their bars."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moorage.model import Fleet, Host, View


class Heat(IntEnum):
    """How hot a gauge is. In order, so that the hottest of several is their greatest."""

    CALM = 0
    WARM = 1
    HOT = 2

    @property
    def from_permille(self) -> int:
        """The part taken from which on it is so hot."""
        return {Heat.CALM: 0, Heat.WARM: 700, Heat.HOT: 900}[self]


@dataclass(frozen=True, slots=True)
class Gauge:
    """How much of one thing is taken on one host.

    Attributes:
        title: what it measures, as a heading.
        unit: what its amounts are in.
        amount: taken and usable, for people.
        permille: the part that is taken.
    """

    title: str
    unit: str
    amount: str
    permille: int

    @property
    def percent(self) -> int:
        """The part that is taken, never shown as less than full when it is over."""
        return -(-self.permille // 10) if self.permille > 1000 else self.permille // 10

    @property
    def heat(self) -> Heat:
        """How hot that is."""
        return max(heat for heat in Heat if self.permille >= heat.from_permille)


def gauges_of(fleet: Fleet) -> dict[str, tuple[Gauge, ...]]:
    """Return {host: its gauges}: of memory and CPU, or of the first two resources it has.

    CPU is what guests use, where that was measured, of the cores that are there; memory, and
    CPU that nobody measured, is what was given to guests of what may be given.
    """
    from moorage.model import CPU, View

    view = View(fleet, fleet.placement, at_end=True)
    resources = _resources(fleet)
    measured = any(g.load.cpu_millicores is not None for g in fleet.guests.values())
    return {
        host.id: tuple(
            _load(fleet, host) if measured and r == CPU else _taken(fleet, view, host, r)
            for r in resources
        )
        for host in fleet.hosts.values()
    }


def _resources(fleet: Fleet) -> list[str]:
    from moorage.model import CPU, MEMORY

    there = {r for host in fleet.hosts.values() for r in host.capacity}
    usual: list[str] = [r for r in (MEMORY, CPU) if r in there]
    return usual or [r for r in fleet.resources if r in there][:2]


def _taken(fleet: Fleet, view: View, host: Host, resource: str) -> Gauge:
    taken, usable = view.load(host.id, resource), host.usable(resource)
    unit = fleet.unit_of(resource)
    amount = f"{_short(taken, unit)}/{_short(usable, unit)}"
    return Gauge(f"{resource} taken", _UNITS.get(unit, unit), amount, _permille(taken, usable))


def _load(fleet: Fleet, host: Host) -> Gauge:
    from moorage.model import CPU

    guests = (fleet.guests[g] for g in fleet.residents[host.id])
    used = sum(guest.load.cpu_millicores or 0 for guest in guests)
    there = host.cores * 1000 if host.cores else host.capacity.get(CPU, 0)
    amount = f"{_short(used, 'millicores')}/{_short(there, 'millicores')}"
    return Gauge("cpu used", "cores", amount, _permille(used, there))


_UNITS = {"MiB": "GiB", "millicores": "cores"}


def _permille(taken: int, usable: int) -> int:
    if usable:
        return taken * 1000 // usable
    return 0 if not taken else 9_990


def _short(amount: int, unit: str) -> str:
    """Return *amount* in GiB, cores or as it is, in as few digits as tell the difference."""
    whole = {"MiB": 1024, "millicores": 1000}.get(unit, 1)
    if whole == 1 or amount >= 10 * whole:
        return str((amount + whole // 2) // whole)
    return f"{amount / whole:.1f}".removesuffix(".0")
