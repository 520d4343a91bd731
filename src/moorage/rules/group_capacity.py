# SPDX-License-Identifier: Apache-2.0
"""Group capacity: a limit for a set of hosts taken together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model import reasons
from moorage.model.compiled import Exact, Tables
from moorage.model.resources import format_amounts
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCapacity(Rule):
    """At most *at_most* of *resource* taken over all *hosts* (licences, power, a cage).

    Attributes:
        hosts: those that share the limit.
        resource: what is limited.
        at_most: the limit, in the unit of the resource.
    """

    kind: ClassVar[str] = "group_capacity"
    invariant: ClassVar[str] = (
        "What guests hold of the resource, summed over the rule's hosts, is at most at_most."
    )
    remedy: ClassVar[str] = "raise the limit of {rule}, or move guests to other hosts"

    hosts: tuple[str, ...]
    resource: str
    at_most: int

    def __post_init__(self) -> None:
        if self.at_most < 0:
            raise ValueError(f"at_most is {self.at_most}, but can't be negative")

    def post(self, exact: Exact) -> None:
        if set(self.hosts).isdisjoint(exact.hosts):
            return
        taken = sum(exact.load(host, self.resource) for host in self.hosts)
        where = self.hosts[0] if len(self.hosts) == 1 else ""
        exact.breach(self, where, taken - self.at_most, resource=self.resource)

    def arrays(self, tables: Tables) -> None:
        where = self.hosts[0] if len(self.hosts) == 1 else ""
        tables.limit_sum(self, where, self.hosts, self.resource, self.at_most)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        if focus is not None and focus.hosts.isdisjoint(self.hosts):
            return
        taken = sum(view.load(host, self.resource) for host in self.hosts)
        if taken <= self.at_most:
            return
        unit = view.fleet.unit_of(self.resource)
        taken_of_it, limit = format_amounts(unit, taken, self.at_most)
        text = (
            f"{names(self.hosts)}: {self.resource} {taken_of_it} taken,"
            f" at most {limit} allowed together"
        )
        concerned = [h for h in self.hosts if focus is None or h in focus.hosts]
        guests = in_order({g for h in concerned for g in view.sharers(h, self.resource)})
        host = self.hosts[0] if len(self.hosts) == 1 else None
        code, over = reasons.no_capacity(self.resource), taken - self.at_most
        yield Breach(self.label, code, host or "", guests, over, text, self.resource, host)
