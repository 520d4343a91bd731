# SPDX-License-Identifier: Apache-2.0
"""vCPUs fit: no guest has more vCPUs than its host has cores."""

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
class VcpusFit(Rule):
    """A hypervisor refuses guests with more vCPUs than it has cores."""

    kind: ClassVar[str] = "vcpus_fit"
    invariant: ClassVar[str] = (
        "Every host that a guest holds has at least as many cores as the guest has vCPUs,"
        " where both are known."
    )
    remedy: ClassVar[str] = "give the guest fewer vCPUs"
    ambient: ClassVar[bool] = True

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return [g.id for g in fleet.guests.values() if g.vcpus is not None]

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        alike: dict[int, list[str]] = {}
        for guest in self.guests_named(fleet):
            alike.setdefault(fleet.guests[guest].vcpus or 0, []).append(guest)
        for vcpus, guests in alike.items():
            small = (h.id for h in fleet.hosts.values() if h.cores is not None and h.cores < vcpus)
            yield Bar(guests, frozenset(small))

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        guests = self.guests_named(view.fleet) if focus is None else sorted(focus.guests)
        wide: dict[str, list[str]] = {}
        for guest in guests:
            vcpus = view.fleet.guests[guest].vcpus or 0
            for host in view.hosts_of(guest):
                cores = view.fleet.hosts[host].cores
                if cores is not None and vcpus > cores:
                    wide.setdefault(host, []).append(guest)
        for host, found in sorted(wide.items()):
            most = max(view.fleet.guests[g].vcpus or 0 for g in found)
            cores = view.fleet.hosts[host].cores
            text = f"{names(found)} with up to {most} vCPUs on {host}, which has {cores} cores"
            code, count = Reason.VCPUS_EXCEED_CORES, len(found)
            yield Breach(self.label, code, host, in_order(found), count, text, host=host)
