# SPDX-License-Identifier: Apache-2.0
"""Hosts and guests as entries of a native document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moorage.formats.native.notation import Notation, Show, bare, hundredths, thousandths
from moorage.formats.native.room import usual_unit
from moorage.model.errors import Unsupported
from moorage.model.fleet import Fleet
from moorage.model.guests import IDLE, Dirtying, Guest, GuestKind, Load
from moorage.model.hosts import CALM, Host, HostState, Pressure, Verdict
from moorage.model.resources import CPU, MEMORY

Plain = dict[str, Any]


class MachineEncoder:
    """Turns hosts and guests into entries.

    Attributes:
        attached: {shared pool: hosts that have all of it}: they don't say so themselves.
    """

    def __init__(self, fleet: Fleet, notation: Notation) -> None:
        self.fleet = fleet
        self._notation = notation
        self._places = {r: self._place(r) for r in fleet.resources}
        pools = {
            r.id: r.shared_total
            for r in fleet.resources.values()
            if r.is_disk and r.unit == usual_unit(r.id) and r.shared_total is not None
        }
        self.attached = {
            pool: tuple(h for h, host in fleet.hosts.items() if host.capacity.get(pool) == total)
            for pool, total in pools.items()
        }
        self._pools = pools

    def _place(self, resource: str) -> tuple[str | None, str, Show]:
        """The group (None for none) and the key of a resource, and how it is shown."""
        known = self.fleet.resources[resource]
        if known.unit != usual_unit(resource):
            return "resources", resource, bare
        show = self._notation.amount(known.unit)
        return ("storage", known.pool, show) if known.is_disk else (None, resource, show)

    def amounts(
        self,
        amounts: Mapping[str, int],
        storage: str = "storage",
        show_as: Callable[[int], Any] | None = None,
    ) -> Plain:
        """Return *amounts* under the keys of a document."""
        found: Plain = dict.fromkeys((MEMORY, CPU, storage, "resources"))
        for resource, amount in amounts.items():
            place = self._places.get(resource)
            if place is None:
                raise Unsupported(f"the fleet doesn't declare the resource {resource}")
            group, key, show = place
            shown = (show_as or show)(amount)
            if group is None:
                found[key] = shown
                continue
            named = storage if group == "storage" else group
            found[named] = {**(found[named] or {}), key: shown}
        return {key: value for key, value in found.items() if value is not None}

    def host(self, host: Host) -> Plain:
        """Return the entry of *host*."""
        notation, pools = self._notation, self._pools
        own = {r: a for r, a in host.capacity.items() if r not in pools or a != pools[r]}
        entry: Plain = {"name": host.name} if host.name else {}
        entry |= self.amounts(own)
        _put(entry, "cores", host.cores)
        _put(entry, "reserve", self.amounts(host.reserve) or None)
        ratios = self.amounts(host.overcommit_permille, show_as=thousandths)
        _put(entry, "overcommit", ratios or None)
        _put(entry, "thresholds", self.amounts(host.thresholds) or None)
        _put(entry, "labels", dict(host.labels) or None)
        if host.state is not HostState.ACTIVE:
            entry["state"] = host.state.value
        if host.verdict is not None:
            entry["health"] = _health(host.verdict)
        if host.heartbeat_age_s is not None:
            entry["heartbeat_age"] = notation.seconds(host.heartbeat_age_s)
        _put(entry, "pressure", _pressure(host.pressure))
        if host.bandwidth_mbps is not None:
            entry["bandwidth"] = notation.mbps(host.bandwidth_mbps)
        _put(entry, "devices", dict(host.devices) or None)
        _put(entry, "cpu_features", list(host.cpu_features) or None)
        _put(entry, "tags", list(host.tags) or None)
        return entry

    def guest(self, guest: Guest) -> Plain:
        """Return the entry of *guest*."""
        entry: Plain = {"name": guest.name} if guest.name else {}
        if guest.kind is not GuestKind.VM:
            entry["kind"] = guest.kind.value
        _put(entry, "host", guest.host)
        entry |= self.amounts(guest.demand, "disks")
        if guest.stopped:
            entry["stopped"] = True
        _put(entry, "vcpus", guest.vcpus)
        if guest.load != IDLE:
            entry["load"] = self._load(guest.load)
        if guest.priority != 1:
            entry["priority"] = guest.priority
        _put(entry, "volumes", list(guest.volumes) or None)
        _put(entry, "devices", dict(guest.devices) or None)
        _put(entry, "cpu_features", list(guest.cpu_features) or None)
        if guest.dirtying is not None:
            entry["dirty"] = self._dirty(guest.dirtying)
        return self._rest_of(guest, entry)

    def _rest_of(self, guest: Guest, entry: Plain) -> Plain:
        _put(entry, "lock", guest.lock)
        _put(entry, "tags", list(guest.tags) or None)
        _put(entry, "project", guest.project)
        _put(entry, "group", guest.group)
        if guest.move_price:
            entry["move_price"] = guest.move_price
        if guest.move_duration_s is not None:
            entry["move_duration"] = self._notation.seconds(guest.move_duration_s)
        return entry

    def _load(self, load: Load) -> Plain:
        entry: Plain = {}
        if load.cpu_millicores is not None:
            entry["cpu"] = thousandths(load.cpu_millicores)
        if load.memory_mib is not None:
            entry["memory"] = self._notation.mib(load.memory_mib)
        _put(entry, "pressure", _pressure(load.pressure))
        return entry

    def _dirty(self, dirtying: Dirtying) -> Plain:
        usual, notation = Dirtying(), self._notation
        entry: Plain = {}
        if dirtying.hot_mib != usual.hot_mib:
            entry["hot"] = notation.mib(dirtying.hot_mib)
        if dirtying.hot_period_ms != usual.hot_period_ms:
            entry["hot_period"] = notation.milliseconds(dirtying.hot_period_ms)
        if dirtying.cold_kib_s != usual.cold_kib_s:
            entry["cold"] = notation.kib_per_s(dirtying.cold_kib_s)
        return entry


def _put(entry: Plain, key: str, value: Any) -> None:
    if value is not None:
        entry[key] = value


def _health(verdict: Verdict) -> str | Plain:
    if not verdict.findings:
        return verdict.health.value
    return {"verdict": verdict.health.value, "findings": list(verdict.findings)}


def _pressure(pressure: Pressure) -> Plain | None:
    if pressure == CALM:
        return None
    shares = {"cpu": pressure.cpu_bp, "memory": pressure.memory_bp, "io": pressure.io_bp}
    return {key: hundredths(share) for key, share in shares.items() if share}
