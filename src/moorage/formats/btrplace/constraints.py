# SPDX-License-Identifier: Apache-2.0
"""The section `constraints`: a table of what each kind of it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from moorage.formats.btrplace.demands import Demands
from moorage.formats.btrplace.views import MOST_AMOUNT
from moorage.formats.cursor import Cursor
from moorage.model.rule import Rule, When
from moorage.rules.apart import Apart
from moorage.rules.ban import Ban
from moorage.rules.dedicated import Dedicated
from moorage.rules.group_capacity import GroupCapacity
from moorage.rules.guest_count import GuestCount
from moorage.rules.host_count import HostCount
from moorage.rules.pin import Pin
from moorage.rules.quarantine import Quarantine
from moorage.rules.split import Split
from moorage.rules.stay import Stay
from moorage.rules.together import Together

SCHEDULING: Final = frozenset({"seq", "precedence", "sync", "serialize", "deadline", "noDelay"})
KEYS: Final = frozenset(
    {
        *("id", "continuous", "vm", "vms", "node", "nodes", "parts", "vParts", "pParts"),
        *("rc", "rcId", "amount", "ratio", "vm1", "vm2", "timestamp"),
    }
)
Groups = tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class ConstraintReader:
    """Reads constraints into rules and demands.

    Attributes:
        labels: of hosts, for rules about groups of hosts.
    """

    demands: Demands
    rules: list[Rule] = field(default_factory=list)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _parts: dict[Groups, Groups] = field(default_factory=dict)

    def read(self, section: Cursor | None) -> None:
        """Read all constraints, in their order."""
        for row in section.items() if section else ():
            self.demands.tally.only(row, "constraints", KEYS)
            kind = row.required("id").name()
            kind = kind[:1].lower() + kind[1:]  # "Precedence" beside "seq"
            make, demand = RULES.get(kind), DEMANDS.get(kind)
            if make is not None:
                self.rules += make(self, row, self._name(kind))
            elif demand is not None:
                demand(self.demands, row)
            elif kind in SCHEDULING:
                why = "skipped; only capacity and rules put moves in order"
                self.demands.tally.constraint(kind, why)
            else:
                self.demands.tally.constraint(kind, "skipped, because the kind is unknown")

    def _name(self, kind: str) -> str:
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"{kind}-{count}"

    def shared(self, parts: Groups) -> Groups:
        """The same sets of hosts are kept once; no sets at all leave no host."""
        return self._parts.setdefault(parts or ((),), parts or ((),))


# --- kinds of constraints ----------------------------------------------------------------------


def _spread(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    yield Apart(name=name, guests=reader.demands.vms(row), when=_when(row))


def _gather(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    yield Together(name=name, guests=reader.demands.vms(row), when=_when(row))


def _lonely(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    yield Dedicated(name=name, guests=reader.demands.vms(row), when=_when(row))


def _among(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    parts = reader.shared(reader.demands.mapping.nodes.groups(row.required("parts")))
    guests = reader.demands.vms(row)
    yield Together(name=name, guests=guests, parts=parts, when=_when(row))


def _split(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    groups = reader.demands.mapping.vms.groups(row.required("parts"))
    _refuse_overlap(row.at("parts"), groups)
    yield Split(name=name, groups=groups, when=_when(row))


def _split_among(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    """Each group of guests in one group of hosts, and no two in the same."""
    mapping, when = reader.demands.mapping, _when(row)
    groups = mapping.vms.groups(row.required("vParts"))
    parts = reader.shared(mapping.nodes.groups(row.required("pParts")))
    _refuse_overlap(row.at("vParts"), groups)
    _refuse_overlap(row.at("pParts"), parts)
    for number, hosts in enumerate(parts, 1):
        for host in hosts:
            reader.labels.setdefault(host, {})[name] = str(number)
    yield Split(name=name, groups=groups, domain=name, when=when)
    for number, guests in enumerate(groups, 1):
        yield Together(name=f"{name}.{number}", guests=guests, parts=parts, when=when)


def _fence(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    guests, hosts = reader.demands.vms(row), reader.demands.nodes(row)
    yield Pin(name=name, guests=guests, hosts=hosts, when=_when(row))


def _ban(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    guests, hosts = reader.demands.vms(row), reader.demands.nodes(row)
    yield Ban(name=name, guests=guests, hosts=hosts, when=_when(row))


def _root(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    yield Stay(name=name, guests=reader.demands.vms(row))


def _quarantine(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    yield Quarantine(name=name, hosts=reader.demands.nodes(row))


def _resource_capacity(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    resource, amount = reader.demands.resource(row), row.required("amount").whole(MOST_AMOUNT)
    hosts, when = reader.demands.nodes(row), _when(row)
    yield GroupCapacity(name=name, hosts=hosts, resource=resource, at_most=amount, when=when)


def _each_resource_capacity(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    """Of old files: a limit for each host of its own."""
    resource, amount = reader.demands.resource(row), row.required("amount").whole(MOST_AMOUNT)
    when = _when(row)
    for number, host in enumerate(reader.demands.nodes(row), 1):
        one, hosts = f"{name}.{number}", (host,)
        yield GroupCapacity(name=one, hosts=hosts, resource=resource, at_most=amount, when=when)


def _running_capacity(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    hosts, amount = reader.demands.nodes(row), row.required("amount").whole(MOST_AMOUNT)
    yield GuestCount(name=name, hosts=hosts, at_most=amount, when=_when(row))


def _each_running_capacity(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    """Of old files: a limit for each host of its own."""
    hosts, amount = reader.demands.nodes(row), row.required("amount").whole(MOST_AMOUNT)
    yield GuestCount(name=name, hosts=hosts, at_most=amount, each=True, when=_when(row))


def _max_online(reader: ConstraintReader, row: Cursor, name: str) -> Iterator[Rule]:
    hosts, amount = reader.demands.nodes(row), row.required("amount").whole(MOST_AMOUNT)
    yield HostCount(name=name, hosts=hosts, at_most=amount, when=_when(row))


def _when(row: Cursor) -> When:
    """A continuous constraint holds at every instant, a discrete one at the end."""
    continuous = row.optional("continuous")
    return When.ALWAYS if continuous is not None and continuous.flag() else When.AT_END


def _refuse_overlap(cursor: Cursor, groups: Groups) -> None:
    seen: set[str] = set()
    for group in groups:
        for element in group:
            if element in seen:
                cursor.fail(f"{element} stands in two sets of {cursor.label}")
            seen.add(element)


RULES: Final[dict[str, Callable[[ConstraintReader, Cursor, str], Iterator[Rule]]]] = {
    "spread": _spread,
    "gather": _gather,
    "lonely": _lonely,
    "among": _among,
    "split": _split,
    "splitAmong": _split_among,
    "fence": _fence,
    "ban": _ban,
    "root": _root,
    "quarantine": _quarantine,
    "resourceCapacity": _resource_capacity,
    "cumulatedResourceCapacity": _resource_capacity,
    "singleResourceCapacity": _each_resource_capacity,
    "runningCapacity": _running_capacity,
    "cumulatedRunningCapacity": _running_capacity,
    "singleRunningCapacity": _each_running_capacity,
    "maxOnline": _max_online,
}

DEMANDS: Final[dict[str, Callable[[Demands, Cursor], None]]] = {
    "preserve": Demands.preserve,
    "overbook": Demands.overbook,
    "online": Demands.online,
    "offline": Demands.offline,
    "running": Demands.running,
    "ready": Demands.stopping,
    "sleeping": Demands.stopping,
    "killed": Demands.stopping,
}
