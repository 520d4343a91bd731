# SPDX-License-Identifier: Apache-2.0
"""Near: guests that need a guest of another group close by."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables, Term
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order
from moorage.rules.domains import running_in
from moorage.rules.posting import can_be, open_values, running, without_value
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Near(Rule):
    """Each guest shares a value of the domain with some guest of *to*. Directed.

    Attributes:
        guests: those that need company.
        to: the company that they need.
        domain: `host`, or any label of hosts.
    """

    kind: ClassVar[str] = "near"
    invariant: ClassVar[str] = (
        "Each placed guest of the first group runs in a value of the domain in which some"
        " guest of the second group runs."
    )
    remedy: ClassVar[str] = "move or add a guest of the second group to that {domain}"
    usual_when: ClassVar[When] = When.AT_END
    always_where_enforced: ClassVar[bool] = True

    guests: tuple[str, ...]
    to: tuple[str, ...]
    domain: str = HOST_DOMAIN

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return (*self.guests, *self.to)

    def post(self, exact: Exact) -> None:
        guests = running(exact.fleet, self.guests)
        lonely = {g: exact.flag(f"{self.label}: {g} is lonely") for g in guests}
        for hosts in open_values(exact, self.domain).values():
            company = exact.any_of([exact.among(g, hosts) for g in self.to])
            for guest in guests:
                here = exact.among(guest, hosts)
                if can_be(here):
                    exact.need(lonely[guest] >= here - company)
        self._post_settled(exact, lonely)
        exact.breach(self, "", sum(lonely.values()), joining=lonely)

    def _post_settled(self, exact: Exact, lonely: Mapping[str, Term]) -> None:
        """Say it of hosts without a value, and of values that no open host has."""
        opened = open_values(exact, self.domain)
        closed = [v for v in exact.fleet.hosts_in(self.domain) if v not in opened]
        for guest, flag in lonely.items():
            lost = exact.among(guest, without_value(exact.fleet, self.domain))
            if can_be(lost):
                exact.need(flag >= lost)
            for value in closed:
                hosts = exact.fleet.hosts_in(self.domain)[value]
                if can_be(exact.among(guest, hosts)) and not any(
                    can_be(exact.among(g, hosts)) for g in self.to
                ):
                    exact.need(flag >= 1)

    def arrays(self, tables: Tables) -> None:
        tables.accompany(self, self.guests, self.to, self.domain)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        there = running_in(view, self.to, self.domain)
        here = running_in(view, self.guests, self.domain)
        lonely = [g for v, members in here.items() if v is None or v not in there for g in members]
        if lonely:
            spots = {
                v or f"a host without {self.domain}" for v in here if v is None or v not in there
            }
            text = (
                f"{names(lonely)} in {names(spots)}:"
                f" none of {names(self.to)} is in the same {self.domain}"
            )
            yield Breach(self.label, Reason.NEAR, "", in_order(lonely), len(lonely), text)
