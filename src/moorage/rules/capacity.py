# SPDX-License-Identifier: Apache-2.0
"""Capacity: no host and no shared pool gives out more than it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model import reasons
from moorage.model.compiled import Exact, Tables
from moorage.model.resources import Resource, format_amounts
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity(Rule):
    """Every host, every hard resource: what guests take fits into what is usable."""

    kind: ClassVar[str] = "capacity"
    invariant: ClassVar[str] = (
        "On every host and for every hard resource, what guests hold is at most (capacity -"
        " reserve) x overcommit; and what all placed guests hold of a shared pool is at most"
        " its total."
    )
    remedy: ClassVar[str] = "move guests off {host}, add {resource}, or ask for less"
    ambient: ClassVar[bool] = True

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        for host in view.fleet.hosts if focus is None else sorted(focus.hosts):
            for resource in view.loaded(host):
                over = self._over(view, host, resource)
                if over is not None:
                    yield over
        for pool, total in view.fleet.shared_pools.items():
            if view.pooled(pool) > total and view.fleet.resources[pool].hard:
                yield self._overfull(view, view.fleet.resources[pool], total)

    def post(self, exact: Exact) -> None:
        resources = [r.id for r in exact.fleet.resources.values() if r.hard]
        for host in exact.hosts:
            there = exact.fleet.hosts[host]
            for resource in resources:
                excess = exact.load(host, resource) - there.usable(resource)
                exact.breach(self, host, excess, resource=resource)
        for pool, total in exact.fleet.shared_pools.items():
            if exact.fleet.resources[pool].hard:
                exact.breach(self, "", exact.pooled(pool) - total, resource=pool)

    def arrays(self, tables: Tables) -> None:
        fleet = tables.fleet
        for resource in fleet.resources.values():
            if resource.hard:
                tables.limit_hosts(self, resource.id)
        for pool, total in fleet.shared_pools.items():
            if fleet.resources[pool].hard:
                takes = {g: fleet.demand_of(g).get(pool, 0) for g in fleet.guests}
                kept = sum(
                    takes.pop(g.id)
                    for g in fleet.guests.values()
                    if g.stopped and g.host in fleet.hosts
                )
                weights = {g: amount for g, amount in takes.items() if amount}
                tables.limit_placed(self, "", weights, total - kept, pool)

    def _over(self, view: View, host: str, resource: str) -> Breach | None:
        taken, usable = view.load(host, resource), view.fleet.hosts[host].usable(resource)
        known = view.fleet.resources.get(resource)
        if taken <= usable or (known is not None and not known.hard):
            return None
        unit = view.fleet.unit_of(resource)
        what = f"storage {known.pool}" if known is not None and known.is_disk else resource
        has_taken, has = format_amounts(unit, taken, usable)
        text = f"{host}: {what} {has_taken} taken, {has} usable"
        code, guests = reasons.no_capacity(resource), in_order(view.sharers(host, resource))
        return Breach(self.label, code, host, guests, taken - usable, text, resource, host)

    def _overfull(self, view: View, pool: Resource, total: int) -> Breach:
        taken = view.pooled(pool.id)
        what = f"shared pool {pool.pool}" if pool.is_disk else f"shared {pool.id}"
        has_taken, has = format_amounts(pool.unit, taken, total)
        text = f"{what}: {has_taken} taken of {has}"
        users = [g for g in view.fleet.guests if view.holds_storage(g)]
        guests = in_order([g for g in users if view.fleet.demand_of(g).get(pool.id, 0)])
        code = reasons.no_capacity(pool.id)
        return Breach(self.label, code, "", guests, taken - total, text, pool.id)
