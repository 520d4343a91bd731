# SPDX-License-Identifier: Apache-2.0
"""What free guests put on hosts, in the coarsest unit that divides all of their amounts.

Goals over loads are proved many times sooner where each load is a variable of its own, in that
unit, and all of them together are known to add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any

from moorage.model.compiled import Term
from moorage.solving.exact.sheet import Flat, Sheet
from moorage.solving.exact.whereabouts import Whereabouts

Column = tuple[int, ...]
"""What a guest of each kind has of something, in the order of the kinds."""


class Loads:
    """Sums over the guests of a host."""

    def __init__(self, sheet: Sheet, placed: Sequence[Whereabouts], hosts: Iterable[int]) -> None:
        self.sheet = sheet
        self.placed = placed
        self.hosts = tuple(hosts)
        self._here: dict[int, list[tuple[int, Any, int]]] = {host: [] for host in self.hosts}
        self._settled: dict[int, list[tuple[int, int]]] = {host: [] for host in self.hosts}
        for number, spots in enumerate(placed):
            for host, count in spots.settled.items():
                self._settled[host].append((number, count))
            for host, variable in spots.comes.items():
                self._here[host].append((number, variable, 1))
            for host, variable in spots.leaves.items():
                self._here[host].append((number, variable, -1))
        self._variables: dict[tuple[int, Column], Any] = {}
        self._wanted: set[Column] = set()

    def want(self, column: Column) -> None:
        """Have variables for the loads of *column*, up to a factor, on all hosts."""
        unit, reduced = _reduced(column)
        if not unit or reduced in self._wanted:
            return
        self._wanted.add(reduced)
        for host in self.hosts:
            term = self._sum(host, reduced)
            flat = Flat(term)
            if flat.places:
                least, most = self.sheet.bounds_of(flat)
                if min(reduced) >= 0:
                    least = max(least, 0)
                variable = self.sheet.variable(least, most, flat.value)
                self.sheet.model.add(variable == term)
                self._variables[host, reduced] = variable
            else:
                self._variables[host, reduced] = term
        self._add_up(reduced)

    def _add_up(self, column: Column) -> None:
        """Say that all loads together are what all guests have that are placed."""
        total = sum(a * len(s.kind.members) for a, s in zip(column, self.placed, strict=True))
        terms = [self._variables[host, column] for host in self.hosts]
        left = [a * s.nowhere for a, s in zip(column, self.placed, strict=True)]
        everything = sum(terms) + sum(left)
        if not isinstance(everything, int):
            self.sheet.model.add(everything == total)

    def on(self, host: int, column: Column, *, held: bool = False) -> Term:
        """What free guests have on *host*; where it is *held*, those that leave still have it."""
        if held:
            return self._sum(host, column, held=True)
        scaled, term = self.scaled(host, column)
        return scaled * term

    def scaled(self, host: int, column: Column) -> tuple[int, Term]:
        """Return a unit, and how many of it free guests have on *host*."""
        unit, reduced = _reduced(column)
        if not unit:
            return 1, 0
        known = self._variables.get((host, reduced))
        return unit, self._sum(host, reduced) if known is None else known

    def _sum(self, host: int, column: Column, *, held: bool = False) -> Term:
        variables, factors = [], []
        for number, variable, sign in self._here[host]:
            amount = column[number]
            if not amount:
                continue
            if held and (sign < 0 or self.placed[number].home == host):
                continue
            variables.append(variable)
            factors.append(sign * amount)
        offset = sum(column[number] * count for number, count in self._settled[host])
        if held:
            at_home = (n for n, s in enumerate(self.placed) if s.home == host and s.comes)
            offset += sum(column[number] for number in at_home)
        return self.sheet.sum_of(variables, factors, offset)


def _reduced(column: Column) -> tuple[int, Column]:
    unit = gcd(*column) if column else 0
    return (unit, tuple(a // unit for a in column)) if unit else (0, column)
