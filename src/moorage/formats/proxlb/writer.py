# SPDX-License-Identifier: Apache-2.0
"""Writing scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from moorage.formats.losses import Losses
from moorage.formats.proxlb import words
from moorage.formats.proxlb.balancing import EXPECTATIONS, OPTIONS
from moorage.formats.proxlb.machines import PRESSURES
from moorage.formats.proxlb.rule_rows import RuleRows
from moorage.formats.proxlb.tags import is_rule_tag
from moorage.formats.proxlb.yaml_text import block
from moorage.model.fleet import STANDARD_RESOURCES, Fleet
from moorage.model.guests import Guest, GuestKind
from moorage.model.hosts import Host, HostState, Pressure
from moorage.model.resources import CPU, DISK_PREFIX, MEMORY, Resource

FLEET_FIELDS: Final = frozenset(
    {
        *("hosts", "guests", "rules", "resources", "limits", "goal"),
        *("name", "notes", "source", "warnings"),
    }
)
HOST_FIELDS: Final = frozenset(
    {"id", "capacity", "reserve", "overcommit_permille", "state", "pressure"}
)
GUEST_FIELDS: Final = frozenset({"id", "kind", "host", "demand", "load", "priority", "tags"})


def write(fleet: Fleet, *, lossy: bool = False) -> str:
    """Return *fleet* as a scenario.

    Args:
        fleet: what to write.
        lossy: leave out what the format has no words for, and say so in comments.

    Raises:
        Unsupported: the fleet holds such a thing, and *lossy* is false.
    """
    losses = Losses("a proxlb scenario")
    document = _Document(fleet, losses).sections()
    if not lossy:
        losses.refuse()
    return "\n".join([*losses.comments(), *block(document)]) + "\n"


class _Document:
    """Builds the sections of a scenario; what is lost goes to *losses*."""

    def __init__(self, fleet: Fleet, losses: Losses) -> None:
        self.fleet = fleet
        self.losses = losses
        self.rows = RuleRows.of(fleet, losses)
        self.known = self._known_resources()

    def sections(self) -> dict[str, Any]:
        fleet = self.fleet
        self.losses.check_fields("the fleet", fleet, FLEET_FIELDS)
        self.losses.check_fields("limits", fleet.limits, {"at_once", "into_host"})
        description, expect = self._notes()
        found = {
            "name": fleet.name or None,
            words.DESCRIPTION: description,
            "evacuate_node": self.rows.evacuate,
            "balancing": self._balancing(),
            "nodes": {h.id: self._node(h) for h in fleet.hosts.values()},
            "vms": {g.id: self._vm(g) for g in fleet.guests.values() if self._is_placed(g)},
            "constraints": self.rows.constraints(),
            words.EXPECT: expect,
        }
        return {key: value for key, value in found.items() if value not in (None, {})}

    def _known_resources(self) -> set[str]:
        known = set()
        for resource in self.fleet.resources.values():
            usual = STANDARD_RESOURCES.get(resource.id, Resource(resource.id, "MiB"))
            if resource == usual and (resource.is_disk or resource.id in STANDARD_RESOURCES):
                known.add(resource.id)
            else:
                self.losses.add(f"resource {resource.id}")
        return known

    def _notes(self) -> tuple[str | None, dict[str, Any]]:
        expect = self.fleet.notes.get(words.EXPECT, {})
        fits = isinstance(expect, Mapping) and set(expect) <= set(EXPECTATIONS)
        for key in self.fleet.notes:
            if key != words.DESCRIPTION and not (key == words.EXPECT and fits):
                self.losses.add(f"note {key}")
        description = self.fleet.notes.get(words.DESCRIPTION)
        if not isinstance(description, str | None):
            self.losses.add(f"note {words.DESCRIPTION}")
            description = None
        return description, dict(expect) if fits else {}

    def _balancing(self) -> dict[str, Any]:
        limits, goal = self.fleet.limits, self.fleet.goal
        options = {} if goal is None else dict(goal.options)
        if goal is not None and goal.name != words.GOAL:
            self.losses.add(f"goal {goal.name}")
            options = {}
        for key in sorted(options.keys() - OPTIONS.keys()):
            self.losses.add(f"option {key} of the goal")
        section = {key: options[key] for key in OPTIONS if key in options}
        section |= self._overcommit()
        if limits.at_once is not None:
            section["max_parallel_migrations"] = limits.at_once
        if limits.into_host != words.DEFAULT_INFLOW:
            section["max_node_inflow"] = limits.into_host or 0
        return section

    def _overcommit(self) -> dict[str, Any]:
        hosts = self.fleet.hosts.values()
        for host in hosts:
            if any(p != words.MILLI for r, p in host.overcommit_permille.items() if r != CPU):
                self.losses.add(f"host {host.id}: overcommit of anything but CPU")
        given = {host.overcommit_permille.get(CPU, words.MILLI) for host in hosts}
        if len(given) > 1:
            self.losses.add("hosts of which CPU is overcommitted differently")
        return {"cpu_overcommit": Decimal(min(given)) / words.MILLI} if given else {}

    # --- nodes ---------------------------------------------------------------------------------

    def _node(self, host: Host) -> dict[str, Any]:
        label = f"host {host.id}"
        self.losses.check_fields(label, host, HOST_FIELDS)
        if host.state not in (HostState.ACTIVE, HostState.MAINTENANCE):
            self.losses.add(f"{label}: state {host.state}")
        node: dict[str, Any] = {
            "cpu_total": self._cores(label, host.capacity.get(CPU, 0)),
            "memory_total_gb": _gb(host.capacity.get(MEMORY, 0)),
        }
        pools, reserve = self._pools(host.capacity), self._reserve(label, host)
        if pools:
            node["storage_free"] = pools
        if reserve:
            node["reserve"] = reserve
        if host.state is HostState.MAINTENANCE:
            node["maintenance"] = True
        return node | _pressure(host.pressure)

    def _reserve(self, label: str, host: Host) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        if host.reserve.get(CPU):
            kept["cpu"] = self._cores(label, host.reserve[CPU], up=True)
        if host.reserve.get(MEMORY):
            kept["memory_gb"] = _gb(host.reserve[MEMORY])
        pools = self._pools(host.reserve)
        return kept | ({"storage_gb": pools} if pools else {})

    # --- vms -----------------------------------------------------------------------------------

    def _is_placed(self, guest: Guest) -> bool:
        """The format has no vm without a node."""
        if guest.host in self.fleet.hosts:
            return True
        self.losses.add(f"guest {guest.id}, which has no host")
        return False

    def _vm(self, guest: Guest) -> dict[str, Any]:
        label = f"guest {guest.id}"
        self.losses.check_fields(label, guest, GUEST_FIELDS)
        self.losses.check_fields(f"{label}: load", guest.load, {"cpu_millicores", "pressure"})
        if guest.kind is GuestKind.MICROVM:
            self.losses.add(f"{label}: kind {guest.kind}")
        cpu = guest.demand.get(CPU, 0)
        vm: dict[str, Any] = {
            "node": guest.host,
            "cpu": self._cores(label, cpu, up=True),
            "memory_gb": _gb(guest.demand.get(MEMORY, 0)),
        }
        if guest.load.cpu_millicores not in (None, cpu):
            vm["cpu_usage"] = Decimal(guest.load.cpu_millicores or 0) / words.MILLI
        vm |= _pressure(guest.load.pressure)
        pools, tags = self._pools(guest.demand), self._tags(guest)
        if pools:
            vm["disks"] = pools
        if guest.priority != words.DEFAULT_PRIORITY:
            vm["priority"] = guest.priority
        if guest.kind is GuestKind.CONTAINER:
            vm["type"] = "ct"
        return vm | ({"tags": tags} if tags else {})

    def _tags(self, guest: Guest) -> list[str]:
        """The tags, without those that would make a rule that the fleet has not."""
        unmeant = self.rows.unmeant
        pinned = words.PIN_TAG + guest.id in unmeant
        return [
            tag
            for tag in guest.tags
            if not is_rule_tag(tag)
            or (not pinned if tag.startswith(words.PIN_TAG) else tag not in unmeant)
        ]

    # --- amounts -------------------------------------------------------------------------------

    def _cores(self, label: str, millicores: int, *, up: bool = False) -> int:
        cores, rest = divmod(millicores, words.MILLI)
        if rest:
            self.losses.add(f"{label}: {millicores} millicores, which are no whole cores")
        return cores + (1 if rest and up else 0)

    def _pools(self, amounts: Mapping[str, int]) -> dict[str, Decimal]:
        return {
            resource.removeprefix(DISK_PREFIX): _gb(amount)
            for resource, amount in amounts.items()
            if resource.startswith(DISK_PREFIX) and resource in self.known
        }


def _gb(mib: int) -> Decimal:
    return Decimal(mib) / words.MIB_PER_GB


def _pressure(pressure: Pressure) -> dict[str, Any]:
    basis_points = (pressure.cpu_bp, pressure.memory_bp, pressure.io_bp)
    pairs = zip(PRESSURES, basis_points, strict=True)
    return {key: Decimal(bp) / words.BP_PER_PERCENT for key, bp in pairs if bp}
