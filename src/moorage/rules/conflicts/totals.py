# SPDX-License-Identifier: Apache-2.0
"""Sums that no placement changes, and hosts that nobody labelled."""

from __future__ import annotations

from collections.abc import Iterator

from moorage.model import reasons
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.reasons import Reason
from moorage.model.resources import format_amount
from moorage.model.rule import Rule
from moorage.model.view import in_order
from moorage.rules.conflicts.conflict import Conflict, unique
from moorage.rules.exclusive_volume import ExclusiveVolume
from moorage.rules.headroom import Headroom
from moorage.rules.quota import Quota
from moorage.rules.wording import names


def volumes_shared(fleet: Fleet, rules: list[Rule]) -> Iterator[Conflict]:
    """Exclusive volumes that several guests want at once, where a must-rule forbids it."""
    forbidding = unique(rule.label for rule in rules if isinstance(rule, ExclusiveVolume))
    for volume, users in sorted(fleet.users_of_volume.items()) if forbidding else ():
        running = [g for g in users if not fleet.guests[g].stopped]
        if len(running) > 1 and fleet.volumes[volume].exclusive:
            text = f"{names(running)} all attach the exclusive volume {volume}"
            yield Conflict(Reason.VOLUME_IN_USE, forbidding, text, in_order(running))


def over_quota(fleet: Fleet, rules: list[Rule]) -> Iterator[Conflict]:
    """Projects whose guests can't all run."""
    for rule in rules:
        if isinstance(rule, Quota):
            running = [g for g in rule.guests_named(fleet) if not fleet.guests[g].stopped]
            limits: dict[str, int] = dict(rule.limits)
            wanted = {r: sum(fleet.demand_of(g).get(r, 0) for g in running) for r in limits}
            if rule.at_most is not None:
                limits["guests"], wanted["guests"] = rule.at_most, len(running)
            for resource in sorted(r for r in limits if wanted[r] > limits[r]):
                unit = "guests" if resource == "guests" else fleet.unit_of(resource)
                text = (
                    f"the guests of project {rule.project} want"
                    f" {format_amount(wanted[resource], unit)} of {resource}; {rule.label}"
                    f" allows {format_amount(limits[resource], unit)}"
                )
                yield Conflict(Reason.QUOTA, (rule.label,), text, in_order(running))


def unlabelled(fleet: Fleet, rules: list[Rule]) -> Iterator[Conflict]:
    """Hosts that rules over a domain can't use, since nobody said where they stand."""
    by_domain: dict[str, list[Rule]] = {}
    for rule in rules:
        domain = getattr(rule, "domain", HOST_DOMAIN)
        if domain != HOST_DOMAIN and not getattr(rule, "parts", ()):
            by_domain.setdefault(domain, []).append(rule)
    for domain, over_it in sorted(by_domain.items()):
        bare = [h for h in fleet.hosts if h not in fleet.domain_of(domain)]
        if bare:
            has = "has" if len(bare) == 1 else "have"
            text = f"{names(bare)} {has} no {domain}: {'; '.join(_without_it(over_it))}"
            rules_named, code = unique(rule.label for rule in over_it), reasons.apart(domain)
            yield Conflict(code, rules_named, text, (), in_order(bare), fatal=False)


def _without_it(rules: list[Rule]) -> Iterator[str]:
    """What rules over a domain make of a host that is in none of its values."""
    spares = [rule.label for rule in rules if isinstance(rule, Headroom)]
    others = [rule.label for rule in rules if not isinstance(rule, Headroom)]
    if others:
        yield f"guests of {names(others)} can't be there"
    if spares:
        yield f"{names(spares)} never {'counts' if len(spares) == 1 else 'count'} on its loss"
