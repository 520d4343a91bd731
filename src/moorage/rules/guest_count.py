# SPDX-License-Identifier: Apache-2.0
"""Guest count: how many guests a set of hosts may hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Exact, Tables
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.wording import names, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestCount(Rule):
    """At most *at_most* running guests on *hosts* together, or on each of them.

    Attributes:
        hosts: those that the limit is for.
        at_most: how many guests there may be.
        each: the limit is for each host alone.
    """

    kind: ClassVar[str] = "guest_count"
    invariant: ClassVar[str] = (
        "At most at_most different guests hold one of the rule's hosts (with each: any single"
        " one of them)."
    )
    remedy: ClassVar[str] = "raise the limit of {rule}, or move guests to other hosts"

    hosts: tuple[str, ...]
    at_most: int
    each: bool = False

    def __post_init__(self) -> None:
        if self.at_most < 0:
            raise ValueError(f"at_most is {self.at_most}, but can't be negative")

    @property
    def limited(self) -> list[tuple[str, tuple[str, ...]]]:
        """The sets of hosts that the limit is for, each with the host it is named after."""
        groups = [(h,) for h in self.hosts] if self.each else [self.hosts]
        return [(hosts[0] if len(hosts) == 1 else "", hosts) for hosts in groups]

    def post(self, exact: Exact) -> None:
        for where, hosts in self.limited:
            if not set(hosts).isdisjoint(exact.hosts):
                exact.breach(self, where, exact.count(hosts) - self.at_most, resource="guests")

    def arrays(self, tables: Tables) -> None:
        for where, hosts in self.limited:
            tables.limit_count(self, where, hosts, self.at_most)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        if focus is not None and focus.hosts.isdisjoint(self.hosts):
            return
        groups = [self.hosts]
        if self.each:
            groups = [(h,) for h in self.hosts if focus is None or h in focus.hosts]
        for hosts in groups:
            if sum(len(view.guests_on(h)) for h in hosts) <= self.at_most:
                continue  # one on the move counts twice here, but once below
            guests = {g for h in hosts for g in view.guests_on(h)}
            if len(guests) > self.at_most:
                concerned = hosts if focus is None else focus.hosts.intersection(hosts)
                named = {g for h in concerned for g in view.guests_on(h)}
                yield self._breach(hosts, len(guests), named)

    def _breach(self, hosts: tuple[str, ...], count: int, named: set[str]) -> Breach:
        text = f"{plural(count, 'guest')} on {names(hosts)}; at most {self.at_most} may be"
        host = hosts[0] if len(hosts) == 1 else None
        code, over = Reason.NO_CAPACITY_GUESTS, count - self.at_most
        return Breach(self.label, code, host or "", in_order(named), over, text, "guests", host)
