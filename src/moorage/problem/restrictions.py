# SPDX-License-Identifier: Apache-2.0
"""Where each guest may be and what it costs there, by the rules that look at it alone.

Guests with the same bars share a row of hosts, so that 300,000 guests on 10,000 hosts need a few
rows and not three billion cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.rule import Rule
from moorage.problem.magnitudes import refuse_dear

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Restrictions:
    """What single guests are held to.

    Attributes:
        row_of: the row of each guest in *open* and *price*.
        open: whether a guest that doesn't start there may be on a host, [row, host].
        price: what it costs by should-rules to be on a host, [row, host].
        start: host of each guest now, or -1.
        broken_at_start: how many points of must-rules a guest breaks that stays where it is.
        price_at_start: what it costs by should-rules if it stays where it is.
    """

    row_of: Indices
    open: Flags
    price: Ints
    start: Indices
    broken_at_start: Ints
    price_at_start: Ints

    def may_be(self, guest: int, host: int) -> bool:
        """Whether no must-rule keeps *guest* from *host*, by indices."""
        if host == self.start[guest]:
            return bool(self.broken_at_start[guest] == 0)
        return bool(self.open[self.row_of[guest], host])

    def price_of(self, guest: int, host: int) -> int:
        """What it costs by should-rules to put *guest* on *host*, by indices."""
        if host == self.start[guest]:
            return int(self.price_at_start[guest])
        return int(self.price[self.row_of[guest], host])

    def hosts_open_to(self, guest: int) -> Indices:
        """The hosts where *guest* may be, its own among them if it may stay."""
        here = self.open[self.row_of[guest]].copy()
        if self.start[guest] >= 0:
            here[self.start[guest]] = self.broken_at_start[guest] == 0
        return np.flatnonzero(here).astype(np.int32)

    @cached_property
    def must_leave(self) -> Flags:
        """Whether a guest breaks a must-rule where it is."""
        return self.broken_at_start > 0

    @cached_property
    def is_stuck(self) -> Flags:
        """Whether a guest has no host but its own to go to."""
        width = self.open.sum(axis=1)[self.row_of]
        placed = np.flatnonzero(self.start >= 0)
        width[placed] -= self.open[self.row_of[placed], self.start[placed]]
        return np.asarray(width == 0)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A bar with the price of a should-rule; 0 for a must-rule."""

    bar: Bar
    price: int

    @property
    def amount(self) -> int:
        return self.bar.amount * (self.price or 1)


class _Rows:
    """Builds rows: one for everybody, others for guests with bars of their own."""

    def __init__(self, hosts: Mapping[str, int], bars: Sequence[_Weighed]) -> None:
        self.hosts = hosts
        self.bars = bars
        self.open: list[Flags] = []
        self.price: list[Ints] = []
        self._known: dict[bytes, int] = {}
        self._masks: dict[int, Flags] = {}
        everybody = [i for i, weighed in enumerate(bars) if weighed.bar.guests is None]
        self.everybody = tuple(everybody)

    def mask(self, number: int) -> Flags:
        """The hosts that a bar bars, as flags."""
        known = self._masks.get(number)
        if known is None:
            bar = self.bars[number].bar
            known = np.full(len(self.hosts), bar.but_these)
            known[[self.hosts[h] for h in bar.hosts if h in self.hosts]] = not bar.but_these
            if bar.guests is None or len(bar.guests) > 1:
                self._masks[number] = known
        return known

    def row(self, numbers: Iterable[int]) -> int:
        """Return the row for guests with these bars, and those for everybody."""
        free = np.ones(len(self.hosts), dtype=np.bool_)
        price = np.zeros(len(self.hosts), dtype=np.int64)
        for number in (*self.everybody, *numbers):
            if self.bars[number].price:
                price += self.mask(number) * self.bars[number].amount
            else:
                free &= ~self.mask(number)
        key = free.tobytes() + (price.tobytes() if price.any() else b"")
        row = self._known.setdefault(key, len(self.open))
        if row == len(self.open):
            self.open.append(free)
            self.price.append(price)
        return row


def restrict(
    fleet: Fleet,
    rules: Iterable[Rule],
    hosts: Mapping[str, int],
    guests: Mapping[str, int],
    start: Indices,
) -> Restrictions:
    """Gather the bars of *rules* for *guests* (by index) on *hosts* (by index)."""
    bars = list(_weighed(fleet, rules, len(guests)))
    own: dict[int, list[int]] = {}
    for number, weighed in enumerate(bars):
        for guest in weighed.bar.guests or ():
            if guest in guests:
                own.setdefault(guests[guest], []).append(number)
    rows = _Rows(hosts, bars)
    row_of = np.full(len(guests), rows.row(()), dtype=np.int32)
    shared: dict[tuple[int, ...], int] = {}
    for index, numbers in own.items():
        key = tuple(numbers)
        row_of[index] = shared[key] if key in shared else shared.setdefault(key, rows.row(key))
    broken, price = _at_start(rows, own, start)
    opens, prices = np.array(rows.open), np.array(rows.price)
    return Restrictions(row_of, opens, prices, start, broken, price)


def _weighed(fleet: Fleet, rules: Iterable[Rule], guests: int) -> Iterator[_Weighed]:
    for rule in rules:
        for bar in rule.bars(fleet) if rule.is_must or rule.weight else ():
            refuse_dear(rule, bar.amount * guests)
            yield _Weighed(bar, 0 if rule.is_must else rule.weight)


def _at_start(rows: _Rows, own: Mapping[int, list[int]], start: Indices) -> tuple[Ints, Ints]:
    """What each guest breaks, and costs, that stays where it starts."""
    amounts = np.zeros((2, len(start)), dtype=np.int64)
    placed = np.flatnonzero(start >= 0)
    for number in rows.everybody:
        weighed = rows.bars[number]
        if not weighed.bar.residents_stay:
            hit = rows.mask(number)[start[placed]]
            amounts[int(weighed.price > 0), placed[hit]] += weighed.amount
    for index, numbers in own.items():
        for number in numbers if start[index] >= 0 else ():
            weighed = rows.bars[number]
            if not weighed.bar.residents_stay and rows.mask(number)[start[index]]:
                amounts[int(weighed.price > 0), index] += weighed.amount
    return amounts[0], amounts[1]
