# SPDX-License-Identifier: Apache-2.0
"""Which guests of a group are in which domain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.rule import Breach
from moorage.model.view import View, in_order
from moorage.rules.wording import are, names


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


def unlabelled(view: View, rule: str, code: str, domain: str, guests: list[str]) -> Breach:
    """Return the breach of *guests* on hosts without the label: nobody can say whom they meet."""
    labelled = view.fleet.domain_of(domain)
    hosts = {h for g in guests for h in view.hosts_of(g) if h not in labelled}
    has = "has" if len(hosts) == 1 else "have"
    text = f"{names(guests)} {are(guests)} on {names(hosts)}, which {has} no {domain}"
    return Breach(rule, code, "", in_order(guests), len(guests), text)


def on_unlabelled(
    view: View, rule: str, code: str, domain: str, guests: Iterable[str]
) -> Iterator[Breach]:
    """Find the hosts without the label that *guests* hold: a breach for each such host."""
    labelled = view.fleet.domain_of(domain)
    pairs = ((g, h) for g in dict.fromkeys(guests) for h in view.hosts_of(g) if h not in labelled)
    for host, members in sorted(by_host(pairs).items()):
        text = f"{names(members)} {are(members)} on {host}, which has no {domain}"
        yield Breach(rule, code, host, in_order(members), len(members), text, host=host)


def barred_from_unlabelled(fleet: Fleet, guests: Collection[str], domain: str) -> Iterator[Bar]:
    """Bar *guests* from the hosts without the label, if there are any."""
    bare = frozenset(fleet.hosts).difference(fleet.domain_of(domain))
    if bare:
        yield Bar(guests, bare)
