# SPDX-License-Identifier: Apache-2.0
"""Drain: hosts that are being emptied."""

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
class Drain(Rule):
    """Hosts to empty while they stay in service: those it names, or those in that state.

    Attributes:
        hosts: those to empty; none named is those in that state.
    """

    kind: ClassVar[str] = "drain"
    invariant: ClassVar[str] = (
        "At the end no guest holds a host that is drained, and on the way none holds one that"
        " it was moved onto."
    )
    remedy: ClassVar[str] = "move its guests to other hosts, or stop draining {host}"
    ambient: ClassVar[bool] = True
    replaces_ambient: ClassVar[bool] = False

    hosts: tuple[str, ...] = ()

    def gate_of(self, host: Host) -> Closed | None:
        """Whether, and why, the rule closes *host*."""
        closed = host.id in self.hosts if self.hosts else host.state is HostState.DRAINING
        if not closed:
            return None
        return Closed(host.id, Reason.DRAINING, "which is being emptied", must_leave=True)

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return closed_to(fleet, self.gate_of)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        return breaches_at(view, self.label, self.gate_of, focus)
