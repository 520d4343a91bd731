# SPDX-License-Identifier: Apache-2.0
"""Host count: how many of a set of hosts may be in use (licences, power)."""

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
class HostCount(Rule):
    """At most *at_most* of *hosts* hold guests.

    Attributes:
        hosts: those that are counted.
        at_most: how many of them may be in use.
    """

    kind: ClassVar[str] = "host_count"
    invariant: ClassVar[str] = "At most at_most of the rule's hosts hold any guest."
    remedy: ClassVar[str] = "raise the limit of {rule}, or empty one of its hosts"

    hosts: tuple[str, ...]
    at_most: int

    def __post_init__(self) -> None:
        if self.at_most < 0:
            raise ValueError(f"at_most is {self.at_most}, but can't be negative")

    def post(self, exact: Exact) -> None:
        if not set(self.hosts).isdisjoint(exact.hosts):
            used = sum(exact.used(host) for host in self.hosts)
            exact.breach(self, "", used - self.at_most, resource="hosts")

    def arrays(self, tables: Tables) -> None:
        tables.limit_used(self, self.hosts, self.at_most)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        if focus is not None and focus.hosts.isdisjoint(self.hosts):
            return
        used = [h for h in self.hosts if view.guests_on(h)]
        if len(used) > self.at_most:
            text = (
                f"{plural(len(used), 'host')} in use of {names(self.hosts)};"
                f" at most {self.at_most} may be"
            )
            concerned = used if focus is None else [h for h in used if h in focus.hosts]
            guests = in_order({g for h in concerned for g in view.guests_on(h)})
            over = len(used) - self.at_most
            yield Breach(
                self.label, Reason.NO_CAPACITY_HOSTS, "", guests, over, text, resource="hosts"
            )
