# SPDX-License-Identifier: Apache-2.0
"""Exclusive volume: one writer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.posting import running
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusiveVolume(Rule):
    """A volume that takes one writer has one."""

    kind: ClassVar[str] = "exclusive_volume"
    invariant: ClassVar[str] = "At most one placed guest attaches each exclusive volume."
    remedy: ClassVar[str] = "stop one of the guests, or give it a volume of its own"
    ambient: ClassVar[bool] = True

    def post(self, exact: Exact) -> None:
        for volume, users in self._contested(exact.fleet).items():
            placed = {guest: exact.placed(guest) for guest in users}
            exact.breach(self, volume, sum(placed.values()) - 1, joining=placed)

    def arrays(self, tables: Tables) -> None:
        for volume, users in self._contested(tables.fleet).items():
            tables.limit_placed(self, volume, dict.fromkeys(users, 1), 1, "")

    @staticmethod
    def _contested(fleet: Fleet) -> dict[str, list[str]]:
        """The exclusive volumes that more than one running guest attaches."""
        users = {
            volume: running(fleet, attached)
            for volume, attached in sorted(fleet.users_of_volume.items())
            if fleet.volumes[volume].exclusive
        }
        return {volume: guests for volume, guests in users.items() if len(guests) > 1}

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        users = view.fleet.users_of_volume
        if focus is not None:
            touched = {v for g in focus.guests for v in view.fleet.guests[g].volumes}
            users = FrozenMap({v: users[v] for v in touched})
        for volume, attached in sorted(users.items()):
            if len(attached) < 2 or not view.fleet.volumes[volume].exclusive:
                continue
            running = in_order([g for g in attached if view.hosts_of(g)])
            if len(running) > 1:
                text = f"{names(running)} all write to the exclusive volume {volume}"
                yield Breach(
                    self.label, Reason.VOLUME_IN_USE, volume, running, len(running) - 1, text
                )
