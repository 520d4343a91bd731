# SPDX-License-Identifier: Apache-2.0
"""What the moves cost at least that repairs force, taken over the whole fleet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.bounds.cover import Cover
from moorage.problem.bounds.evictions import Need

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

NODES_OF_A_HOST: Final = 200
NODES_OF_A_FLEET: Final = 2000
MOST_AT_ONCE: Final = 400
"""Guests that are looked at together, over all hosts."""


def forced_price(needs: Iterable[Need], prices: Ints, forgiven: int) -> int:
    """Return what moves cost at least, if repairs come within *forgiven* of their bound.

    Needs on one host are met together, by a small search; other needs add what guests of the
    hosts counted so far can't contribute. What may stay broken within *forgiven* is taken off
    where it saves most.

    Args:
        needs: all that stand at the start.
        prices: of moving each guest, none negative.
        forgiven: severity that may remain beyond what is proved to remain.
    """
    wanted = [need for need in needs if need.severity > 0]
    parts = _by_parts(wanted, prices, forgiven)
    alone = all(need.host >= 0 for need in wanted)
    if alone or forgiven or len({g for n in wanted for g in n.weights}) > MOST_AT_ONCE:
        return parts
    return max(parts, _least(wanted, prices, set(), NODES_OF_A_FLEET))


def _by_parts(needs: list[Need], prices: Ints, forgiven: int) -> int:
    hosts: dict[int, list[Need]] = {}
    for need in needs:
        if need.host >= 0:
            hosts.setdefault(need.host, []).append(need)
    used: set[int] = set()
    found: list[tuple[int, int]] = []
    groups = [*hosts.values(), *([need] for need in needs if need.host < 0)]
    for group in groups:
        price = _least(group, prices, used, NODES_OF_A_HOST)
        if price > 0:
            found.append((price, min(need.severity for need in group)))
            used.update(g for need in group for g in need.weights)
    return sum(price for price, _ in found) - _saved(found, forgiven)


def _saved(found: list[tuple[int, int]], forgiven: int) -> int:
    """The most that can be saved by leaving things broken, each at its severity: in fractions."""
    saved = 0
    if forgiven > 0:
        for price, severity in sorted(found, key=lambda f: -f[0] / f[1]):
            if severity > forgiven:
                return saved - (-price * forgiven // severity)
            saved += price
            forgiven -= severity
    return saved


def _least(group: list[Need], prices: Ints, used: set[int], nodes: int) -> int:
    """What meeting these needs costs at least, beside guests that are paid for elsewhere."""
    left = [need.least - sum(w for g, w in need.weights.items() if g in used) for need in group]
    asked = [(need, least) for need, least in zip(group, left, strict=True) if least > 0]
    guests = sorted({g for need, _ in asked for g in need.weights if g not in used})
    if not guests:
        return 0
    alone = {g for need, _ in asked if len(need.weights) == 1 for g in need.weights} - used
    paid = sum(int(prices[g]) for g in alone)
    place = {g: i for i, g in enumerate(g for g in guests if g not in alone)}
    columns, amounts = [], []
    for need, least in asked:
        rest = least - sum(w for g, w in need.weights.items() if g in alone)
        if rest > 0:
            column = np.zeros(len(place), dtype=np.int64)
            for g, w in need.weights.items():
                if g in place:
                    column[place[g]] = w
            columns.append(column)
            amounts.append(rest)
    if not columns:
        return paid
    kept = np.array(list(place), dtype=np.int64)
    cover = Cover(prices[kept], np.array(columns).T, np.array(amounts, dtype=np.int64))
    return paid + cover.least_price(nodes)
