# SPDX-License-Identifier: Apache-2.0
"""Whether proxlb balances at all now: the gap has to be wide, and some node full enough."""

from __future__ import annotations

from fractions import Fraction

from moorage.goals.proxlb import dimensions
from moorage.goals.proxlb.dimensions import Dimension, in_range
from moorage.goals.proxlb.settings import Settings
from moorage.problem.problem import Problem


def balances_now(problem: Problem, settings: Settings) -> bool:
    """Whether gaps count; if not, only forced moves are made, the cheapest ones."""
    return passes_threshold(problem, settings) and gap(problem, settings) >= settings.trigger


def gap(problem: Problem, settings: Settings) -> Fraction:
    """Return the gap that is held against the trigger.

    Usage and pressure of one resource are averaged by their weights; of all three resources only
    the usage counts. A method that nobody knows has no gap.
    """
    if not settings.known:
        return Fraction(0)
    if not settings.resource:
        usages = [(settings.weight_of(r), settings.usage_of(problem, r)) for r in settings.parts()]
        return _mean(problem, usages)
    found = settings.dimensions(problem)
    return _mean(problem, [(d.weight, d) for d in found])


def _mean(problem: Problem, weighted: list[tuple[int, Dimension]]) -> Fraction:
    weight = sum(weight for weight, _ in weighted)
    total = sum((w * gap_of(problem, d) for w, d in weighted if w), start=Fraction(0))
    return total / weight if weight else Fraction(0)


def gap_of(problem: Problem, dimension: Dimension) -> Fraction:
    """Return the widest difference between two nodes now, exactly."""
    counts = in_range(problem)
    if not counts.any():
        return Fraction(0)
    used = (dimension.scale * dimension.loads(problem))[counts].tolist()
    shares = {Fraction(u, c) for u, c in zip(used, dimension.cap[counts].tolist(), strict=True)}
    return (max(shares) - min(shares)) / dimensions.SCALE


def passes_threshold(problem: Problem, settings: Settings) -> bool:
    """Whether some node is above one of the thresholds, or none is given."""
    if all(limit is None for limit in settings.thresholds):
        return True
    usages = (
        dimensions.memory(problem),
        dimensions.cpu(problem, assigned=False),
        dimensions.storage(problem),
    )
    pairs = zip(usages, settings.thresholds, strict=True)
    return any(limit is not None and _is_above(problem, usage, limit) for usage, limit in pairs)


def _is_above(problem: Problem, usage: Dimension, percent: Fraction) -> bool:
    counts = in_range(problem)
    used = usage.loads(problem, by_priority=False)[counts].tolist()
    totals = usage.total[counts].tolist()
    return any(100 * u > percent * t for u, t in zip(used, totals, strict=True) if t)
