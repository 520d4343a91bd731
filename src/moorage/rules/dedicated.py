# SPDX-License-Identifier: Apache-2.0
"""Dedicated: guests whose hosts hold nobody else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar, Exact, Tables
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.domains import barred_from_unlabelled, held_in, on_unlabelled
from moorage.rules.posting import open_values, running
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Dedicated(Rule):
    """Guests that share their domain with no outsider.

    Attributes:
        guests: those that share with nobody else.
        domain: `host`, or any label of hosts.
    """

    kind: ClassVar[str] = "dedicated"
    invariant: ClassVar[str] = (
        "No guest outside the group holds a host in a value of the domain in which a guest"
        " of the group holds one, and none of the group holds a host without a value."
    )
    remedy: ClassVar[str] = "move the outsiders away, or give the group a {domain} of its own"

    guests: tuple[str, ...]
    domain: str = HOST_DOMAIN

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return barred_from_unlabelled(fleet, self.guests, self.domain)

    def post(self, exact: Exact) -> None:
        everybody = running(exact.fleet, exact.fleet.guests)
        for value, hosts in open_values(exact, self.domain).items():
            inside = {g: exact.among(g, hosts) for g in self.guests}
            strangers = exact.count(hosts) - sum(inside.values())
            taken = exact.any_of(list(inside.values()))
            joining = {}
            if exact.stood(self, value):
                joining = {g: exact.among(g, hosts) for g in everybody}
            excess = exact.given(taken, strangers, len(everybody))
            exact.breach(self, value, excess, joining=joining)

    def arrays(self, tables: Tables) -> None:
        tables.seclude(self, self.guests, self.domain)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        members = set(self.guests)
        held = held_in(view, self.guests, self.domain)
        lost = held.pop(None, [])
        if lost:
            yield from on_unlabelled(view, self.label, Reason.DEDICATED, self.domain, lost)
        values = {value for value in held if value is not None}
        if focus is not None:
            value_of = view.fleet.domain_of(self.domain)
            values &= {value_of[host] for host in focus.hosts if host in value_of}
        hosts_in = view.fleet.hosts_in(self.domain)
        for value in sorted(values):
            strangers = {g for h in hosts_in[value] for g in view.guests_on(h)} - members
            if strangers:
                yield self._breach(value, held[value], strangers)

    def _breach(self, value: str, members: list[str], strangers: set[str]) -> Breach:
        text = f"{value} is kept for {names(members)} but holds {names(strangers)}"
        host = value if self.domain == HOST_DOMAIN else None
        guests = in_order({*members, *strangers})
        return Breach(self.label, Reason.DEDICATED, value, guests, len(strangers), text, host=host)
