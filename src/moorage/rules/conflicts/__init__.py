# SPDX-License-Identifier: Apache-2.0
"""Contradictions between rules that can be seen without solving, found on load."""

from __future__ import annotations

from moorage.model.fleet import Fleet
from moorage.rules.allowed import Allowed
from moorage.rules.conflicts.bound import bound_but_apart, bound_but_pinned, bound_but_split
from moorage.rules.conflicts.conflict import Conflict
from moorage.rules.conflicts.crowded import too_many
from moorage.rules.conflicts.nowhere import guests_without_host
from moorage.rules.conflicts.totals import over_quota, unlabelled, volumes_shared
from moorage.rules.registry import rules_of

__all__ = ["Conflict", "find_conflicts"]


def find_conflicts(fleet: Fleet) -> list[Conflict]:
    """Find the conflicts between the must-rules of *fleet*."""
    rules = [rule for rule in rules_of(fleet) if rule.is_must]
    allowed = Allowed(fleet, rules)
    return [
        *guests_without_host(fleet, allowed),
        *bound_but_apart(fleet, rules),
        *bound_but_split(fleet, rules),
        *bound_but_pinned(fleet, rules, allowed),
        *too_many(fleet, rules, allowed),
        *volumes_shared(fleet, rules),
        *over_quota(fleet, rules),
        *unlabelled(fleet, rules),
    ]
