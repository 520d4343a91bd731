# SPDX-License-Identifier: Apache-2.0
"""A fleet as the plain values of a native document. What is usual is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moorage.formats.native.document import SCHEMA
from moorage.formats.native.encode_machines import MachineEncoder
from moorage.formats.native.encode_rules import encode_rules
from moorage.formats.native.frozen_values import thaw
from moorage.formats.native.notation import Notation
from moorage.formats.native.room import DISK_UNIT, USUAL_UNITS
from moorage.model.fleet import STANDARD_RESOURCES, Fleet, GoalChoice
from moorage.model.guests import Volume
from moorage.model.prices import Prices
from moorage.model.resources import Resource
from moorage.model.topology import Link, MoveLimits

Plain = dict[str, Any]


def encode(fleet: Fleet, notation: Notation) -> Plain:
    """Return the document that reads to *fleet*.

    Raises:
        Unsupported: the fleet names what it doesn't have.
    """
    machines = MachineEncoder(fleet, notation)
    document: Plain = {
        "schema": SCHEMA,
        "name": fleet.name,
        "resources": _resources(fleet),
        "pools": {
            r.pool: _pool(r, machines, notation) for r in fleet.resources.values() if _is_pool(r)
        },
        "hosts": {h: machines.host(host) for h, host in fleet.hosts.items()},
        "guests": {g: machines.guest(guest) for g, guest in fleet.guests.items()},
        "volumes": {v: _volume(volume, notation) for v, volume in fleet.volumes.items()},
        "rules": encode_rules(fleet, notation),
        "links": {link.id: _link(link, notation) for link in fleet.links},
        "limits": _limits(fleet.limits),
        "overhead": {k.value: machines.amounts(a) for k, a in fleet.overhead.items()},
        "prices": _prices(fleet.prices),
        "goal": None if fleet.goal is None else _goal(fleet.goal),
        "notes": thaw(fleet.notes),
    }
    return {key: value for key, value in document.items() if value or key == "schema"}


def _is_pool(resource: Resource) -> bool:
    return resource.is_disk and resource.unit == DISK_UNIT


def _resources(fleet: Fleet) -> Plain:
    found: Plain = {r: {"absent": True} for r in USUAL_UNITS if r not in fleet.resources}
    order = list(USUAL_UNITS)
    others = [r for r in fleet.resources if r not in USUAL_UNITS]
    for resource in (fleet.resources[r] for r in [*order, *others] if r in fleet.resources):
        if not _is_pool(resource) and resource != STANDARD_RESOURCES.get(resource.id):
            found[resource.id] = _resource(resource)
    return found


def _resource(resource: Resource) -> Plain:
    usual = USUAL_UNITS.get(resource.id, "units")
    return _given(
        unit=(resource.unit, usual),
        shared_total=(resource.shared_total, None),
        **_ways(resource),
    )


def _ways(resource: Resource) -> dict[str, tuple[Any, Any]]:
    return {
        "hard": (resource.hard, True),
        "held_until_end": (resource.held_until_end, False),
        "price": (resource.price, 0),
    }


def _pool(pool: Resource, machines: MachineEncoder, notation: Notation) -> Plain:
    if pool.shared_total is None:
        return _given(**_ways(pool))
    entry: Plain = {"shared": True, "capacity": notation.mib(pool.shared_total)}
    attached = machines.attached[pool.id]
    if len(attached) < len(machines.fleet.hosts):
        entry["hosts"] = list(attached)
    return entry | _given(**_ways(pool))


def _given(**values: tuple[Any, Any]) -> Plain:
    """Keep the values that differ from what is usual."""
    return {key: value for key, (value, usual) in values.items() if value != usual}


def _volume(volume: Volume, notation: Notation) -> Plain:
    return _given(
        home=(volume.home, None),
        size=(notation.mib(volume.size_mib), 0),
        exclusive=(volume.exclusive, True),
    )


def _link(link: Link, notation: Notation) -> Plain:
    entry: Plain = {
        "capacity": notation.mbps(link.capacity_mbps),
        "sides": [list(side) for side in link.sides],
    }
    return entry | _given(duplex=(link.duplex, True))


def _limits(limits: MoveLimits) -> Plain:
    names = ("at_once", "into_host", "out_of_host", "over_link", "per_pool")
    return _given(**{name: (getattr(limits, name), None) for name in names})


def _prices(prices: Prices) -> Plain:
    entry: Plain = {}
    if prices.balance:
        entry["balance"] = [
            {"of": b.of, "to": b.to, "target": b.target, "price": b.price} for b in prices.balance
        ]
    weights = ("guest_weight", "group_weight", "pair_weight")
    entry |= _given(**{name: (getattr(prices, name), 0) for name in weights})
    if prices.between is not None:
        matrix = [list(row) for row in prices.between.matrix]
        entry["between"] = {"hosts": list(prices.between.hosts), "matrix": matrix}
    return entry


def _goal(goal: GoalChoice) -> str | Mapping[str, Any]:
    return {"name": goal.name, "options": thaw(goal.options)} if goal.options else goal.name
