# SPDX-License-Identifier: Apache-2.0
"""From a problem to an exact model with a term for each tier."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moorage.model.compiled import Term
from moorage.model.errors import TooLarge
from moorage.model.rule import Rule
from moorage.problem.limits import Budget
from moorage.problem.magnitudes import LARGEST_SUM
from moorage.problem.problem import NOWHERE, Problem
from moorage.problem.tiers import Tier
from moorage.solving.exact.goal import goal_term, want_loads
from moorage.solving.exact.inquiry import Inquiry
from moorage.solving.exact.kinds import kinds_of, objectives_of
from moorage.solving.exact.model import Model, NotSingle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a problem that is open to change.

    Attributes:
        hint: an admissible placement; guests that aren't free stay where it has them.
        free: guests whose host is to be found.
        opened: hosts that they may come onto or leave.
        is_whole: whether that is all there is.
    """

    hint: Indices
    free: Flags
    opened: Flags
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Built:
    """An exact model, and what each tier is in it."""

    model: Model
    terms: tuple[Term, ...]


def part_of(problem: Problem, hint: Indices, free: Flags | None, open_hosts: Flags | None) -> Part:
    """Return what is open to change; a guest on a host that isn't open is not free."""
    opened = np.ones(len(problem.hosts), np.bool_) if open_hosts is None else open_hosts.copy()
    flags = np.ones(len(problem.guests), np.bool_) if free is None else free.copy()
    flags &= (hint == NOWHERE) | opened[np.maximum(hint, 0)]
    return Part(hint, flags, opened, bool(opened.all() and flags.all()))


def build(problem: Problem, tiers: Sequence[Tier], part: Part, budget: Budget) -> Built:
    """Build the exact model of *part*."""
    inquiry = Inquiry(problem, part.hint, part.free, part.opened)
    rules = [rule for rule in problem.rules if _has_post(rule) and _concerns(rule, inquiry)]
    for rule in rules:
        rule.post(inquiry)
    try:
        return _build(problem, tiers, part, budget, rules, inquiry.named)
    except NotSingle:
        everybody = range(len(problem.guests))
        return _build(problem, tiers, part, budget, rules, everybody)


def _has_post(rule: Rule) -> bool:
    return type(rule).post is not Rule.post and (rule.is_must or rule.weight > 0)


def _concerns(rule: Rule, inquiry: Inquiry) -> bool:
    """Whether free guests can change anything about *rule*."""
    named = rule.guests_named(inquiry.fleet)
    return named is None or not inquiry.free_set.isdisjoint(named)


def _build(
    problem: Problem,
    tiers: Sequence[Tier],
    part: Part,
    budget: Budget,
    rules: Sequence[Rule],
    named: Collection[int],
) -> Built:
    free = np.flatnonzero(part.free).astype(np.int32)
    kinds = kinds_of(problem, tiers, free, named)
    model = Model(problem, kinds, part.hint, part.free, part.opened)
    for objective in objectives_of(tiers):
        want_loads(model, objective)
    for rule in rules:
        rule.post(model)
    model.keep_to(budget)
    repairs, collisions = model.total_repairs(), model.total_collisions()
    terms = []
    for tier in tiers:
        goal = 0 if tier.objective is None else goal_term(model, tier.objective)
        _refuse_too_large(model, tier, ((tier.repairs, repairs), (tier.should, collisions)))
        terms.append(tier.repairs * repairs + tier.should * collisions + goal)
    return Built(model, tuple(terms))


def _refuse_too_large(model: Model, tier: Tier, broken: Sequence[tuple[int, Term]]) -> None:
    """Refuse a tier in which what rules cost is more than 64 bits hold."""
    for price, term in broken:
        if price and price * max(map(abs, model.sheet.bounds(term))) > LARGEST_SUM:
            raise TooLarge(
                f"what rules cost in {tier.name} is more than 64 bits hold",
                place="rules",
                hint="use smaller weights, or measure resources in larger units",
            )
