# SPDX-License-Identifier: Apache-2.0
"""The resources of a document, and its amounts by resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moorage.formats.native.document import Amounts, FleetDocument, PoolEntry, Ratios, ResourceEntry
from moorage.formats.native.faults import Fault, Guess
from moorage.formats.tree import Path
from moorage.formats.wording import shown
from moorage.model.fleet import STANDARD_RESOURCES
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.resources import CPU, DISK_PREFIX, MEMORY, Resource, disk

USUAL_UNITS = {MEMORY: "MiB", CPU: "millicores"}
DISK_UNIT = "MiB"


def usual_unit(resource: str) -> str | None:
    """The unit that a resource has under a key of its own; None for those without such a key."""
    return DISK_UNIT if resource.startswith(DISK_PREFIX) else USUAL_UNITS.get(resource)


class Room:
    """What there is room of. Amounts go through it, so that no undeclared name slips in.

    Attributes:
        resources: declared ones, and each local pool as soon as it is named.
        shared: {host: {resource: amount}} of the pools that hosts attach; under None what
            all hosts attach.
    """

    def __init__(self, document: FleetDocument) -> None:
        self.faults: list[Fault] = []
        self.resources: dict[str, Resource] = dict(STANDARD_RESOURCES)
        self.shared: dict[str | None, dict[str, int]] = {None: {}}
        for name, entry in document.resources.items():
            self._declare(name, entry)
        for name, pool in document.pools.items():
            self._declare_pool(name, pool, document)
        self._has_usual = {r: self.unit(r) == unit for r, unit in USUAL_UNITS.items()}

    def unit(self, resource: str) -> str | None:
        """The unit of *resource*; None for one that isn't declared."""
        known = self.resources.get(resource)
        return None if known is None else known.unit

    def _declare(self, name: str, entry: ResourceEntry) -> None:
        if entry.absent:
            if name not in USUAL_UNITS:
                message = "only memory and cpu can be absent"
                self.faults.append(Fault(("resources", name, "absent"), message))
            self.resources.pop(name, None)
            return
        unit = entry.unit or usual_unit(name) or "units"
        self.resources[name] = Resource(
            name, unit, entry.shared_total, entry.hard, entry.held_until_end, entry.price
        )

    def _declare_pool(self, name: str, pool: PoolEntry, document: FleetDocument) -> None:
        if disk(name) in self.resources:
            self.faults.append(
                Fault(("pools", name), "the pool is declared under resources too", of_key=True)
            )
        total = pool.capacity if pool.shared else None
        self.resources[disk(name)] = Resource(
            disk(name), DISK_UNIT, total, pool.hard, pool.held_until_end, pool.price
        )
        if pool.shared:
            self._share(name, pool, document)
        elif pool.capacity is not None or pool.hosts is not None:
            hint = "write `shared: true`, or give the room under `storage` of each host"
            self.faults.append(Fault(("pools", name), "the room of a local pool", hint))

    def _share(self, name: str, pool: PoolEntry, document: FleetDocument) -> None:
        if pool.capacity is None:
            self.faults.append(Fault(("pools", name), "the capacity of the shared pool is missing"))
            return
        if pool.hosts is None:
            self.shared[None][disk(name)] = pool.capacity
            return
        for index, host in enumerate(pool.hosts):
            if host not in document.hosts:
                path = ("pools", name, "hosts", index)
                hint = Guess(host, document.hosts)
                self.faults.append(Fault(path, f"there is no host {shown(host)}", hint))
            self.shared.setdefault(host, {})[disk(name)] = pool.capacity

    def attached(self, host: str) -> Iterator[tuple[str, int]]:
        """Yield what *host* has of shared pools without saying so itself."""
        yield from self.shared[None].items()
        yield from self.shared.get(host, {}).items()

    def amounts(self, entry: Amounts | Ratios | None, path: Path) -> FrozenMap[str, int]:
        """Return the amounts of *entry* by resource."""
        if entry is None:
            return EMPTY
        found = self.gather(path, entry.memory, entry.cpu, entry.storage, entry.resources)
        return FrozenMap(found) if found else EMPTY

    def gather(
        self,
        path: Path,
        memory: int | None,
        cpu: int | None,
        pools: Mapping[str, int],
        others: Mapping[str, int],
        pools_key: str = "storage",
    ) -> dict[str, int]:
        """Return amounts by resource; what isn't declared becomes a fault."""
        found: dict[str, int] = {}
        for name, amount in ((MEMORY, memory), (CPU, cpu)):
            if amount is not None:
                found[name] = amount
                if not self._has_usual[name]:
                    self._misplaced(name, (*path, name))
        for pool, amount in pools.items():
            found[DISK_PREFIX + pool] = amount
            self._name_pool(pool, (*path, pools_key, pool))
        for name, amount in others.items():
            found[name] = amount
            self._name_other(name, (*path, "resources", name))
        return found

    def _name_pool(self, pool: str, path: Path) -> None:
        known = self.resources.get(DISK_PREFIX + pool)
        if not pool:
            self.faults.append(Fault(path, "a name can't be empty", of_key=True))
        elif known is None:
            self.resources[DISK_PREFIX + pool] = Resource(DISK_PREFIX + pool, DISK_UNIT)
        elif known.unit != DISK_UNIT:
            self._misplaced(DISK_PREFIX + pool, path)

    def _misplaced(self, resource: str, path: Path) -> None:
        """A key with a unit of its own stands for a resource that has another one."""
        unit = self.unit(resource)
        if unit is None:
            fault = Fault(path, f"{resource} is declared absent", of_key=True)
        else:
            hint = f"write it under `resources`, in {unit}"
            fault = Fault(path, f"{resource} is measured in {unit}", hint, of_key=True)
        self.faults.append(fault)

    def _name_other(self, name: str, path: Path) -> None:
        unit = self.unit(name)
        if unit is None:
            declare = f"Or declare it: `resources: {{{name}: {{}}}}` at the top"
            hint = Guess(name, self.resources, declare)
            fault = Fault(path, f"the resource {shown(name)} is not declared", hint, of_key=True)
            self.faults.append(fault)
        elif unit == usual_unit(name):
            where = f"write {_own_key(name)} beside `resources`"
            self.faults.append(Fault(path, f"{name} has a key of its own", where, of_key=True))


def _own_key(resource: str) -> str:
    if resource.startswith(DISK_PREFIX):
        return "`storage` (or `disks`, for guests)"
    return f"`{resource}`"
