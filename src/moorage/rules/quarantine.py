# SPDX-License-Identifier: Apache-2.0
"""Quarantine: hosts that nothing enters or leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.stay import kept
from moorage.rules.wording import are, names


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine(Rule):
    """Hosts whose guests are frozen in place.

    Attributes:
        hosts: those that are closed both ways.
    """

    kind: ClassVar[str] = "quarantine"
    invariant: ClassVar[str] = (
        "No guest was ever moved onto a host of the rule, and each guest that runs there at"
        " the start still holds that host and no other."
    )
    remedy: ClassVar[str] = "lift the quarantine of the host"

    hosts: tuple[str, ...]

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        yield Bar(None, frozenset(self.hosts), residents_stay=True)
        for host in self.hosts:
            yield from kept(fleet, fleet.residents[host])

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        for host in self.hosts:
            if focus is not None and host not in focus.hosts:
                continue
            came = list(view.came_onto(host))
            here = view.fleet.residents[host]
            went = [g for g in here if view.hosts_of(g) != (host,)]
            if came:
                yield self._breach(host, came, f"{names(came)} {are(came)} moved onto")
            if went:
                yield self._breach(host, went, f"{names(went)} {are(went)} moved off")

    def _breach(self, host: str, guests: list[str], what: str) -> Breach:
        text = f"{what} {host}, which is in quarantine"
        where = f"{host} in" if what.endswith("onto") else f"{host} out"
        ordered = in_order(guests)
        return Breach(self.label, Reason.QUARANTINED, where, ordered, len(ordered), text, host=host)
