# SPDX-License-Identifier: Apache-2.0
"""Guests that no host is left for."""

from __future__ import annotations

from collections.abc import Iterator

from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.view import in_order
from moorage.rules.allowed import Allowed
from moorage.rules.conflicts.conflict import Conflict, unique
from moorage.rules.wording import names


def guests_without_host(fleet: Fleet, allowed: Allowed) -> Iterator[Conflict]:
    """Guests that no host is left for."""
    held = [g for g in in_order(allowed.limits) if not fleet.guests[g].stopped]
    for guest in held:
        left = allowed.by_rules(guest)
        if not left:
            yield _no_host_named(guest, allowed)
        elif not any(allowed.is_open(host, guest) for host in left):
            yield _only_closed(guest, left, allowed)
    if len(allowed.closed) == len(fleet.hosts):
        yield from _all_closed(fleet, allowed)


def _all_closed(fleet: Fleet, allowed: Allowed) -> Iterator[Conflict]:
    """Guests that no rule names, in a fleet where every host is closed."""
    free = [g for g in fleet.running if g not in allowed.limits]
    lost = [g for g in free if not any(allowed.is_open(h, g) for h in fleet.hosts)]
    if lost:
        gates = unique(allowed.gates_on(fleet.hosts))
        whys = unique(gate.why for h in fleet.hosts for _, gate in allowed.closed[h])
        text = f"no host is open to {names(lost)}: every host is one {' or one '.join(whys)}"
        text = text if fleet.hosts else f"the fleet has no host for {names(lost)}"
        yield Conflict(Reason.NO_NODES_ACTIVE, gates, text, in_order(lost), in_order(fleet.hosts))


def _no_host_named(guest: str, allowed: Allowed) -> Conflict:
    limits = allowed.limits[guest]
    parts = [f"{name} leaves {names(hosts) or 'no host'}" for name, hosts in limits.only]
    parts += [f"{name} bans {names(hosts)}" for name, hosts in limits.never]
    text = f"{guest} can be nowhere: {'; '.join(parts)}"
    return Conflict(Reason.PINNED_ELSEWHERE, unique(limits.names()), text, (guest,))


def _only_closed(guest: str, hosts: set[str], allowed: Allowed) -> Conflict:
    gates = [(name, gate) for h in in_order(hosts) for name, gate in allowed.closed.get(h, ())]
    rules = unique((*allowed.rules_on(guest), *(name for name, _ in gates)))
    why = "; ".join(unique(f"{gate.host}, {gate.why}" for _, gate in gates))
    text = f"{guest} may only be on {why}"
    return Conflict(gates[0][1].code, rules, text, (guest,), in_order(hosts))
