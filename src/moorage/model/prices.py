# SPDX-License-Identifier: Apache-2.0
"""Prices: goals that are a single integer sum, as in the machine reassignment challenge."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BalancePrice:
    """*price* for each unit of *to* that a host has free less than *target* x free *of*."""

    of: str
    to: str
    target: int
    price: int


@dataclass(frozen=True, slots=True)
class PairPrices:
    """What a move between two hosts costs: a full matrix in the order of *hosts*."""

    hosts: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Prices:
    """Weights and prices of a fleet; the price above thresholds stands at each resource.

    Attributes:
        balance: prices for resources that go out of step with each other on a host.
        guest_weight: factor for the sum of the guests' own move prices.
        group_weight: price of the largest number of guests moved in any one group.
        pair_weight: factor for the sum of *between* over all moves.
        between: price of each pair of hosts; None is zero for all.
    """

    balance: tuple[BalancePrice, ...] = ()
    guest_weight: int = 0
    group_weight: int = 0
    pair_weight: int = 0
    between: PairPrices | None = None


NO_PRICES = Prices()
