# SPDX-License-Identifier: Apache-2.0
"""Together: guests that belong in one place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model import reasons
from moorage.model.compiled import Exact, Tables, Term
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order
from moorage.rules.posting import can_be, running, without_value
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Together(Rule):
    """Guests in the same value of a domain, or all inside one of several sets of hosts.

    Attributes:
        guests: the group.
        domain: `host`, or any label of hosts.
        parts: sets of hosts, one of which has to hold them all; instead of a domain.
    """

    kind: ClassVar[str] = "together"
    invariant: ClassVar[str] = (
        "All placed guests of the group run in the same value of the domain (or in the same"
        " one of the parts), and none runs on a host without a value."
    )
    remedy: ClassVar[str] = "free room for the whole group on one {domain}, or split the group"
    usual_when: ClassVar[When] = When.AT_END
    always_where_enforced: ClassVar[bool] = True

    guests: tuple[str, ...]
    domain: str = HOST_DOMAIN
    parts: tuple[tuple[str, ...], ...] = ()

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return self.guests

    def post(self, exact: Exact) -> None:
        guests = running(exact.fleet, self.guests)
        spots = [[exact.among(g, hosts) for g in guests] for hosts in self._choices(exact.fleet)]
        spots = [inside for inside in spots if any(can_be(term) for term in inside)]
        if self.is_must and not exact.stood(self, ""):
            self._post_whole(exact, guests, spots)
            return
        placed = {g: exact.placed(g) for g in guests}
        best = exact.largest([sum(inside) for inside in spots], len(guests))
        exact.breach(self, "", sum(placed.values()) - best, joining=placed)

    def _post_whole(self, exact: Exact, guests: list[str], spots: list[list[Term]]) -> None:
        """One of *spots* is chosen, and holds each of *guests* that has a host.

        Where spots don't overlap, that ties the guests to each other far more closely than
        counting them does.
        """
        chosen = [exact.flag(f"{self.label}: spot {i}") for i in range(len(spots))]
        exact.need(sum(chosen) <= 1)
        if self.parts:
            for place, guest in enumerate(guests):
                for flag, inside in zip(chosen, spots, strict=True):
                    exact.need(exact.placed(guest) - inside[place] <= 1 - flag)
                exact.need(exact.placed(guest) <= sum(chosen))
            return
        for flag, inside in zip(chosen, spots, strict=True):
            for term in inside:
                if can_be(term):
                    exact.need(term <= flag)
        lost = without_value(exact.fleet, self.domain)
        for guest in guests if lost else ():
            exact.need(exact.among(guest, lost) <= 0)

    def _choices(self, fleet: Fleet) -> Collection[Collection[str]]:
        """The sets of hosts of which one is to hold them all."""
        return self.parts or fleet.hosts_in(self.domain).values()

    def arrays(self, tables: Tables) -> None:
        tables.gather(self, self.guests, self.domain, self.parts)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        placed = [g for g in self.guests if view.hosts_of(g)]
        if not placed:
            return
        fits = [self._values(view, view.runs_on(g) or "") for g in placed]
        values = {v for each in fits for v in each}
        best = max((sum(v in each for each in fits) for v in values), default=0)
        if best < len(placed):
            yield self._breach(view, placed, len(placed) - best)

    def _values(self, view: View, host: str) -> frozenset[str]:
        """The values (or numbers of parts) that *host* belongs to."""
        if self.parts:
            return frozenset(str(i) for i, part in enumerate(self.parts) if host in part)
        value = view.fleet.domain_of(self.domain).get(host)
        return frozenset() if value is None else frozenset({value})

    def _breach(self, view: View, placed: list[str], amount: int) -> Breach:
        spots = {self._spot(view, view.runs_on(g) or "") for g in placed}
        text = f"{names(placed)} belong together but are in {names(spots)}"
        return Breach(self.label, self.code, "", in_order(placed), amount, text)

    def _spot(self, view: View, host: str) -> str:
        if self.parts or self.domain == HOST_DOMAIN:
            return host
        return view.fleet.domain_of(self.domain).get(host) or f"{host} (no {self.domain})"

    @property
    def code(self) -> str:
        """The reason code, after the domain; sets of hosts are called parts."""
        return reasons.together("part" if self.parts else self.domain)
