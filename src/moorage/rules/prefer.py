# SPDX-License-Identifier: Apache-2.0
"""Prefer: guests that like some hosts better."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule, Strength, When
from moorage.model.view import View, in_order
from moorage.rules.domains import by_host
from moorage.rules.wording import are, names


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefer(Rule):
    """Guests that like hosts by priority: the higher the better; others have priority 0.

    Attributes:
        guests: those that have a liking.
        hosts: {host: priority}; the higher the better.
    """

    kind: ClassVar[str] = "prefer"
    invariant: ClassVar[str] = (
        "Every guest of the rule runs on a host of the highest priority; each point of"
        " priority that a guest misses counts once."
    )
    remedy: ClassVar[str] = "make room on a host of higher priority"
    usual_when: ClassVar[When] = When.AT_END

    guests: tuple[str, ...]
    hosts: FrozenMap[str, int]
    strength: Strength = Strength.SHOULD

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return self.guests

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        best = self._best(fleet)
        missed: dict[int, list[str]] = {}
        for host in fleet.hosts:
            missed.setdefault(best - self.hosts.get(host, 0), []).append(host)
        for amount, hosts in missed.items():
            if amount > 0:
                yield Bar(self.guests, frozenset(hosts), amount=amount)

    def _best(self, fleet: Fleet) -> int:
        """The highest priority that any host of *fleet* has."""
        known = [priority for h, priority in self.hosts.items() if h in fleet.hosts]
        return max([*known, 0] if len(known) < len(fleet.hosts) else known, default=0)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        best = self._best(view.fleet)
        pairs = ((g, host) for g in self.guests if (host := view.runs_on(g)) is not None)
        for host, guests in sorted(by_host(pairs).items()):
            missed = best - self.hosts.get(host, 0)
            if missed > 0:
                liked = [h for h, priority in self.hosts.items() if priority == best]
                better = names(liked) or "any other host"
                text = f"{names(guests)} {are(guests)} on {host} and would rather be on {better}"
                amount = missed * len(guests)
                yield Breach(
                    self.label,
                    Reason.NOT_PREFERRED,
                    host,
                    in_order(guests),
                    amount,
                    text,
                    host=host,
                )
