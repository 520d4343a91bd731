# SPDX-License-Identifier: Apache-2.0
"""CPU compatible: a guest finds the CPU features that it was started with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuCompatible(Rule):
    """Hosts have the CPU features that their guests need."""

    kind: ClassVar[str] = "cpu_compatible"
    invariant: ClassVar[str] = "Every host that a guest holds has all CPU features it needs."
    remedy: ClassVar[str] = "give the guest a more general CPU type"
    ambient: ClassVar[bool] = True

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return [g.id for g in fleet.guests.values() if g.cpu_features]

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        alike: dict[frozenset[str], list[str]] = {}
        for guest in self.guests_named(fleet):
            alike.setdefault(frozenset(fleet.guests[guest].cpu_features), []).append(guest)
        for needed, guests in alike.items():
            hosts = (h.id for h in fleet.hosts.values() if needed.difference(h.cpu_features))
            yield Bar(guests, frozenset(hosts))

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        guests = self.guests_named(view.fleet) if focus is None else sorted(focus.guests)
        lacking: dict[str, dict[str, set[str]]] = {}
        for guest in guests:
            needed = set(view.fleet.guests[guest].cpu_features)
            for host in view.hosts_of(guest):
                missing = needed.difference(view.fleet.hosts[host].cpu_features)
                if missing:
                    lacking.setdefault(host, {})[guest] = missing
        for host, missing_for in sorted(lacking.items()):
            features = set().union(*missing_for.values())
            text = f"{host} lacks {names(features)} for {names(missing_for)}"
            guests_here = in_order(missing_for)
            code, count = Reason.CPU_INCOMPATIBLE, len(guests_here)
            yield Breach(self.label, code, host, guests_here, count, text, host=host)
