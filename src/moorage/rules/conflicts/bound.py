# SPDX-License-Identifier: Apache-2.0
"""Guests that together-rules bind, through any chain, and other rules keep from it."""

from __future__ import annotations

from collections.abc import Iterator

from moorage.model import reasons
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Rule
from moorage.model.view import in_order
from moorage.rules.allowed import Allowed
from moorage.rules.apart import Apart
from moorage.rules.bonds import Bonds
from moorage.rules.conflicts.conflict import Conflict, unique
from moorage.rules.split import Split
from moorage.rules.together import Together
from moorage.rules.wording import names


def bound_but_apart(fleet: Fleet, rules: list[Rule]) -> Iterator[Conflict]:
    """Guests that must share a value of a domain and must be apart in it."""
    apart = [r for r in rules if isinstance(r, Apart)]
    stopped = _stopped(fleet)
    bonds = {domain: Bonds(rules, domain, stopped) for domain in {r.domain for r in apart}}
    for rule in apart:
        if rule.most is not None:
            for inside in bonds[rule.domain].meetings(rule.guests):
                if len(inside) > rule.most:
                    yield _bound_inside(rule, inside[: rule.most + 1], bonds[rule.domain])


def _bound_inside(rule: Apart, guests: tuple[str, ...], bonds: Bonds) -> Conflict:
    chain = bonds.links(guests)
    text = f"{names(guests)} are held together by {names(chain)} and kept apart by {rule.label}"
    return Conflict(reasons.apart(rule.domain), (*chain, rule.label), text, guests)


def bound_but_split(fleet: Fleet, rules: list[Rule]) -> Iterator[Conflict]:
    """Guests of groups that must never meet, bound to each other."""
    for rule in rules:
        if isinstance(rule, Split):
            part_of = {g: i for i, part in enumerate(rule.groups) for g in part}
            bonds = Bonds(rules, rule.domain, _stopped(fleet))
            for inside in bonds.meetings(tuple(part_of)):
                other = next((g for g in inside if part_of[g] != part_of[inside[0]]), None)
                if other is not None:
                    pair = (inside[0], other)
                    chain = bonds.links(pair)
                    text = (
                        f"{names(pair)} are held together by {names(chain)}"
                        f" and split by {rule.label}"
                    )
                    yield Conflict(Reason.SPLIT, (*chain, rule.label), text, pair)


def bound_but_pinned(fleet: Fleet, rules: list[Rule], allowed: Allowed) -> Iterator[Conflict]:
    """Groups that must be in one place (host, rack, part), which none can be for all of them."""
    together = [rule for rule in rules if isinstance(rule, Together)]
    for domain in sorted({rule.domain for rule in together if not rule.parts}):
        yield from _no_value(fleet, together, domain, allowed)
    for rule in together:
        if rule.parts:
            yield from _no_part(fleet, rule, allowed)


def _no_value(
    fleet: Fleet, together: list[Together], domain: str, allowed: Allowed
) -> Iterator[Conflict]:
    bonds, value_of = Bonds(together, domain, _stopped(fleet)), fleet.domain_of(domain)
    asked = {g for rule in together if rule.domain == domain for g in rule.guests}
    for group in bonds.groups:
        pinned = [g for g in group if g in allowed.limits and allowed.hosts(g)]
        open_to = [{value_of[h] for h in allowed.hosts(g) if h in value_of} for g in pinned]
        if asked.intersection(group) and pinned and not set.intersection(*open_to):
            bound = bonds.names(group)
            pins = [name for g in pinned for name in allowed.rules_on(g)]
            text = f"{names(group)} must be on one {domain}, but no {domain} is open to all of them"
            code = reasons.together(domain)
            yield Conflict(code, unique((*bound, *pins)), text, in_order(pinned))


def _stopped(fleet: Fleet) -> frozenset[str]:
    """Guests that take part in no rule, and so bind nobody."""
    return frozenset(g.id for g in fleet.guests.values() if g.stopped)


def _no_part(fleet: Fleet, rule: Together, allowed: Allowed) -> Iterator[Conflict]:
    members = [g for g in rule.guests if not fleet.guests[g].stopped and g in allowed.limits]
    open_to = [allowed.hosts(g) for g in members]
    if any(all(hosts.intersection(part) for hosts in open_to) for part in rule.parts):
        return
    pins = [name for g in members for name in allowed.rules_on(g)]
    text = f"no part of {rule.label} has a host for each of {names(members or rule.guests)}"
    yield Conflict(rule.code, unique((rule.label, *pins)), text, in_order(members))
