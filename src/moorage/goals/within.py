# SPDX-License-Identifier: Apache-2.0
"""Holds objectives to 64 bits: refuses amounts and prices whose sums no engine could count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from moorage.model.errors import TooLarge
from moorage.problem.compiling import LARGEST_SUM
from moorage.problem.objective import Objective
from moorage.problem.tiers import Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]


def refuse_what_64_bits_cannot_count(tiers: Iterable[Tier]) -> None:
    """Refuse a tier whose terms could add up to more than an engine counts.

    Raises:
        TooLarge: amounts times prices are beyond any real fleet.
    """
    for tier in tiers:
        if tier.objective is not None and largest(tier.objective) > LARGEST_SUM:
            raise TooLarge(
                f"amounts times prices of {tier.name} are more than 64 bits hold",
                place="goal",
                hint="measure resources in larger units, or make prices and weights smaller",
            )


def largest(objective: Objective) -> float:
    """Return a number, in floating point, that no part of the sum can pass by its size."""
    guests, base = _size(objective.amounts).sum(axis=0), _size(objective.base)
    bounds = np.maximum(_size(objective.high), _size(objective.low))
    # What all hosts together have is what all guests have, wherever they are.
    past = (base + bounds).sum(axis=1) + guests
    levels = (past * _size(objective.price)).sum()
    scaled = (base + guests) * _size(objective.range_scale)
    widest = (scaled / _size(objective.range_cap) + 1).max(axis=0, initial=0)
    ranges = (widest * _size(objective.range_weight)).sum()
    whole = levels + ranges + _of_moves(objective) + _of_hosts(objective)
    return float(max(whole, scaled.max(initial=0)))


def _of_moves(objective: Objective) -> float:
    count = len(objective.move_price)
    moves = _size(objective.move_price).sum() + count * float(objective.group_price)
    return float(moves + count * _size(objective.pair_price).max(initial=0))


def _of_hosts(objective: Objective) -> float:
    count = len(objective.move_price)
    places = count * _size(objective.place_price).max(initial=0)
    slots = _size(objective.slot_price).sum() * (count + 1)
    return float(places + slots + _size(objective.used_price).sum() + abs(objective.constant))


def _size(values: object) -> Reals:
    return np.abs(np.asarray(values, dtype=np.float64))
