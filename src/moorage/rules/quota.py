# SPDX-License-Identifier: Apache-2.0
"""Quota: what a project may take in all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.reasons import Reason
from moorage.model.resources import format_amounts
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order


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
