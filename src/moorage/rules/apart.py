# SPDX-License-Identifier: Apache-2.0
"""Apart: replicas that must not share a fate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from moorage.model import reasons
from moorage.model.compiled import Exact, Tables, Term
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.domains import held_in, running_in, unlabelled
from moorage.rules.members import refuse_twice
from moorage.rules.posting import open_values, running, without_value
from moorage.rules.wording import names, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart(Rule):
    """Guests that stay apart in a domain.

    Attributes:
        guests: the replicas.
        domain: `host`, or any label of hosts.
        at_most: guests of the group in one value of the domain; 1 if nothing else is asked.
        max_skew: how much fuller the fullest value may be than the emptiest.
        min_domains: how many different values the group has to be spread over.
    """

    kind: ClassVar[str] = "apart"
    invariant: ClassVar[str] = (
        "In every value of the domain at most at_most of the guests hold room, the values"
        " differ by at most max_skew running guests, the placed guests run in at least"
        " min_domains different values (or in as many as there are placed guests), and none"
        " holds a host without a value."
    )
    remedy: ClassVar[str] = (
        "move one of them to another {domain}; where none has room, add a {domain}, run fewer"
        " replicas, or ask for a smaller domain"
    )

    guests: tuple[str, ...]
    domain: str = HOST_DOMAIN
    at_most: int | None = None
    max_skew: int | None = None
    min_domains: int | None = None

    def __post_init__(self) -> None:
        refuse_twice(self.guests)
        for field, least in (("at_most", 1), ("max_skew", 1), ("min_domains", 1)):
            value = getattr(self, field)
            if value is not None and value < least:
                raise ValueError(f"{field} is {value}, but must be at least {least}")

    @property
    def most(self) -> int | None:
        """The limit for one value of the domain."""
        if self.at_most is None and self.max_skew is None and self.min_domains is None:
            return 1
        return self.at_most

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return self.guests

    def post(self, exact: Exact) -> None:
        guests = running(exact.fleet, self.guests)
        lost_hosts = without_value(exact.fleet, self.domain)
        if lost_hosts:
            lost = {g: exact.among(g, lost_hosts) for g in guests}
            exact.breach(self, "", sum(lost.values()), joining=lost)
        if self.most is not None:
            for value, hosts in open_values(exact, self.domain).items():
                self._post_crowd(exact, value, {g: exact.among(g, hosts) for g in guests})
        if self.max_skew is not None or self.min_domains is not None:
            self._post_spread(exact, guests)

    def _post_crowd(self, exact: Exact, value: str, inside: Mapping[str, Term]) -> None:
        excess = sum(inside.values()) - (self.most or 0)
        if not self.is_must or exact.stood(self, value):
            excess = exact.rising(excess, max(0, len(inside) - (self.most or 0)))
        exact.breach(self, value, excess, joining=inside)

    def _post_spread(self, exact: Exact, guests: list[str]) -> None:
        inside = {
            value: [exact.among(g, hosts) for g in guests]
            for value, hosts in exact.fleet.hosts_in(self.domain).items()
        }
        counts = [sum(terms) for terms in inside.values()]
        if self.max_skew is not None and counts:
            skew = exact.largest(counts, len(guests)) - exact.smallest(counts, len(guests))
            exact.breach(self, "skew", skew - self.max_skew)
        if self.min_domains is not None:
            placed = sum(exact.placed(g) for g in guests)
            least = exact.smallest([self.min_domains, placed], max(len(guests), self.min_domains))
            used = sum(exact.any_of(terms) for terms in inside.values())
            exact.breach(self, "spread", least - used)

    def arrays(self, tables: Tables) -> None:
        tables.spread(
            self,
            self.guests,
            self.domain,
            at_most=self.most,
            max_skew=self.max_skew,
            min_domains=self.min_domains,
        )

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        held = held_in(view, self.guests, self.domain)
        lost = held.pop(None, [])
        if lost:
            yield unlabelled(view, self.label, reasons.apart(self.domain), self.domain, lost)
        if self.most is not None:
            for value in sorted(v for v in held if v is not None):
                if len(held[value]) > self.most:
                    yield self._crowded(value, held[value])
        if self.max_skew is not None or self.min_domains is not None:
            yield from self._spread(view)

    def _crowded(self, value: str, guests: list[str]) -> Breach:
        excess = len(guests) - (self.most or 0)
        place = value if self.domain == HOST_DOMAIN else f"{self.domain} {value}"
        text = f"{names(guests)} share {place}; at most {self.most} may"
        return self._breach(value, guests, excess * (excess + 1) // 2, text)

    def _spread(self, view: View) -> Iterator[Breach]:
        running = running_in(view, self.guests, self.domain)
        lost = running.pop(None, [])
        values = set(view.fleet.domain_of(self.domain).values())
        counts = {v: len(running.get(v, ())) for v in values}
        skew = max(counts.values(), default=0) - min(counts.values(), default=0)
        if self.max_skew is not None and skew > self.max_skew:
            fullest, emptiest = self._extremes(counts)
            text = (
                f"{fullest} holds {counts[fullest]} of the group and {emptiest}"
                f" {counts[emptiest]}; they may differ by {self.max_skew}"
            )
            yield self._breach("skew", list(self.guests), skew - self.max_skew, text)
        least = min(self.min_domains or 0, sum(counts.values()) + len(lost))
        if len(running) < least:
            text = f"the group is in {plural(len(running), self.domain)}; it needs {least}"
            yield self._breach("spread", list(self.guests), least - len(running), text)

    @staticmethod
    def _extremes(counts: dict[str, int]) -> tuple[str, str]:
        return max(sorted(counts), key=counts.__getitem__), min(
            sorted(counts), key=counts.__getitem__
        )

    def _breach(self, where: str, guests: list[str], amount: int, text: str) -> Breach:
        host = where if self.domain == HOST_DOMAIN and where not in ("skew", "spread") else None
        code = reasons.apart(self.domain)
        return Breach(self.label, code, where, in_order(guests), amount, text, host=host or None)
