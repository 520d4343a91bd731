# SPDX-License-Identifier: Apache-2.0
"""Plans: who moves when, and what was found wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from moorage.model.rule import Breach


class ActionKind(StrEnum):
    """What happens to a guest in a step."""

    MIGRATE = "migrate"
    PLACE = "place"
    PARK = "park"
    RETURN = "return"
    CO_MOVE = "co-move"


@dataclass(frozen=True, slots=True)
class Action:
    """One guest goes from *source* (None: from nowhere) to *target*."""

    guest: str
    source: str | None
    target: str
    kind: ActionKind = ActionKind.MIGRATE

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "guest": self.guest,
            "source": self.source,
            "target": self.target,
            "kind": self.kind.value,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """Actions that start and end together. Times are whole seconds from the plan's start."""

    index: int
    start_s: int
    end_s: int
    actions: tuple[Action, ...]
    depends_on: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "index": self.index,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "depends_on": list(self.depends_on),
            "actions": [a.to_dict() for a in self.actions],
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps from where guests are to where they should be.

    *feasible* means that the steps lead to the whole target; if not, they are the part
    that can be reached, and *unreachable* says why the rest can't.
    """

    steps: tuple[Step, ...] = ()
    feasible: bool = True
    makespan_bound_s: int = 0
    parked: tuple[str, ...] = ()
    unreachable: tuple[tuple[str, str], ...] = ()

    @property
    def makespan_s(self) -> int:
        """When the last step ends."""
        return max((s.end_s for s in self.steps), default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "feasible": self.feasible,
            "steps": [s.to_dict() for s in self.steps],
            "makespan_s": self.makespan_s,
            "makespan_bound_s": self.makespan_bound_s,
            "parked": list(self.parked),
            "unreachable": [{"guest": g, "reason": r} for g, r in self.unreachable],
        }


@dataclass(frozen=True, slots=True)
class Violation:
    """A breach, with its instant, and whether it stood at the start and got no worse."""

    breach: Breach
    at_s: int | None = None
    pre_existing: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        breach = self.breach
        return {
            "at_s": self.at_s,
            "rule": breach.rule,
            "host": breach.host,
            "guests": list(breach.guests),
            "code": breach.code,
            "text": breach.text,
            "resource": breach.resource or None,
            "amount": breach.amount,
            "pre_existing": self.pre_existing,
        }
