# SPDX-License-Identifier: Apache-2.0
"""All proofs that must-rules can't hold, and what they leave of hope for repairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from moorage.model import reasons
from moorage.problem.bounds.certificate import Cause, Certificate, disjoint
from moorage.problem.bounds.crowds import crowds
from moorage.problem.bounds.facts import Facts
from moorage.problem.bounds.homeless import without_host
from moorage.problem.bounds.sums import sums
from moorage.problem.problem import COLLISION, Problem
from moorage.rules.conflicts import Conflict, find_conflicts


def certificates(problem: Problem) -> tuple[Certificate, ...]:
    """Find proofs, without search, that the must-rules of *problem* can't all hold at the end.

    None found means nothing; each one found means that the tier of repairs stays at its
    severity at least. Those that say the same of the same guests are given once.
    """
    return proofs(Facts(problem))


def proofs(facts: Facts) -> tuple[Certificate, ...]:
    """Return the certificates of a problem whose facts are known already."""
    found = [*without_host(facts), *crowds(facts), *sums(facts)]
    covered = {g for certificate in found for g in certificate.guests}
    return (*found, *(_certificate(facts, c) for c in _conflicts(facts) if _is_new(c, covered)))


def least_repairs(found: tuple[Certificate, ...]) -> int:
    """What remains among repairs at least, by certificates that don't share a breach."""
    return sum(certificate.severity for certificate in disjoint(found))


def beyond(found: tuple[Certificate, ...], repairs: int) -> int:
    """How much severity may remain where needs to move stand, if repairs come to *repairs*.

    What stays with guests and hosts that nothing can mend is no part of it; all else may lie
    anywhere, so that what other certificates prove to remain is not taken off.
    """
    mended = [c for c in found if all(mark[0] in UNMENDABLE for mark in _tuples(c))]
    return max(0, repairs - sum(c.severity for c in mended))


UNMENDABLE: Final = frozenset({"guest", "least", "total"})


def _tuples(certificate: Certificate) -> list[tuple[str, ...]]:
    return [mark for mark in certificate.marks if isinstance(mark, tuple)]


def _conflicts(facts: Facts) -> Iterator[Conflict]:
    """Contradictions between rules alone; they speak of fleets in which every guest is placed."""
    if facts.keeps:
        yield from (c for c in find_conflicts(facts.problem.fleet) if c.fatal)


def _is_new(conflict: Conflict, covered: set[str]) -> bool:
    return not conflict.guests or not covered.intersection(conflict.guests)


def _certificate(facts: Facts, conflict: Conflict) -> Certificate:
    least_unit = min([COLLISION, *facts.problem.units.values()])
    domain = conflict.code.startswith((reasons.apart(""), reasons.together("")))
    return Certificate(
        Cause.DOMAINS if domain else Cause.PINS,
        conflict.code,
        conflict.rules,
        conflict.text,
        severity=least_unit,
        guests=conflict.guests,
        hosts=conflict.hosts,
    )
