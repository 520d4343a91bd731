# SPDX-License-Identifier: Apache-2.0
"""What a proxlb scenario expects of an outcome, checked from the fleet and the placement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks.judging import judge
from moorage.model import Fleet, Guest, Host, HostState

SOLVED = ("optimal", "feasible")
FULL_BP = 10_000
# Weight of memory, cpu and io in the method that mixes all.
MIXED = (("w_global_mem", 10, "memory"), ("w_global_cpu", 10, "cpu"), ("w_global_io", 1, "io"))


def unmet(fleet: Fleet, document: Mapping[str, Any]) -> Iterator[str]:
    """Name every expectation that the outcome doesn't meet."""
    expected = fleet.notes.get("expect", {})
    feasible = document["status"] in SOLVED
    if feasible != expected.get("feasible", True):
        yield f"status {document['status']}"
    if not feasible or not expected.get("feasible", True):
        return
    where = document["placements"]
    judged = judge(fleet, where)
    if expected.get("constraints_satisfied", True) and (judged.broken or judged.standing):
        yield f"{judged.broken + judged.standing} rules broken"
    if judged.moves > expected.get("max_migrations", judged.moves):
        yield f"{judged.moves} moves"
    if where and expected.get("node_empty") in where.values():
        yield f"{expected['node_empty']} isn't empty"
    for guest, host in expected.get("placements", {}).items():
        wanted = where[host[3:].strip()] if host.startswith("==") else host
        if where[guest] != wanted:
            yield f"{guest} on {where[guest]}"
    if expected.get("spread_improved"):
        before, after = reported_gap(fleet, fleet.placement), reported_gap(fleet, where)
        if before > 0 and after >= before:
            yield f"spread {before:.4f} to {after:.4f}"


def reported_gap(fleet: Fleet, where: Mapping[str, str | None]) -> float:
    """Return the peer's reported spread: fullest less emptiest host, as its method weighs it."""
    options = fleet.goal.options if fleet.goal else {}
    method, mode = options.get("method", "memory"), options.get("mode", "used")
    if method == "global_smart":
        weighed = ((float(options.get(key, usual)), part) for key, usual, part in MIXED)
        return sum(weight * _both(fleet, where, part) for weight, part in weighed)
    resource, _, kind = method.partition("_")
    resource = "io" if resource == "disk" else resource
    if kind == "smart":
        return _both(fleet, where, resource)
    stalled = kind == "psi" or mode == "psi"
    return _gap(fleet, where, _pressure(resource) if stalled else _usage(resource, mode))


Part = Callable[[Guest, Host], float]


def _both(fleet: Fleet, where: Mapping[str, str | None], resource: str) -> float:
    usage, pressure = _usage(resource, "used"), _pressure(resource)
    return _gap(fleet, where, usage) + _gap(fleet, where, pressure)


def _gap(fleet: Fleet, where: Mapping[str, str | None], part: Part) -> float:
    loads = {h.id: 0.0 for h in fleet.hosts.values() if h.state is not HostState.MAINTENANCE}
    for guest in fleet.guests.values():
        host = where[guest.id]
        if host in loads:
            loads[host] += guest.priority * part(guest, fleet.hosts[host])
    return max(loads.values()) - min(loads.values()) if loads else 0.0


def _pressure(resource: str) -> Part:
    return lambda guest, host: getattr(guest.load.pressure, f"{resource}_bp") / FULL_BP


def _usage(resource: str, mode: str) -> Part:
    if resource == "io":
        return lambda guest, host: _disks(guest.demand) / max(1, _disks(host.capacity))
    if resource == "cpu" and mode != "assigned":
        return lambda guest, host: (guest.load.cpu_millicores or 0) / host.capacity["cpu"]
    return lambda guest, host: guest.demand[resource] / host.capacity[resource]


def _disks(amounts: Mapping[str, int]) -> int:
    return sum(amount for resource, amount in amounts.items() if resource.startswith("disk:"))
