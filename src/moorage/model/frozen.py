# SPDX-License-Identifier: Apache-2.0
"""A mapping that never changes: what the values of the model are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenMap(dict[K, V]):
    """A dict whose content can't be changed after it was made.

    It is a dict underneath, so lookups cost what a dict's cost; it hashes by content
    and prints in sorted order, so equal maps have equal text.
    """

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("a FrozenMap can't be changed; make a new one")

    __setitem__ = _refuse
    __delitem__ = _refuse
    __ior__ = _refuse
    clear = _refuse
    pop = _refuse
    popitem = _refuse
    setdefault = _refuse
    update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{k!r}: {v!r}" for k, v in sorted(self.items())) + "}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (dict(self),))

    def with_items(self, changes: Mapping[K, V] | Iterable[tuple[K, V]]) -> FrozenMap[K, V]:
        """Return a new map: this one with *changes* laid over it."""
        return FrozenMap({**self, **dict(changes)})


EMPTY: FrozenMap[Any, Any] = FrozenMap()
