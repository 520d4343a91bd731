# SPDX-License-Identifier: Apache-2.0
"""Where random choices come from: a seeded generator, or hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    import random

T = TypeVar("T")


class Choices(Protocol):
    """What the generators of fleets, rules and plans ask for."""

    def number(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        ...

    def one_of(self, items: Sequence[T]) -> T:
        """One of several things; when hypothesis shrinks, the first."""
        ...

    def chance(self, percent: int) -> bool:
        """Whether something happens; when hypothesis shrinks, it doesn't."""
        return self.number(0, 99) >= 100 - percent

    def some_of(self, items: Sequence[T], least: int = 0, most: int | None = None) -> list[T]:
        """Different things, in their order."""
        left = list(range(len(items)))
        count = self.number(min(least, len(left)), len(left) if most is None else most)
        picked = [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(items)))]
        return [items[i] for i in sorted(picked)]


class Seeded(Choices):
    """Choices of a generator whose seed makes them the same each time."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def number(self, least: int, most: int) -> int:
        return self._rng.randint(least, most)

    def one_of(self, items: Sequence[T]) -> T:
        return items[self._rng.randrange(len(items))]


class Drawn(Choices):
    """Choices that hypothesis makes, and makes simpler once a test has failed."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def number(self, least: int, most: int) -> int:
        return int(self._draw(st.integers(least, most)))

    def one_of(self, items: Sequence[T]) -> T:
        return items[self.number(0, len(items) - 1)]
