# SPDX-License-Identifier: Apache-2.0
"""Why the must-rules of a fleet can't all hold at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from moorage.model.target import Contradiction, Exhausted, Statement
from moorage.model.view import View
from moorage.problem import Problem
from moorage.problem.bounds import Certificate, certificates
from moorage.rules.conflicts import Conflict, find_conflicts

PINS: Final = "pins"
DOMAINS: Final = "domains"
COMBINED: Final = "combined"


def fatal_conflicts(problem: Problem) -> list[Conflict]:
    """The conflicts between rules alone that no placement resolves."""
    return [conflict for conflict in find_conflicts(problem.fleet) if conflict.fatal]


def rules_against_rules(conflicts: Iterable[Conflict]) -> tuple[Contradiction, Exhausted]:
    """What to say where rules alone contradict each other."""
    found = list(conflicts)
    statements = tuple(s for conflict in found for s in _of_conflict(conflict))
    crowded = any(c.code.startswith("apart_") for c in found)
    return Contradiction(_once(statements)), Exhausted(DOMAINS if crowded else PINS, "presolve")


def out_of_room(
    problem: Problem, placements: Mapping[str, str | None]
) -> tuple[Contradiction, Exhausted]:
    """What to say where rules and capacities leave no way: certificates, else what is broken."""
    proofs = certificates(problem)
    if proofs:
        causes = {proof.cause for proof in proofs}
        cause = proofs[0].cause if len(causes) == 1 else COMBINED
        statements = tuple(s for proof in proofs for s in _of_certificate(proof))
        return Contradiction(_once(statements)), Exhausted(cause, "presolve")
    view = View(problem.fleet, placements, at_end=True)
    broken = (b for rule in problem.must for b in rule.check(view))
    statements = tuple(Statement("rule", b.rule, b.code, b.text) for b in broken)
    return Contradiction(_once(statements)), Exhausted(COMBINED, "search")


def _of_conflict(conflict: Conflict) -> Iterator[Statement]:
    for about, names in (
        ("rule", conflict.rules),
        ("guest", () if conflict.rules else conflict.guests),
        ("host", () if conflict.rules or conflict.guests else conflict.hosts),
    ):
        yield from (Statement(about, name, conflict.code, conflict.text) for name in names)


def _of_certificate(proof: Certificate) -> Iterator[Statement]:
    for about, names in (
        ("rule", proof.rules),
        ("guest", () if proof.rules else proof.guests),
        ("host", () if proof.rules or proof.guests else proof.hosts),
    ):
        yield from (Statement(about, name, proof.cause.value, proof.text) for name in names)


def _once(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Each name once, with the first text that speaks of it."""
    return tuple({(s.about, s.name): s for s in reversed(list(statements))}.values())[::-1]
