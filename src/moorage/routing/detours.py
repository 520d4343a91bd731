# SPDX-License-Identifier: Apache-2.0
"""What is said to the solver of a target that no way leads to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Detour(Rule):
    """Not all of these guests end on these hosts: no way leads there from where they are.

    It is no rule of a fleet's, but of one search for a target, which is why no registry knows it.

    Attributes:
        guests: those who can't get there together.
        hosts: where each of them would be.
    """

    invariant: ClassVar[str] = "Not all of the guests are on the rule's hosts."
    remedy: ClassVar[str] = "make room on a host that they could be parked on"
    usual_when: ClassVar[When] = When.AT_END

    guests: tuple[str, ...]
    hosts: tuple[str, ...]

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        """The guests that can't get there together."""
        return self.guests

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        """Find whether all of them are there."""
        pairs = zip(self.guests, self.hosts, strict=True)
        if all(view.runs_on(guest) == host for guest, host in pairs):
            guests = in_order(self.guests)
            text = f"no way leads {len(guests)} guests there together"
            yield Breach(self.label, Reason.NO_PATH, "", guests, 1, text)

    def post(self, exact: Exact) -> None:
        """Forbid all of them to be there."""
        there = [exact.on(g, h) for g, h in zip(self.guests, self.hosts, strict=True)]
        exact.breach(self, "", sum(there) - (len(there) - 1))

    def arrays(self, tables: Tables) -> None:
        """Ask its own check of each incumbent."""
        tables.ask(self)
