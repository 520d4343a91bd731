# SPDX-License-Identifier: Apache-2.0
"""The view `net`: switches and cables, as bandwidths of hosts and links between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from moorage.formats.btrplace.elements import Mapping
from moorage.formats.btrplace.tally import Tally
from moorage.formats.cursor import Cursor
from moorage.model.natural import natural_key
from moorage.model.topology import Link

MOST_MBPS: Final = 10**9
MOST_STEPS: Final = 3_000_000
"""Of walking over the cables: 100 switches with 5,000 hosts take a million."""
KEYS: Final = frozenset({"id", "switches", "links", "routing"})


@dataclass(slots=True)
class Network:
    """What moves go over."""

    bandwidths: dict[str, int] = field(default_factory=dict)
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Cable:
    """From a switch to a host or to another switch."""

    id: str
    capacity_mbps: int
    ends: tuple[str, str]


@dataclass(slots=True)
class Plan:
    """All cables, and the limits of switches that have one of their own."""

    hosts: frozenset[str]
    limits: dict[str, int]
    cables: list[Cable] = field(default_factory=list)

    def sides_without(self, cable: Cable) -> list[list[str]]:
        """The hosts on both sides of *cable*; one side only if moves can go round it."""
        return self._sides(cable.ends, [c for c in self.cables if c is not cable])

    def sides_around(self, switch: str) -> list[list[str]]:
        """The hosts behind each port of *switch*."""
        ports = [c for c in self.cables if switch in c.ends]
        rest = [c for c in self.cables if switch not in c.ends]
        behind = dict.fromkeys(end for c in ports for end in c.ends if end != switch)
        return self._sides(behind, rest)

    def _sides(self, starts: Iterable[str], cables: list[Cable]) -> list[list[str]]:
        near: dict[str, list[str]] = {}
        for cable in cables:
            first, second = cable.ends
            near.setdefault(first, []).append(second)
            near.setdefault(second, []).append(first)
        seen: set[str] = set()
        return [self._reach(start, near, seen) for start in starts if start not in seen]

    def _reach(self, start: str, near: dict[str, list[str]], seen: set[str]) -> list[str]:
        """The hosts that can be reached from *start*."""
        seen.add(start)
        waiting = [start]
        for element in waiting:
            for other in near.get(element, ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return sorted((e for e in waiting if e in self.hosts), key=natural_key)


def read_network(view: Cursor, mapping: Mapping, tally: Tally) -> Network:
    """Read the view. A host's own cable is its bandwidth."""
    plan = _read_plan(tally.only(view, "views of the network", KEYS), mapping)
    routing = view.optional("routing")
    if routing is not None and routing.required("type").value != "default":
        tally.say(f"{routing.place}: routes given by hand are skipped; cables decide")
    bandwidths: dict[str, int] = {}
    for cable in plan.cables:
        for host in plan.hosts.intersection(cable.ends):
            bandwidths[host] = max(bandwidths.get(host, 0), cable.capacity_mbps)
    return Network(bandwidths, tuple(_links(plan, view, tally)))


def _read_plan(view: Cursor, mapping: Mapping) -> Plan:
    limits: dict[str, int] = {}
    switches = view.optional("switches")
    for row in switches.items() if switches else ():
        number = row.required("id").whole(2**31)
        if f"switch{number}" in limits:
            row.fail(f"a second switch has the number {number}")
        limits[f"switch{number}"] = row.required("capacity").whole(MOST_MBPS, least=-1)
    plan = Plan(frozenset(mapping.nodes.all), limits)
    rows = view.optional("links")
    known: set[str] = set()
    for row in rows.items() if rows else ():
        cable = _read_cable(row, plan, mapping)
        if cable.id in known:
            row.fail(f"a second cable is called {cable.id}")
        known.add(cable.id)
        plan.cables.append(cable)
    return plan


def _read_cable(row: Cursor, plan: Plan, mapping: Mapping) -> Cable:
    number, capacity = row.required("id").whole(2**31), row.required("capacity")
    element = row.required("physicalElement")
    kind, other = element.required("type"), element.required("id")
    if kind.value not in ("node", "switch"):
        kind.fail(f"a cable leads to a node or a switch, not to {kind.shown}")
    end = mapping.nodes.one(other) if kind.value == "node" else _switch(other, plan)
    ends = (_switch(row.required("switch"), plan), end)
    return Cable(f"link{number}", capacity.whole(MOST_MBPS), ends)


def _switch(cursor: Cursor, plan: Plan) -> str:
    name = f"switch{cursor.whole(2**31)}"
    if name not in plan.limits:
        cursor.fail(f"there is no switch {cursor.shown}")
    return name


def _links(plan: Plan, view: Cursor, tally: Tally) -> Iterator[Link]:
    """Cables between switches, and switches that are slower than their cables together."""
    cables = [c for c in plan.cables if plan.hosts.isdisjoint(c.ends)]
    blocking = [switch for switch, limit in plan.limits.items() if limit >= 0]
    steps = (len(cables) + len(blocking)) * (len(plan.cables) + len(plan.hosts))
    if steps > MOST_STEPS:
        tally.say(f"{view.place}: the network is too large; only bandwidths of hosts are read")
        return
    for cable in cables:
        sides = plan.sides_without(cable)
        if len(sides) == 1:
            tally.element("cables that moves can go round are skipped", cable.id)
        elif all(sides):
            yield Link(cable.id, cable.capacity_mbps, tuple(map(tuple, sides)))
    for switch in blocking:
        sides = [side for side in plan.sides_around(switch) if side]
        if len(sides) > 1:
            limit = plan.limits[switch]
            yield Link(switch, limit, tuple(map(tuple, sides)), duplex=False)
