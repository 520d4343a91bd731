# SPDX-License-Identifier: Apache-2.0
"""Health gate: nothing enters a host that is unwell, or that nobody hears from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.hosts import Health, Host, HostState
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View
from moorage.rules.gate import Closed, breaches_at

_CODES = {
    Health.DEGRADED: Reason.HEALTH_DEGRADED,
    Health.CRITICAL: Reason.HEALTH_CRITICAL,
    Health.PARTITIONED: Reason.HEALTH_PARTITIONED,
    Health.UNKNOWN: Reason.HEALTH_UNKNOWN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthGate(Rule):
    """Which verdicts admit new guests, and which make residents leave: two things.

    A host without a verdict is not monitored and has no gate. One whose state is degraded
    counts as degraded; one whose heartbeat is too old counts as unknown.

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
        health, why = self._health(host)
        if health is None or (health in self.admit and health not in self.drain):
            return None
        code = _CODES.get(health, Reason.HEALTH_DEGRADED)
        return Closed(host.id, code, f"whose health is {why}", must_leave=health in self.drain)

    def _health(self, host: Host) -> tuple[Health | None, str]:
        """The worst that is known of *host*, and the words for it."""
        age, limit = host.heartbeat_age_s, self.max_heartbeat_age_s
        if limit is not None and age is not None and age > limit:
            return Health.UNKNOWN, f"unknown (last heard of {age} s ago, more than {limit} s)"
        verdict = host.verdict
        if verdict is not None and verdict.health not in self.admit:
            findings = f" ({'; '.join(verdict.findings)})" if verdict.findings else ""
            return verdict.health, f"{verdict.health}{findings}"
        if host.state is HostState.DEGRADED:
            return Health.DEGRADED, "degraded"
        return (None, "") if verdict is None else (verdict.health, verdict.health.value)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        return breaches_at(view, self.label, self.gate_of, focus)
