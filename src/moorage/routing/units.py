# SPDX-License-Identifier: Apache-2.0
"""What moves as one: single guests, and groups that are together at every instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.natural import natural_key
from moorage.model.rule import Rule
from moorage.rules.bonds import Bonds


@dataclass(frozen=True, slots=True)
class Unit:
    """Guests that are on one host now and go to one host, all at the same time.

    Attributes:
        guests: in natural order; the first one stands for all.
        home: the host that they are on; None for a guest that has none, or whose host is down.
        goal: where they should be.
    """

    guests: tuple[str, ...]
    home: str | None
    goal: str

    @property
    def name(self) -> str:
        """The guest that stands for all."""
        return self.guests[0]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which guests of a fleet move as one.

    Attributes:
        must: the rules that hold at every instant.
    """

    fleet: Fleet
    must: tuple[Rule, ...]

    @cached_property
    def _group_of(self) -> Mapping[str, tuple[str, ...]]:
        bonds = Bonds(self.must, HOST_DOMAIN)
        return {guest: group for group in bonds.groups for guest in group}

    def company(self, guest: str, where: Mapping[str, str | None]) -> tuple[str, ...]:
        """Return *guest* and whoever has to move with it, of those that are beside it."""
        group = self._group_of.get(guest, (guest,))
        beside = (g for g in group if g in where and where[g] == where[guest])
        return tuple(sorted(beside, key=natural_key))

    def units(
        self, guests: Iterable[str], where: Mapping[str, str | None], goals: Mapping[str, str]
    ) -> list[Unit]:
        """Return *guests* as units, in natural order, with where they are and should be.

        A group whose members part is no unit any more: each goes by itself.
        """
        found: list[Unit] = []
        done: set[str] = set()
        for guest in sorted(guests, key=natural_key):
            if guest in done:
                continue
            company = self.company(guest, where) if where[guest] is not None else (guest,)
            if len({goals[g] for g in company}) > 1:
                company = (guest,)
            done.update(company)
            found.append(Unit(company, where[guest], goals[guest]))
        return found
