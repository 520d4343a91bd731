# SPDX-License-Identifier: Apache-2.0
"""Chance that repeats itself: each question has a stream of its own.

A draw depends on the seed and on what is asked, never on what was asked before: looking at a
fleet twice, or in another order, changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


def draw(below: int, *question: object) -> int:
    """Return a number from 0 to *below* - 1, always the same for the same *question*."""
    words = "\x1f".join(map(str, question)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(words, digest_size=8).digest(), "big") % below


class Dice:
    """A stream of chance for one purpose. Whole numbers only, so every platform agrees."""

    def __init__(self, *purpose: object) -> None:
        self._random = random.Random("\x1f".join(map(str, purpose)))

    def between(self, low: int, high: int) -> int:
        """Return a whole number from *low* to *high*, both included."""
        return self._random.randrange(low, high + 1)

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of *items*."""
        return items[self._random.randrange(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return *items* in another order."""
        mixed = list(items)
        for i in range(len(mixed) - 1, 0, -1):
            j = self._random.randrange(i + 1)
            mixed[i], mixed[j] = mixed[j], mixed[i]
        return mixed
