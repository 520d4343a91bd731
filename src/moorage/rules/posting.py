# SPDX-License-Identifier: Apache-2.0
"""Words that rules over domains share when they are posted onto the exact model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from moorage.model.compiled import Exact, Term
from moorage.model.fleet import Fleet


def open_values(exact: Exact, domain: str) -> Mapping[str, tuple[str, ...]]:
    """Return {value: its hosts} for the values of *domain* that an open host has."""
    value_of, hosts_in = exact.fleet.domain_of(domain), exact.fleet.hosts_in(domain)
    values = dict.fromkeys(value_of[h] for h in exact.hosts if h in value_of)
    return {value: hosts_in[value] for value in values}


def without_value(fleet: Fleet, domain: str) -> tuple[str, ...]:
    """Return the hosts that have no label for *domain*."""
    value_of = fleet.domain_of(domain)
    return tuple(host for host in fleet.hosts if host not in value_of)


def running(fleet: Fleet, guests: Iterable[str]) -> list[str]:
    """Return those of *guests* that are not stopped."""
    return [guest for guest in guests if not fleet.guests[guest].stopped]


def can_be(term: Term) -> bool:
    """Whether *term* is anything but the plain number 0."""
    return not (isinstance(term, int) and term == 0)
