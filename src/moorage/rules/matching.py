# SPDX-License-Identifier: Apache-2.0
"""Matching guests to domains: when it fails, who is too many for what (Hall's theorem)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TooMany:
    """*guests* may only be in *values*, which have not room for all of them."""

    guests: tuple[str, ...]
    values: tuple[str, ...]


def find_too_many(choices: Mapping[str, Collection[str]], room: int) -> TooMany | None:
    """Match every guest to one of its *choices*, each taken at most *room* times.

    Returns None if that works, else a set of guests with too few choices between them.
    """
    taken: dict[str, list[str]] = {}
    for guest in sorted(choices):
        seen: set[str] = set()
        if not _augment(guest, choices, room, taken, seen):
            crowd = {g for value in seen for g in taken.get(value, ())} | {guest}
            return TooMany(tuple(sorted(crowd)), tuple(sorted(seen)))
    return None


def _augment(
    first: str,
    choices: Mapping[str, Collection[str]],
    room: int,
    taken: dict[str, list[str]],
    seen: set[str],
) -> bool:
    """Find a chain of guests that each give up their value for another, breadth first."""
    came_from: dict[str, str] = {}
    queue = [first]
    for guest in queue:
        for value in sorted(choices[guest]):
            if value in seen:
                continue
            seen.add(value)
            came_from[value] = guest
            if len(taken.get(value, ())) < room:
                _shift(first, value, came_from, taken)
                return True
            queue.extend(taken[value])
    return False


def _shift(
    first: str, value: str, came_from: Mapping[str, str], taken: dict[str, list[str]]
) -> None:
    while True:
        guest = came_from[value]
        before = next((v for v, guests in taken.items() if guest in guests), None)
        taken.setdefault(value, []).append(guest)
        if guest == first or before is None:
            return
        taken[before].remove(guest)
        value = before
