# SPDX-License-Identifier: Apache-2.0
"""Devices: GPUs and other hardware that guests are given whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices(Rule):
    """No host gives out more devices of a kind than it has."""

    kind: ClassVar[str] = "devices"
    invariant: ClassVar[str] = (
        "On every host and for every kind of device, the guests that hold the host need at"
        " most as many as it has."
    )
    remedy: ClassVar[str] = "add a device to a host, or move another guest off it"
    ambient: ClassVar[bool] = True

    def post(self, exact: Exact) -> None:
        for host in exact.hosts:
            has = exact.fleet.hosts[host].devices
            for device in self._kinds(exact.fleet):
                excess = exact.devices(host, device) - has.get(device, 0)
                exact.breach(self, host, excess, resource=f"device:{device}")

    def arrays(self, tables: Tables) -> None:
        for device in self._kinds(tables.fleet):
            tables.limit_devices(self, device)

    @staticmethod
    def _kinds(fleet: Fleet) -> list[str]:
        """The kinds of devices that any running guest needs."""
        if not fleet.uses_devices:
            return []
        return sorted({d for g in fleet.guests.values() if not g.stopped for d in g.devices})

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        if not view.fleet.uses_devices:
            return
        for host in view.fleet.hosts if focus is None else sorted(focus.hosts):
            users: dict[str, list[str]] = {}
            taken: dict[str, int] = {}
            for guest in view.guests_on(host):
                for device, count in view.fleet.guests[guest].devices.items():
                    taken[device] = taken.get(device, 0) + count
                    users.setdefault(device, []).append(guest)
            for device in sorted(taken):
                has = view.fleet.hosts[host].devices.get(device, 0)
                if taken[device] > has:
                    yield self._breach(host, device, users[device], taken[device], has)

    def _breach(self, host: str, device: str, users: list[str], taken: int, has: int) -> Breach:
        need = "needs" if len(users) == 1 else "need"
        text = f"{names(users)} {need} {taken} {device} on {host}, which has {has}"
        resource, over = f"device:{device}", taken - has
        guests = in_order(users)
        return Breach(self.label, Reason.DEVICE_MISSING, host, guests, over, text, resource, host)
