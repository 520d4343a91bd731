# SPDX-License-Identifier: Apache-2.0
"""How rules put names and numbers into sentences."""

from __future__ import annotations

from collections.abc import Collection
from heapq import nsmallest

from moorage.model.natural import natural_key

SHOWN = 4


def names(items: Collection[str]) -> str:
    """List a few *items* in order, and say how many more there are."""
    shown = ", ".join(nsmallest(SHOWN, items, key=natural_key))
    rest = len(items) - SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def are(items: Collection[str]) -> str:
    """Return the form of "to be" that fits *items*."""
    return "is" if len(items) == 1 else "are"


def plural(count: int, noun: str) -> str:
    """Return "1 guest", "2 guests"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
