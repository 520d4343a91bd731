# SPDX-License-Identifier: Apache-2.0
"""Health gate: nothing enters a host that is unwell, or that nobody hears from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.hosts import Health, Host, HostState
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View
from moorage.rules.gate import Closed, breaches_at, closed_to

_CODES = {
    Health.DEGRADED: Reason.HEALTH_DEGRADED,
    Health.CRITICAL: Reason.HEALTH_CRITICAL,
    Health.PARTITIONED: Reason.HEALTH_PARTITIONED,
    Health.UNKNOWN: Reason.HEALTH_UNKNOWN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthGate(Rule):
    """Which verdicts admit new guests, and which make residents leave: two things.

    A host without a verdict is not monitored and has no gate. One whose heartbeat is too old
    counts as unknown, whatever its verdict was; one whose state is degraded counts as
    degraded too. Each that it counts as has to be admitted, and any may make it drain.

    Attributes:
        admit: verdicts under which a host takes guests.
        drain: verdicts under which residents have to leave. None by default: a telemetry
            outage must never empty a fleet.
        max_heartbeat_age_s: None accepts any age.
        exempt: hosts that the gate doesn't close, whatever their verdict.
    """

    kind: ClassVar[str] = "health"
    invariant: ClassVar[str] = (
        "At no instant does a guest hold a host that it was moved onto and whose verdict is"
        " not admitted, and at the end none holds a host whose verdict is to be drained."
    )
    remedy: ClassVar[str] = "heal {host}, or admit its verdict for a while"
    ambient: ClassVar[bool] = True

    admit: tuple[Health, ...] = (Health.NOMINAL,)
    drain: tuple[Health, ...] = ()
    max_heartbeat_age_s: int | None = None
    exempt: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        both = set(self.admit) & set(self.drain)
        if both:
            raise ValueError(f"{', '.join(sorted(both))} can't be admitted and drained at once")

    def gate_of(self, host: Host) -> Closed | None:
        """Whether, and why, the rule closes *host*."""
        if host.id in self.exempt:
            return None
        found = self._healths(host)
        for health, why in found:
            if health in self.drain:
                return _gate(host, health, why, must_leave=True)
        for health, why in found:
            if health not in self.admit:
                return _gate(host, health, why, must_leave=False)
        return None

    def _healths(self, host: Host) -> list[tuple[Health, str]]:
        """What *host* counts as, with the words for it: each has to be admitted."""
        found: list[tuple[Health, str]] = []
        age, limit, verdict = host.heartbeat_age_s, self.max_heartbeat_age_s, host.verdict
        if limit is not None and age is not None and age > limit:
            silence = f"unknown (last heard of {age} s ago, more than {limit} s)"
            found.append((Health.UNKNOWN, silence))
        elif verdict is not None:
            findings = f" ({'; '.join(verdict.findings)})" if verdict.findings else ""
            found.append((verdict.health, f"{verdict.health}{findings}"))
        if host.state is HostState.DEGRADED:
            found.append((Health.DEGRADED, "degraded"))
        return found

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return closed_to(fleet, self.gate_of)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        return breaches_at(view, self.label, self.gate_of, focus)


def _gate(host: Host, health: Health, why: str, *, must_leave: bool) -> Closed:
    code = _CODES.get(health, Reason.HEALTH_DEGRADED)
    return Closed(host.id, code, f"whose health is {why}", must_leave=must_leave)
