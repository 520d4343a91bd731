# SPDX-License-Identifier: Apache-2.0
"""One energy from several tiers: what a point of each tier weighs, in exact integers.

A typical step of an earlier tier outweighs what one guest can change in all later ones. Where
that leaves 62 bits the last tiers are left out; comparing incumbents is exact anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.objective import Objective
from moorage.problem.problem import COLLISION, NOWHERE, Problem
from moorage.problem.tiers import Tier
from moorage.solving.local.rows import Column, Rows, Zone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

LARGEST: Final = 2**59
STEP_OF_REPAIRS: Final = COLLISION // 50


def effects(objective: Objective) -> NDArray[np.float64]:
    """About how much each guest can change the objective by one move."""
    amounts = np.abs(objective.amounts).astype(np.float64)
    found = amounts @ objective.price.sum(axis=0).astype(np.float64)
    if objective.has_ranges:
        least = np.maximum(1, objective.range_cap.min(axis=0))
        rate = objective.range_weight * objective.range_scale / least
        found = found + amounts @ rate
    found = found + np.abs(objective.move_price) + objective.group_price
    for prices in (objective.used_price, objective.slot_price, objective.pair_price):
        if prices.size:
            found = found + float(np.abs(prices).max())
    if objective.place_price.size:
        found = found + np.abs(objective.place_price).max(axis=1)
    return np.asarray(found, dtype=np.float64)


def weigh(problem: Problem, tiers: tuple[Tier, ...], rows: Rows) -> tuple[int, ...]:
    """Return what a point of each tier weighs; 0 for tiers that are left out."""
    sizes = [_size(problem, tier, rows) for tier in tiers]
    for count in range(len(tiers), 0, -1):
        weights = _ratios(tiers[:count], sizes)
        total = sum(w * size[1] for w, size in zip(weights, sizes, strict=False))
        if total < LARGEST or count == 1:
            break
    else:
        return ()
    return (*weights, *[0] * (len(tiers) - len(weights)))


def _ratios(tiers: tuple[Tier, ...], sizes: list[tuple[float, float]]) -> list[int]:
    """Weights from the last tier to the first, each above what later ones can change."""
    weights: list[int] = []
    later = 0.0
    for tier, (effect, total) in reversed(list(zip(tiers, sizes, strict=False))):
        step = STEP_OF_REPAIRS * tier.repairs if tier.repairs else 1
        weight = max(1, int(2 * later / step) + 1)
        if tier.repairs or tier.should:
            weight = max(1, min(weight, int(LARGEST / 4 / max(1.0, total))))
        weights.append(weight)
        later += weight * effect
    return weights[::-1]


def _size(problem: Problem, tier: Tier, rows: Rows) -> tuple[float, float]:
    """What one guest can change of a tier, and how large it may get."""
    effect, total = 0.0, 1.0
    guests = max(1, len(problem.guests))
    if tier.repairs:
        standing = sum(problem.severity(b) for b in problem.standing.values())
        effect += COLLISION * tier.repairs
        total += (4.0 * standing + COLLISION * 20.0) * tier.repairs
    if tier.should and problem.should:
        heaviest = max(rule.weight for rule in problem.should)
        limited = _limited(problem, rows)
        effect += (float(heaviest) + limited.max(initial=0.0)) * tier.should
        collisions = 4.0 * heaviest * guests * len(problem.should)
        total += (collisions + float(limited.sum())) * tier.should
    if tier.objective is not None and len(problem.guests):
        single = effects(tier.objective)
        effect += float(single.max())
        total += float(single.sum()) + abs(tier.objective.value(problem, problem.start))
        total += _slots(problem, tier.objective)
    return effect, total


def _slots(problem: Problem, objective: Objective) -> float:
    """What all slots are worth where nobody is on any host: a small shape fits very often."""
    empty = np.full(len(problem.guests), NOWHERE, dtype=np.int32)
    counts = objective.slots(problem, empty).astype(np.float64)
    return float((np.abs(objective.slot_price) * counts).sum())


def _limited(problem: Problem, rows: Rows) -> NDArray[np.float64]:
    """What each guest may cost at most by should-rules that limit sums."""
    found = np.zeros(len(problem.guests), dtype=np.float64)
    sums: list[Column | Zone] = [*rows.columns, *rows.zones]
    for row in sums:
        if not row.must:
            found += np.abs(row.amounts).astype(np.float64) * row.unit
    return found
