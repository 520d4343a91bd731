# SPDX-License-Identifier: Apache-2.0
"""The sections `nodes` and `vms`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from moorage.formats.cursor import Cursor, floored
from moorage.formats.proxlb import words
from moorage.formats.proxlb.naming import Known
from moorage.formats.remarks import Remarks
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Guest, GuestKind, Load
from moorage.model.hosts import CALM, Host, HostState, Pressure
from moorage.model.resources import CPU, MEMORY, disk

PRESSURES: Final = ("cpu_pressure", "memory_pressure", "io_pressure")
NODE_KEYS: Final = frozenset(
    {"cpu_total", "memory_total_gb", "storage_free", "reserve", "maintenance", *PRESSURES}
)
RESERVE_KEYS: Final = frozenset({"cpu", "memory_gb", "storage_gb"})
GUEST_KEYS: Final = frozenset(
    {"node", "cpu", "memory_gb", "cpu_usage", "disks", "priority", "type", "tags", *PRESSURES}
)
KINDS: Final = {"vm": GuestKind.VM, "ct": GuestKind.CONTAINER}


def read_hosts(top: Cursor, overcommit_permille: int, remarks: Remarks) -> dict[str, Host]:
    """Read all nodes. Only CPU may be given out more than once."""
    section = top.optional("nodes")
    if section is None:
        return {}
    overcommit = FrozenMap({CPU: overcommit_permille})
    return {name: _host(name, node, overcommit, remarks) for name, node in section.named()}


def _host(name: str, node: Cursor, overcommit: FrozenMap[str, int], remarks: Remarks) -> Host:
    node.only(NODE_KEYS, remarks)
    maintenance = node.optional("maintenance")
    off = maintenance is not None and maintenance.flag()
    capacity = {
        CPU: _millicores(node.required("cpu_total")),
        MEMORY: _mib(node.required("memory_total_gb")),
        **_pools(node.optional("storage_free")),
    }
    return Host(
        id=name,
        capacity=FrozenMap(capacity),
        reserve=_reserve(node.optional("reserve"), remarks),
        overcommit_permille=overcommit,
        state=HostState.MAINTENANCE if off else HostState.ACTIVE,
        pressure=_pressure(node),
    )


def _reserve(reserve: Cursor | None, remarks: Remarks) -> FrozenMap[str, int]:
    if reserve is None:
        return EMPTY
    reserve.only(RESERVE_KEYS, remarks)
    cpu, memory = reserve.optional("cpu"), reserve.optional("memory_gb")
    kept = {
        CPU: 0 if cpu is None else _millicores(cpu),
        MEMORY: 0 if memory is None else _mib(memory),
        **_pools(reserve.optional("storage_gb")),
    }
    return FrozenMap({resource: amount for resource, amount in kept.items() if amount})


def read_guests(top: Cursor, hosts: Mapping[str, Host], remarks: Remarks) -> dict[str, Guest]:
    """Read all vms and containers; each is on a node that the file knows."""
    section = top.optional("vms")
    if section is None:
        return {}
    known = Known(hosts)
    guests = {name: _guest(name, vm, known, remarks) for name, vm in section.named()}
    for name, guest in guests.items():
        _remark_on_width(section.at(name), guest, hosts, remarks)
    return guests


def _guest(name: str, vm: Cursor, nodes: Known, remarks: Remarks) -> Guest:
    vm.only(GUEST_KEYS, remarks)
    cpu, usage = _millicores(vm.required("cpu")), vm.optional("cpu_usage")
    priority, tags = vm.optional("priority"), vm.optional("tags")
    demand = {
        CPU: cpu,
        MEMORY: _mib(vm.required("memory_gb")),
        **_pools(vm.optional("disks")),
    }
    used = cpu if usage is None else floored(usage.number(words.MOST_CORES), words.MILLI)
    return Guest(
        id=name,
        kind=_kind(vm, remarks),
        host=_known_node(vm.required("node"), nodes),
        demand=FrozenMap(demand),
        load=Load(cpu_millicores=used, pressure=_pressure(vm)),
        priority=(
            words.DEFAULT_PRIORITY if priority is None else priority.whole(words.MOST_PRIORITY)
        ),
        tags=() if tags is None else tuple(tag.name() for tag in tags.items()),
    )


def _known_node(cursor: Cursor, nodes: Known) -> str:
    name = nodes.find(cursor)
    if name is None:
        cursor.fail(f"unknown node {cursor.shown}", hint="a vm is on one of the file's nodes")
    return name


def _kind(vm: Cursor, remarks: Remarks) -> GuestKind:
    cursor = vm.optional("type")
    if cursor is None:
        return GuestKind.VM
    kind = KINDS.get(cursor.name())
    if kind is None:
        text = f"unknown type {cursor.value!r} is read as vm"
        remarks.add("unknown types", cursor.place, text)
    return kind or GuestKind.VM


def _remark_on_width(vm: Cursor, guest: Guest, hosts: Mapping[str, Host], remarks: Remarks) -> None:
    """The original never compares vCPUs with cores, but a hypervisor does."""
    vcpus, cores = guest.demand[CPU], hosts[guest.host or ""].capacity[CPU]
    if guest.kind is GuestKind.VM and vcpus > cores:
        text = (
            f"{guest.id} has {vcpus // words.MILLI} vCPUs and its node {guest.host}"
            f" {cores // words.MILLI} cores, which Proxmox refuses to start"
        )
        remarks.add("guests wider than their node", vm.place, text)


def _pressure(section: Cursor) -> Pressure:
    """Percent become basis points; what is left out is calm."""
    if section.value.keys().isdisjoint(PRESSURES):
        return CALM
    found = (section.optional(key) for key in PRESSURES)
    cpu, memory, io = (
        0 if at is None else floored(at.number(words.MOST_PERCENT), words.BP_PER_PERCENT)
        for at in found
    )
    return Pressure(cpu_bp=cpu, memory_bp=memory, io_bp=io)


def _pools(section: Cursor | None) -> dict[str, int]:
    if section is None:
        return {}
    return {disk(pool): _mib(amount) for pool, amount in section.named()}


def _mib(cursor: Cursor) -> int:
    """Whole MiB in an amount of GB; a fraction of a MiB is cut off.

    The product with a power of two is exact: what is written from whole MiB is read as them.
    """
    cursor.number(words.MOST_GB)
    return int(cursor.value * words.MIB_PER_GB)


def _millicores(cursor: Cursor) -> int:
    return cursor.whole(words.MOST_CORES) * words.MILLI
