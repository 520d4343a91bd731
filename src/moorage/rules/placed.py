# SPDX-License-Identifier: Apache-2.0
"""Placed: every guest that should run has a host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order
from moorage.rules.posting import running
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Rule):
    """Guests that should run do."""

    kind: ClassVar[str] = "placed"
    invariant: ClassVar[str] = "Every guest that is not stopped holds a host."
    remedy: ClassVar[str] = "make room for the guest"
    ambient: ClassVar[bool] = True
    usual_when: ClassVar[When] = When.AT_END

    def post(self, exact: Exact) -> None:
        missing = {g: 1 - exact.placed(g) for g in running(exact.fleet, exact.free)}
        exact.breach(self, "", sum(missing.values()), joining=missing)

    def arrays(self, tables: Tables) -> None:
        tables.place_all(self)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        waiting = [
            g.id for g in view.fleet.guests.values() if not g.stopped and not view.hosts_of(g.id)
        ]
        if waiting:
            text = f"{names(waiting)} {'has' if len(waiting) == 1 else 'have'} no host"
            yield Breach(self.label, Reason.NOT_PLACED, "", in_order(waiting), len(waiting), text)
