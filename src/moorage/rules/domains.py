# SPDX-License-Identifier: Apache-2.0
"""Which guests of a group are in which domain."""

from __future__ import annotations

from collections.abc import Iterable

from moorage.model.view import View


def held_in(view: View, guests: Iterable[str], domain: str) -> dict[str | None, list[str]]:
    """Return {domain value: members that hold room there}; None for hosts without the label.

    A guest on the move counts at both ends, once for each value: right for rules that
    bound how many share a domain.
    """
    value_of = view.fleet.domain_of(domain)
    found: dict[str | None, list[str]] = {}
    for guest in guests:
        for value in {value_of.get(host) for host in view.hosts_of(guest)}:
            found.setdefault(value, []).append(guest)
    return found


def running_in(view: View, guests: Iterable[str], domain: str) -> dict[str | None, list[str]]:
    """Return {domain value: members that run there}: a guest on the move still at its source.

    Right for rules that need guests to be somewhere: they run at the source until they
    have arrived.
    """
    value_of = view.fleet.domain_of(domain)
    found: dict[str | None, list[str]] = {}
    for guest in guests:
        host = view.runs_on(guest)
        if host is not None:
            found.setdefault(value_of.get(host), []).append(guest)
    return found


def by_host(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Gather (guest, host) pairs to {host: guests}."""
    found: dict[str, list[str]] = {}
    for guest, host in pairs:
        found.setdefault(host, []).append(guest)
    return found
