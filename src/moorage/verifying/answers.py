# SPDX-License-Identifier: Apache-2.0
"""What `check` and `verify` answer, in the words of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moorage.model.fleet import Fleet
from moorage.model.plan import Plan, Violation
from moorage.model.rule import Breach, Rule
from moorage.rules.conflicts import Conflict, find_conflicts
from moorage.verifying.proof import broken_now, collisions_of, verify

CHECK_SCHEMA = "moorage/check/v1"
VERIFY_SCHEMA = "moorage/verify/v1"


def fleet_summary(fleet: Fleet) -> dict[str, Any]:
    """Return what every document says of its fleet."""
    return {
        "version": fleet.version,
        "hosts": len(fleet.hosts),
        "guests": len(fleet.guests),
    }


def collision_to_dict(rule: Rule, breach: Breach) -> dict[str, Any]:
    """Return a place where a should-rule doesn't hold, with what it costs."""
    return {
        "rule": breach.rule,
        "host": breach.host,
        "guests": list(breach.guests),
        "code": breach.code,
        "text": breach.text,
        "cost": rule.weight * breach.amount,
    }


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """A fleet as it is: what contradicts itself, what is broken, what is not as it should be."""

    fleet: Fleet
    conflicts: tuple[Conflict, ...]
    violations: tuple[Violation, ...]
    collisions: tuple[tuple[Rule, Breach], ...]

    @property
    def is_contradictory(self) -> bool:
        """Whether no placement at all can satisfy the rules."""
        return any(c.fatal for c in self.conflicts)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "schema": CHECK_SCHEMA,
            "source": self.fleet.source,
            "fleet": fleet_summary(self.fleet),
            "warnings": list(warnings_of(self.fleet)),
            "conflicts": [c.to_dict() for c in self.conflicts],
            "violations": [v.to_dict() for v in self.violations],
            "collisions": [collision_to_dict(rule, b) for rule, b in self.collisions],
        }


def check(fleet: Fleet) -> CheckAnswer:
    """Look at *fleet* as it is."""
    return CheckAnswer(
        fleet,
        tuple(find_conflicts(fleet)),
        tuple(broken_now(fleet)),
        tuple(collisions_of(fleet)),
    )


def warnings_of(fleet: Fleet) -> tuple[str, ...]:
    """What the reader said, and the guests whose host is not in the fleet."""
    orphans = (
        f"guest {g} is on host {fleet.guests[g].host}, which is not in the fleet"
        for g in fleet.orphans
    )
    said = set(fleet.warnings)
    return (*fleet.warnings, *(text for text in orphans if text not in said))


@dataclass(frozen=True, slots=True)
class VerifyAnswer:
    """What was found wrong with a document, and what it costs softly."""

    fleet: Fleet
    violations: tuple[Violation, ...]
    warnings: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        """Whether anything is new or worse than before."""
        return any(not v.pre_existing for v in self.violations)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "schema": VERIFY_SCHEMA,
            "source": self.fleet.source,
            "fleet": fleet_summary(self.fleet),
            "warnings": list(self.warnings),
            "verified": not self.is_refused,
            "violations": [v.to_dict() for v in self.violations],
        }


def verify_document(fleet: Fleet, document: Plan | Mapping[str, Any]) -> VerifyAnswer:
    """Verify *document* against *fleet*; one made for another version is told so."""
    warnings = list(warnings_of(fleet))
    made_for = document.get("fleet") if isinstance(document, Mapping) else None
    version = made_for.get("version") if isinstance(made_for, Mapping) else None
    if version is not None and version != fleet.version:
        warnings.append(
            f"the document was made for version {version} of the fleet; this is {fleet.version}"
        )
    return VerifyAnswer(fleet, tuple(verify(fleet, document)), tuple(warnings))
