# SPDX-License-Identifier: Apache-2.0
"""Hosts that are closed: nobody enters, and perhaps everybody has to leave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.hosts import Host
from moorage.model.rule import Breach, Focus
from moorage.model.view import View, in_order
from moorage.rules.wording import are, names


@dataclass(frozen=True, slots=True)
class Closed:
    """One closed host: the reason's code, the words for it, and whether residents must leave."""

    host: str
    code: str
    why: str
    must_leave: bool


def breaches_at(
    view: View, rule: str, gate_of: Callable[[Host], Closed | None], focus: Focus | None
) -> Iterator[Breach]:
    """Find the guests that a closed host may not hold.

    At the end that is everybody where residents must leave, and on the way only those
    who entered: residents need time to go. Who comes back is no resident any more, so that
    the old trouble of being there excuses nobody on the way in.
    """
    for host in view.occupied_hosts() if focus is None else sorted(focus.hosts):
        gate = gate_of(view.fleet.hosts[host])
        if gate is None:
            continue
        held = view.guests_on(host)
        entered = [g for g in held if host in view.entered(g)]
        guests = in_order(held) if gate.must_leave and view.at_end else in_order(entered)
        if guests:
            where = gate.host if view.at_end else f"{gate.host} in"
            yield _breach(rule, gate, where, guests)


def closed_to(fleet: Fleet, gate_of: Callable[[Host], Closed | None]) -> Iterator[Bar]:
    """Bar everybody from closed hosts; residents too where they must leave."""
    gates = [gate for host in fleet.hosts.values() if (gate := gate_of(host)) is not None]
    for must_leave in (True, False):
        hosts = frozenset(gate.host for gate in gates if gate.must_leave is must_leave)
        if hosts:
            yield Bar(None, hosts, residents_stay=not must_leave)


def _breach(rule: str, gate: Closed, where: str, guests: Collection[str]) -> Breach:
    text = f"{names(guests)} {are(guests)} on {gate.host}, {gate.why}"
    return Breach(rule, gate.code, where, tuple(guests), len(guests), text, host=gate.host)
