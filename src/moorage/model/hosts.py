# SPDX-License-Identifier: Apache-2.0
"""Hosts: what has room, in what state it is, and how well it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.natural import natural_key


class HostState(StrEnum):
    """What an operator (or the platform) says of a host."""

    ACTIVE = "active"
    MAINTENANCE = "maintenance"
    DRAINING = "draining"
    DISABLED = "disabled"
    DEGRADED = "degraded"
    DOWN = "down"


class Health(StrEnum):
    """What telemetry says of a host. A host without a verdict is not monitored."""

    NOMINAL = "nominal"
    DEGRADED = "degraded"
    CRITICAL = "critical"
    PARTITIONED = "partitioned"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Health of a host, with the findings that led to it."""

    health: Health
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pressure:
    """Stall information (PSI), in basis points: 100 is one percent of the time."""

    cpu_bp: int = 0
    memory_bp: int = 0
    io_bp: int = 0


CALM = Pressure()


@dataclass(frozen=True, slots=True)
class Host:
    """A hypervisor.

    Attributes:
        capacity: amount of each resource; one that is not listed is not there.
        reserve: amount kept back for the host itself.
        overcommit_permille: how much of what remains may be given out; 1000 is all of it once.
        thresholds: soft limits, above which a resource has a price.
        cores: physical cores; None if not known (then no guest is refused for its vCPUs).
        bandwidth_mbps: of the network that moves use; None if not known.
        heartbeat_age_s: seconds since the host was last heard of; None if nobody listens.
    """

    id: str
    capacity: FrozenMap[str, int] = EMPTY
    reserve: FrozenMap[str, int] = EMPTY
    overcommit_permille: FrozenMap[str, int] = EMPTY
    thresholds: FrozenMap[str, int] = EMPTY
    labels: FrozenMap[str, str] = EMPTY
    state: HostState = HostState.ACTIVE
    verdict: Verdict | None = None
    heartbeat_age_s: int | None = None
    pressure: Pressure = CALM
    devices: FrozenMap[str, int] = EMPTY
    cpu_features: tuple[str, ...] = ()
    cores: int | None = None
    bandwidth_mbps: int | None = None
    tags: tuple[str, ...] = ()
    name: str = ""

    def usable(self, resource: str) -> int:
        """Return how much of *resource* guests may take: (capacity - reserve) x overcommit."""
        own = self.capacity.get(resource, 0) - self.reserve.get(resource, 0)
        return max(0, own * self.overcommit_permille.get(resource, 1000) // 1000)

    @property
    def order(self) -> tuple[tuple[int, int, str], ...]:
        """Where it stands among hosts."""
        return natural_key(self.id)
