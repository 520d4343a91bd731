# SPDX-License-Identifier: Apache-2.0
"""In service: hosts that are down or disabled take nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.hosts import Host, HostState
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View
from moorage.rules.gate import Closed, breaches_at, closed_to


@dataclass(frozen=True, slots=True, kw_only=True)
class InService(Rule):
    """Guests run on hosts that are up; a disabled host keeps what it has."""

    kind: ClassVar[str] = "in_service"
    invariant: ClassVar[str] = (
        "At the end no guest holds a host that is down, and at no instant does one hold a"
        " down or disabled host that it was moved onto."
    )
    remedy: ClassVar[str] = "bring {host} back"
    ambient: ClassVar[bool] = True

    def gate_of(self, host: Host) -> Closed | None:
        """Whether, and why, the rule closes *host*."""
        if host.state is HostState.DOWN:
            return Closed(host.id, Reason.HOST_UNREACHABLE, "which is down", must_leave=True)
        if host.state is HostState.DISABLED:
            why = "which takes no new guests"
            return Closed(host.id, Reason.HOST_DISABLED, why, must_leave=False)
        return None

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return closed_to(fleet, self.gate_of)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        return breaches_at(view, self.label, self.gate_of, focus)
