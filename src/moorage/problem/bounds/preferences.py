# SPDX-License-Identifier: Apache-2.0
"""What should-rules cost at least: the likings of single guests, and groups without room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from moorage.problem.bounds.crowds import Values
from moorage.problem.bounds.facts import BOUNDLESS, Facts
from moorage.rules.apart import Apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


def should_bound(facts: Facts) -> int:
    """Bound the cost of should-rules, for guests that keep their hosts."""
    problem = facts.problem
    if not problem.should or not facts.keeps:
        return 0
    restrictions = problem.restrictions
    masked = np.where(restrictions.open, restrictions.price, BOUNDLESS)
    away = masked.min(axis=1, initial=BOUNDLESS)[restrictions.row_of]
    away = np.where(facts.fixed, BOUNDLESS, away)
    each = np.minimum(away, np.where(facts.has_host, restrictions.price_at_start, 0))
    return int(each.sum()) + sum(_crowded(facts, rule) for rule in _groups(facts))


def _groups(facts: Facts) -> list[Apart]:
    rules = [r for r in facts.problem.should if isinstance(r, Apart)]
    return [rule for rule in rules if rule.most is not None and rule.weight > 0]


def _crowded(facts: Facts, rule: Apart) -> int:
    """Collisions of a group with fewer values than it wants, evenly spread over them."""
    index, most = facts.problem.guest_index, rule.most or 1
    members = [i for g in rule.guests if (i := index.get(g)) is not None and facts.has_host[i]]
    domain = Values(facts, rule.domain)
    reached: frozenset[str] = frozenset().union(*(domain.choices(i) for i in members))
    reached |= frozenset(
        v for i in members if (v := domain.value_of[facts.problem.start[i]]) is not None
    )
    excess = len(members) - most * len(reached)
    if excess <= 0:
        return 0
    if not reached or None in domain.value_of:
        return excess * rule.weight
    full, more = divmod(excess, len(reached))
    collisions = (len(reached) - more) * full * (full + 1) // 2
    return (collisions + more * (full + 1) * (full + 2) // 2) * rule.weight
