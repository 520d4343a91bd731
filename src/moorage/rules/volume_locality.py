# SPDX-License-Identifier: Apache-2.0
"""Volume locality: guests run where their local volumes are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.domains import by_host
from moorage.rules.wording import are, names


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeLocality(Rule):
    """A volume with a home is only usable there."""

    kind: ClassVar[str] = "volume_locality"
    invariant: ClassVar[str] = (
        "Every host that a guest holds is the home of each of its volumes that has a home."
    )
    remedy: ClassVar[str] = "move the volume to another host first"
    ambient: ClassVar[bool] = True

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return [g.id for g in fleet.guests.values() if g.volumes]

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        for guest in self.guests_named(fleet):
            volumes = (fleet.volumes[v] for v in fleet.guests[guest].volumes)
            homes = frozenset(v.home for v in volumes if v.home is not None)
            if homes:
                yield Bar((guest,), homes if len(homes) == 1 else frozenset(), but_these=True)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        if not view.fleet.volumes:
            return
        guests = self.guests_named(view.fleet) if focus is None else sorted(focus.guests)
        for host, strays in sorted(by_host(self._strays(view, guests)).items()):
            text = f"{names(strays)} {are(strays)} on {host}, away from local volumes"
            code, count = Reason.VOLUME_LOCALITY_NO_NODE, len(strays)
            yield Breach(self.label, code, host, in_order(strays), count, text, host=host)

    @staticmethod
    def _strays(view: View, guests: Collection[str]) -> Iterator[tuple[str, str]]:
        for guest in guests:
            volumes = (view.fleet.volumes[v] for v in view.fleet.guests[guest].volumes)
            homes = {v.home for v in volumes if v.home is not None}
            yield from ((guest, host) for host in view.hosts_of(guest) if homes - {host})
