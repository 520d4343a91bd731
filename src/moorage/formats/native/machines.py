# SPDX-License-Identifier: Apache-2.0
"""Hosts and guests of a validated document as values of the model."""

from __future__ import annotations

from moorage.formats.native.document import (
    DirtyEntry,
    GuestEntry,
    HostEntry,
    LoadEntry,
    PressureEntry,
)
from moorage.formats.native.room import Room
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import IDLE, Dirtying, Guest, Load
from moorage.model.hosts import CALM, Host, Pressure, Verdict


def host_of(id: str, entry: HostEntry, room: Room) -> Host:
    """Return the host that *entry* describes."""
    path = ("hosts", id)
    capacity = room.gather(path, entry.memory, entry.cpu, entry.storage, entry.resources)
    for resource, amount in room.attached(id):
        capacity.setdefault(resource, amount)
    health = entry.health
    return Host(
        id,
        capacity=FrozenMap(capacity),
        reserve=room.amounts(entry.reserve, (*path, "reserve")),
        overcommit_permille=room.amounts(entry.overcommit, (*path, "overcommit")),
        thresholds=room.amounts(entry.thresholds, (*path, "thresholds")),
        labels=FrozenMap(entry.labels) if entry.labels else EMPTY,
        state=entry.state,
        verdict=None if health is None else Verdict(health.verdict, tuple(health.findings)),
        heartbeat_age_s=entry.heartbeat_age,
        pressure=_pressure(entry.pressure),
        devices=FrozenMap(entry.devices) if entry.devices else EMPTY,
        cpu_features=tuple(entry.cpu_features),
        cores=entry.cores,
        bandwidth_mbps=entry.bandwidth,
        tags=tuple(entry.tags),
        name=entry.name,
    )


def guest_of(id: str, entry: GuestEntry, room: Room) -> Guest:
    """Return the guest that *entry* describes. There are many: each step here counts."""
    demand = room.gather(
        ("guests", id), entry.memory, entry.cpu, entry.disks, entry.resources, "disks"
    )
    return Guest(
        id,
        entry.kind,
        entry.host,
        FrozenMap(demand),
        entry.stopped,
        entry.vcpus,
        IDLE if entry.load is None else _load(entry.load),
        entry.priority,
        tuple(entry.volumes),
        FrozenMap(entry.devices) if entry.devices else EMPTY,
        tuple(entry.cpu_features),
        None if entry.dirty is None else _dirtying(entry.dirty),
        entry.lock,
        tuple(entry.tags),
        entry.project,
        entry.group,
        entry.move_price,
        entry.move_duration,
        entry.name,
    )


def _pressure(entry: PressureEntry | None) -> Pressure:
    return CALM if entry is None else Pressure(entry.cpu, entry.memory, entry.io)


def _load(entry: LoadEntry) -> Load:
    return Load(entry.cpu, entry.memory, _pressure(entry.pressure))


def _dirtying(entry: DirtyEntry) -> Dirtying:
    return Dirtying(entry.hot, entry.hot_period, entry.cold)
