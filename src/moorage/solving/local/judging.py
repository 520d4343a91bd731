# SPDX-License-Identifier: Apache-2.0
"""What placements are worth, from the tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.model.compiled import Bar
from moorage.model.rule import Breach, Rule
from moorage.model.view import View
from moorage.problem.problem import COLLISION, Problem
from moorage.solving.local import layout
from moorage.solving.local.assembling import Assembly, sum_of
from moorage.solving.local.columns import load_of, placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]


REMEMBERED: Final = 4
"""Placements of which it is known what rules said that were asked: each is judged several times."""


class Judge:
    """Values of tiers and admissibility: sums anew from the rows, groups by the kernel."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.problem: Problem = assembly.problem
        self._bars: dict[int, list[Bar]] | None = None
        self._told: dict[bytes, tuple[tuple[Rule, Breach], ...]] = {}

    def values(self, placement: Indices) -> tuple[int, ...]:
        """The value of each tier."""
        tiers = self.assembly.tiers
        repairs = should = 0
        if any(tier.repairs or tier.should for tier in tiers):
            repairs, should = self._broken(placement)
        found = []
        for tier in tiers:
            goal = 0 if tier.objective is None else tier.objective.value(self.problem, placement)
            found.append(tier.repairs * repairs + tier.should * should + goal)
        return tuple(found)

    def is_admissible(self, placement: Indices) -> bool:
        """Whether no must-rule is broken worse than at the start."""
        limits = self.problem.restrictions
        rows, here = np.arange(len(placement)), np.maximum(placement, 0)
        away = (placement != limits.start) & (placement >= 0)
        if (away & ~limits.open[limits.row_of[rows], here]).any():
            return False
        lost = (placement < 0) & (limits.start >= 0)
        if self.assembly.rows.adrift_severity and lost.any():
            return False
        num = self._rebuilt(placement)
        if num[layout.OVER] > 0 or num[layout.BAD] > 0:
            return False
        return self.passes_asked(placement)

    def passes_asked(self, placement: Indices) -> bool:
        """Whether rules that only their own check can judge are no worse than at the start."""
        standing = self.problem.standing
        return all(
            breach.is_no_worse_than(standing.get(breach.key))
            for rule, breach in self._asked(placement)
            if rule.is_must
        )

    def _rebuilt(self, placement: Indices) -> NDArray[np.int64]:
        from moorage.solving.local.kernel.whole import rebuild

        state = self.assembly.state
        state.guests.host[:] = placed(placement, len(self.problem.hosts))
        rebuild(self.assembly.handle, False)
        return np.asarray(state.num)

    def _broken(self, placement: Indices) -> tuple[int, int]:
        """Severity of broken must-rules, and cost of broken should-rules."""
        num = self._rebuilt(placement)
        found = {True: int(num[layout.REPAIRS]), False: int(num[layout.SHOULD])}
        for must, cost in (*self._sums(placement), *self._single(placement)):
            found[must] += cost
        for rule, breach in self._asked(placement):
            if rule.is_must:
                found[True] += self.problem.severity(breach)
            else:
                found[False] += rule.weight * breach.amount
        return found[True], found[False]

    def _sums(self, placement: Indices) -> Iterable[tuple[bool, int]]:
        """What exceeds limits on hosts and over hosts."""
        start, rows = self.problem.start, self.assembly.rows
        for column in rows.columns:
            over = np.maximum(0, load_of(column, start, placement) - column.limit)
            yield column.must, column.unit * int(over.sum())
        for zone in rows.zones:
            yield zone.must, zone.unit * max(0, sum_of(zone, start, placement) - zone.limit)

    def _single(self, placement: Indices) -> Iterable[tuple[bool, int]]:
        """What guests break and cost by themselves."""
        limits, rows = self.problem.restrictions, self.assembly.rows
        home = (placement == limits.start) & (placement >= 0)
        yield True, COLLISION * int(limits.broken_at_start[home].sum())
        yield False, int(limits.price_at_start[home].sum())
        away = np.flatnonzero(~home & (placement >= 0))
        there = placement[away]
        yield False, int(limits.price[limits.row_of[away], there].sum())
        barred = away[~limits.open[limits.row_of[away], there]]
        for guest in barred.tolist():
            yield True, COLLISION * self._barred(guest, self.problem.hosts[placement[guest]])
        adrift = int((placement < 0).sum())
        yield True, rows.adrift_severity * adrift
        yield False, rows.adrift_cost * adrift

    def _barred(self, guest: int, host: str) -> int:
        """How many points of must-rules *guest* breaks on a host that isn't its first."""
        if self._bars is None:
            self._bars = {}
            for rule in self.problem.must:
                for bar in rule.bars(self.problem.fleet):
                    index = self.problem.guest_index
                    whom = [-1] if bar.guests is None else [index.get(g, -2) for g in bar.guests]
                    for who in whom:
                        self._bars.setdefault(who, []).append(bar)
        bars = (*self._bars.get(guest, ()), *self._bars.get(-1, ()))
        return sum(bar.amount for bar in bars if bar.bars(host))

    def _asked(self, placement: Indices) -> Iterable[tuple[Rule, Breach]]:
        """What rules say that only their own check can judge, which may take long."""
        asked = self.assembly.rows.asked
        if not asked:
            return ()
        key = placement.tobytes()
        if key not in self._told:
            view = View(self.problem.fleet, self.problem.placement(placement), at_end=True)
            if len(self._told) == REMEMBERED:
                del self._told[next(iter(self._told))]
            self._told[key] = tuple((rule, breach) for rule in asked for breach in rule.check(view))
        return self._told[key]
