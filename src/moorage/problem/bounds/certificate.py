# SPDX-License-Identifier: Apache-2.0
"""A proof, made without search, that must-rules can't all hold at the end."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from moorage.model.frozen import EMPTY, FrozenMap


class Cause(StrEnum):
    """Why must-rules can't hold, in the words of the contract."""

    CAPACITY = "capacity"
    DOMAINS = "domains"
    HEALTH = "health"
    GUEST_TOO_LARGE = "guest_too_large"
    PINS = "pins"
    COMBINED = "combined"


ANY_RULE = ("any",)
"""The mark of a certificate that doesn't say which breach remains."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why no placement without breaches exists, and how bad the best one has to be at least.

    Attributes:
        cause: what is short.
        code: the reason code of what remains broken.
        rules: the names of the rules involved.
        hosts: the hosts involved, as far as there are few enough to name.
        guests: those that can't all have what the rules ask for.
        amounts: what is missing: by resource, or `guests`.
        text: the proof in one sentence.
        severity: what remains broken among repairs in every placement, by this alone.
        marks: which breaches remain; certificates that share one don't add up.
        relief: guests (by index) that may stay out of it by breaking another rule; where two
            certificates share one, one broken rule may serve both, so they don't add up.
    """

    cause: Cause
    code: str
    rules: tuple[str, ...]
    text: str
    severity: int
    guests: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    amounts: FrozenMap[str, int] = EMPTY
    marks: frozenset[Hashable] = field(default=frozenset({ANY_RULE}), repr=False, compare=False)
    relief: frozenset[int] = field(default=frozenset(), repr=False, compare=False)


def disjoint(certificates: Iterable[Certificate]) -> Sequence[Certificate]:
    """Choose certificates whose severities add up: the weightiest first."""
    chosen: list[Certificate] = []
    marks: set[Hashable] = set()
    relief: set[int] = set()
    for certificate in sorted(certificates, key=lambda c: -c.severity):
        vague = ANY_RULE in certificate.marks
        if vague and chosen:
            continue
        if marks.isdisjoint(certificate.marks) and relief.isdisjoint(certificate.relief):
            chosen.append(certificate)
            marks |= certificate.marks
            relief |= certificate.relief
            if vague:
                break
    return chosen
