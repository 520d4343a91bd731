# SPDX-License-Identifier: Apache-2.0
"""Small random objectives: every term now and then, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from moorage.problem import Objective, Problem, plain

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


def random_objective(problem: Problem, rng: random.Random) -> Objective:
    """Draw an objective over a small problem."""
    dimensions = rng.randint(0, 2)
    levels = rng.randint(1, 2) if dimensions else 0
    fields = plain(problem, dimensions, levels)
    if dimensions:
        fields |= _loads(problem, rng, dimensions, levels)
    return Objective(**{**fields, **_hosts(problem, rng), **_moves(problem, rng)})


def _drawn(rng: random.Random, least: int, most: int, *shape: int) -> Ints:
    numbers = [rng.randint(least, most) for _ in range(int(np.prod(shape)))]
    return np.array(numbers, dtype=np.int64).reshape(shape)


def _loads(problem: Problem, rng: random.Random, dimensions: int, levels: int) -> dict[str, Any]:
    guests, hosts = len(problem.guests), len(problem.hosts)
    coarse = rng.choice((1, 1, 4))
    least = -3 if rng.random() < 0.2 else 0
    amounts = _drawn(rng, least, 6, guests, dimensions) * coarse
    mean = max(0, int(amounts.sum()) // hosts)
    high = _drawn(rng, mean // 2, mean + 4, hosts, dimensions)
    low = high - _drawn(rng, 0, 4, hosts, dimensions)
    found: dict[str, Any] = {
        "amounts": amounts,
        "base": _drawn(rng, 0, 4, hosts, dimensions),
        "high": np.stack([high + 3 * level for level in range(levels)]),
        "low": np.stack([low - 2 * level for level in range(levels)]),
        "price": _drawn(rng, 0, 9, levels, dimensions),
    }
    if rng.random() < 0.4:
        found["price"] *= rng.randint(0, 1)
        found["range_weight"] = _drawn(rng, 0, 5, dimensions)
        found["range_scale"] = _drawn(rng, 1, 20, dimensions)
        found["range_cap"] = _drawn(rng, 1, 9, hosts, dimensions)
        found["range_over"] = np.array([rng.random() < 0.8 for _ in range(hosts)])
    return found


def _hosts(problem: Problem, rng: random.Random) -> dict[str, Any]:
    hosts = len(problem.hosts)
    found: dict[str, Any] = {}
    if rng.random() < 0.3:
        found["used_price"] = _drawn(rng, rng.choice((-1, 1)), 5, hosts)
    if rng.random() < 0.3:
        found["used_price"] = np.full(hosts, rng.randint(1, 3), dtype=np.int64)
    if rng.random() < 0.2:
        found["slot_shape"] = _drawn(rng, 0, 3, len(problem.resources))
        found["slot_price"] = _drawn(rng, 0, 3, hosts)
    return found


def _moves(problem: Problem, rng: random.Random) -> dict[str, Any]:
    guests, hosts = len(problem.guests), len(problem.hosts)
    found: dict[str, Any] = {"constant": rng.randint(-3, 3)}
    if rng.random() < 0.8:
        found["move_price"] = _drawn(rng, 0, 9, guests)
    if rng.random() < 0.2:
        found["place_price"] = _drawn(rng, -2, 7, guests, hosts)
    if rng.random() < 0.2:
        found["pair_price"] = _drawn(rng, 0, 7, hosts, hosts)
    if rng.random() < 0.2:
        found["group_of"] = _drawn(rng, -1, 2, guests).astype(np.int32)
        found["group_price"] = rng.randint(0, 4)
    return found
