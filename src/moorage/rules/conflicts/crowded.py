# SPDX-License-Identifier: Apache-2.0
"""More replicas than domains, counted after pins and closed hosts."""

from __future__ import annotations

from collections.abc import Iterator

from moorage.model import reasons
from moorage.model.fleet import Fleet
from moorage.model.rule import Rule
from moorage.model.view import in_order
from moorage.rules.allowed import Allowed
from moorage.rules.apart import Apart
from moorage.rules.conflicts.conflict import Conflict, unique
from moorage.rules.matching import find_too_many
from moorage.rules.wording import names, plural


def too_many(fleet: Fleet, rules: list[Rule], allowed: Allowed) -> Iterator[Conflict]:
    """Groups that must be apart and have too few domains for it."""
    apart = [r for r in rules if isinstance(r, Apart)]
    spaces = {domain: _Space(fleet, domain, allowed) for domain in {r.domain for r in apart}}
    for rule in apart:
        members = [g for g in rule.guests if not fleet.guests[g].stopped]
        space = spaces[rule.domain]
        if rule.most is not None and len(members) > rule.most * len(space.every):
            yield _more_than_domains(rule, members, space.every)
        elif rule.most is not None:
            yield from _crowded(rule, rule.most, members, space)
        if rule.min_domains is not None:
            yield from _too_few(rule, rule.min_domains, members, space)


class _Space:
    """The values of one domain, and which of them guests can reach."""

    def __init__(self, fleet: Fleet, domain: str, allowed: Allowed) -> None:
        self.allowed = allowed
        self.value_of = fleet.domain_of(domain)
        self.every = set(self.value_of.values())
        self.open = {v for h, v in self.value_of.items() if h not in allowed.closed}

    def choices(self, guest: str) -> set[str]:
        hosts = self.allowed.hosts(guest)
        return {self.value_of[h] for h in hosts if h in self.value_of}

    def closing(self) -> list[str]:
        return self.allowed.gates_on(self.value_of)


def _too_few(rule: Apart, needed: int, members: list[str], space: _Space) -> Iterator[Conflict]:
    if min(needed, len(members)) > len(space.every):
        have = plural(len(space.every), rule.domain)
        text = f"{rule.label} needs {needed} different {rule.domain}s; the fleet has {have}"
        yield Conflict(reasons.apart(rule.domain), (rule.label,), text, in_order(members))


def _more_than_domains(rule: Apart, members: list[str], values: set[str]) -> Conflict:
    limit = f", {rule.most} in each" if rule.most != 1 else ""
    text = (
        f"{rule.label} keeps {len(members)} guests apart ({names(members)}) but there"
        f" {'is' if len(values) == 1 else 'are'} only {plural(len(values), rule.domain)}{limit}"
    )
    return Conflict(reasons.apart(rule.domain), (rule.label,), text, in_order(members))


def _crowded(rule: Apart, most: int, members: list[str], space: _Space) -> Iterator[Conflict]:
    """A guest that may be anywhere finds a value last, if there are enough open ones."""
    allowed = space.allowed
    if most * len(space.open) >= len(members):
        members = [g for g in members if g in allowed.limits]
    choices = {g: space.choices(g) for g in members}
    if not all(choices.values()):
        return  # said already: such a guest has no host at all
    crowd = find_too_many(choices, most)
    if crowd is None:
        return
    pins = [name for g in crowd.guests for name in allowed.rules_on(g)]
    involved = unique((rule.label, *(pins or space.closing())))
    text = (
        f"{rule.label} keeps {names(crowd.guests)} apart, but they may only be in"
        f" {plural(len(crowd.values), rule.domain)} ({names(crowd.values)})"
    )
    yield Conflict(reasons.apart(rule.domain), involved, text, in_order(crowd.guests))
