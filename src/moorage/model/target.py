# SPDX-License-Identifier: Apache-2.0
"""Targets: where guests should be, how good that is, and what is known of how good it could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from moorage.model.frozen import EMPTY, FrozenMap


class Status(StrEnum):
    """What is known of a target."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"


class ProvedBy(StrEnum):
    """What the proof of a target rests on: nothing but looking, a bound, or complete search."""

    PRESOLVE = "presolve"
    BOUND = "bound"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class TierValue:
    """What a tier came to, and what it can't get below; None is not known."""

    name: str
    value: int
    bound: int | None = None

    @property
    def is_proved(self) -> bool:
        """Whether nothing better exists, given the tiers before it."""
        return self.bound is not None and self.bound >= self.value

    @property
    def gap(self) -> float | None:
        """How far the bound is from the value, as a part of the value."""
        if self.bound is None:
            return None
        return max(0, self.value - self.bound) / max(abs(self.value), 1)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {"name": self.name, "value": self.value, "bound": self.bound}


@dataclass(frozen=True, slots=True)
class Move:
    """One guest that ends elsewhere than it starts, and why."""

    guest: str
    source: str | None
    target: str
    code: str
    reason: str
    gain: float
    memory_mib: int
    disk_mib: int
    duration_s: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "guest": self.guest,
            "source": self.source,
            "target": self.target,
            "code": self.code,
            "reason": self.reason,
            "gain": self.gain,
            "memory_mib": self.memory_mib,
            "disk_mib": self.disk_mib,
            "duration_s": self.duration_s,
        }


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that somebody said and that can't hold with the others.

    Attributes:
        about: `rule`, `host` or `guest`.
        name: of that.
    """

    about: str
    name: str
    code: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {self.about: self.name, "code": self.code, "text": self.text}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Statements that can't all hold.

    Attributes:
        minimal: proved: without any one of them the others can hold.
    """

    statements: tuple[Statement, ...]
    minimal: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "statements": [s.to_dict() for s in self.statements],
            "minimal": self.minimal,
            "remedies": [],
        }


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Why the fleet has no room for everybody, and how that is known.

    Attributes:
        cause: `capacity`, `domains`, `health`, `guest_too_large`, `pins` or `combined`.
        proved_by: `presolve`, `propagation` or `search`.
    """

    cause: str
    proved_by: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        before_search = self.proved_by != "search"
        alias = "constraint_propagation_failed" if before_search else "no_feasible_assignment"
        return {"cause": self.cause, "proved_by": self.proved_by, "alias": alias}


@dataclass(frozen=True, slots=True)
class Stuck:
    """A guest that could not be placed or moved: why, and how many hosts refuse it for what."""

    guest: str
    code: str
    text: str
    hosts: FrozenMap[str, int] = EMPTY

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        counts = dict(sorted(self.hosts.items(), key=lambda item: (-item[1], item[0])))
        return {"guest": self.guest, "code": self.code, "text": self.text, "hosts": counts}


@dataclass(frozen=True)
class Target:
    """An assignment with its status, the value and bound of each tier, and its moves.

    Attributes:
        placements: host of every guest; None for one that has none and found none.
        tiers: those that people see, in their order.
        deterministic: whether the same input, seed and effort give it again.
        score_before: of the fleet as it is, 0 to 100; *score_after* of the target.
    """

    placements: FrozenMap[str, str | None]
    status: Status
    proved_by: ProvedBy | None
    tiers: tuple[TierValue, ...]
    deterministic: bool
    score_before: float
    score_after: float
    moves: tuple[Move, ...] = ()
    contradiction: Contradiction | None = None
    exhausted: Exhausted | None = None
    stuck: tuple[Stuck, ...] = ()
    seconds: Mapping[str, float] = EMPTY

    @property
    def deciding(self) -> TierValue | None:
        """The first tier that isn't proved optimal, or the last."""
        unproved = (tier for tier in self.tiers if not tier.is_proved)
        return next(unproved, self.tiers[-1] if self.tiers else None)
