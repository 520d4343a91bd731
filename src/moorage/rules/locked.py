# SPDX-License-Identifier: Apache-2.0
"""Locked: guests that another operation has in its hands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.stay import kept, moved
from moorage.rules.wording import are, names


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked(Rule):
    """Guests with a lock (backup, snapshot …) are left alone."""

    kind: ClassVar[str] = "locked"
    invariant: ClassVar[str] = (
        "A running guest with a lock that has a host at the start holds that host and no"
        " other, and was never moved."
    )
    remedy: ClassVar[str] = "wait until the lock is gone"
    ambient: ClassVar[bool] = True

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return [g.id for g in fleet.guests.values() if g.lock and not g.stopped]

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return kept(fleet, self.guests_named(fleet))

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        locked = self.guests_named(view.fleet) if focus is None else self._among(view, focus)
        for host, guests in sorted(moved(view, locked).items()):
            why = view.fleet.guests[guests[0]].lock
            text = f"{names(guests)} {are(guests)} moved off {host} although locked ({why})"
            yield Breach(
                self.label, Reason.LOCKED, host, in_order(guests), len(guests), text, host=host
            )

    @staticmethod
    def _among(view: View, focus: Focus) -> list[str]:
        known = (view.fleet.guests[g] for g in sorted(focus.guests))
        return [g.id for g in known if g.lock and not g.stopped]
