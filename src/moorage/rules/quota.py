# SPDX-License-Identifier: Apache-2.0
"""Quota: what a project may take in all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.reasons import Reason
from moorage.model.resources import format_amounts
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.posting import running


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota(Rule):
    """Limits for the placed guests of one project.

    Attributes:
        project: whose guests are counted.
        limits: amount of each resource that they may take together.
        at_most: how many they may be; None is no limit.
    """

    kind: ClassVar[str] = "quota"
    invariant: ClassVar[str] = (
        "The placed guests of the project take at most the limit of each resource, and are at"
        " most at_most."
    )
    remedy: ClassVar[str] = "raise the quota of the project, or stop one of its guests"

    project: str
    limits: FrozenMap[str, int] = EMPTY
    at_most: int | None = None

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return fleet.guests_of_project.get(self.project, ())

    def post(self, exact: Exact) -> None:
        for resource, weights, limit in self._sums(exact.fleet):
            taken = sum(amount * exact.placed(g) for g, amount in weights.items())
            exact.breach(self, self.project, taken - limit, resource=resource)

    def arrays(self, tables: Tables) -> None:
        for resource, weights, limit in self._sums(tables.fleet):
            tables.limit_placed(self, self.project, weights, limit, resource)

    def _sums(self, fleet: Fleet) -> Iterator[tuple[str, dict[str, int], int]]:
        """What is limited: each resource, how much of it each guest takes, and the limit."""
        guests = running(fleet, self.guests_named(fleet))
        if self.at_most is not None:
            yield "guests", dict.fromkeys(guests, 1), self.at_most
        for resource, limit in sorted(self.limits.items()):
            takes = {g: fleet.demand_of(g).get(resource, 0) for g in guests}
            yield resource, {g: amount for g, amount in takes.items() if amount}, limit

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        placed = [g for g in self.guests_named(view.fleet) if view.hosts_of(g)]
        if self.at_most is not None and len(placed) > self.at_most:
            yield self._breach(placed, "guests", len(placed), self.at_most, "guests")
        for resource, limit in sorted(self.limits.items()):
            taken = sum(view.fleet.demand_of(g).get(resource, 0) for g in placed)
            if taken > limit:
                unit = view.fleet.unit_of(resource)
                yield self._breach(placed, resource, taken, limit, unit)

    def _breach(self, placed: list[str], what: str, taken: int, limit: int, unit: str) -> Breach:
        has_taken, has = format_amounts(unit, taken, limit)
        of_it = "" if what == "guests" else f" of {what}"
        text = f"project {self.project} takes {has_taken}{of_it}; its quota is {has}"
        guests, over = in_order(placed), taken - limit
        return Breach(self.label, Reason.QUOTA, self.project, guests, over, text, what)
