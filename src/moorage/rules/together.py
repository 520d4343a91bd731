# SPDX-License-Identifier: Apache-2.0
"""Together: guests that belong in one place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model import reasons
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order
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
