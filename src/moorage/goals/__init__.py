# SPDX-License-Identifier: Apache-2.0
"""What is optimised: each goal states its tiers over a compiled problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from moorage.goals import balance, evacuate, few_moves, free_slots, gmrp, kronos, pack, proxlb
from moorage.goals.options import Options
from moorage.goals.within import refuse_what_64_bits_cannot_count
from moorage.model.errors import BadInput
from moorage.model.fleet import GoalChoice
from moorage.problem.problem import Problem
from moorage.problem.tiers import Tier

__all__ = ["DEFAULT", "GOALS", "goal_tiers"]

DEFAULT: Final = balance.NAME


@dataclass(frozen=True, slots=True)
class Goal:
    """How a goal is asked for.

    Attributes:
        tiers: states it over a problem.
        options: names of all that may be said about it.
    """

    tiers: Callable[[Problem, Options], tuple[Tier, ...]]
    options: tuple[str, ...]


GOALS: Final[dict[str, Goal]] = {
    balance.NAME: Goal(balance.tiers, balance.OPTIONS),
    pack.NAME: Goal(pack.tiers, pack.OPTIONS),
    few_moves.NAME: Goal(few_moves.tiers, few_moves.OPTIONS),
    evacuate.NAME: Goal(evacuate.tiers, evacuate.OPTIONS),
    free_slots.NAME: Goal(free_slots.tiers, free_slots.OPTIONS),
    gmrp.NAME: Goal(gmrp.tiers, gmrp.OPTIONS),
    proxlb.NAME: Goal(proxlb.tiers, proxlb.OPTIONS),
    kronos.NAME: Goal(kronos.tiers, kronos.OPTIONS),
}
"""Every goal by its name."""


def goal_tiers(problem: Problem, choice: GoalChoice | None = None) -> tuple[Tier, ...]:
    """Return what is made small, in order: repairs, should-rules, the goal, and its ties.

    Raises:
        BadInput: there is no such goal, or an option that it doesn't have or can't take.
        TooLarge: amounts times prices are more than 64 bits hold.
    """
    name = DEFAULT if choice is None else choice.name
    goal = GOALS.get(name)
    if goal is None:
        raise BadInput(f"there is no goal {name!r}", place="goal.name", hint=_instead_of(name))
    options = Options(name, {} if choice is None else choice.options, goal.options)
    tiers = goal.tiers(problem, options)
    refuse_what_64_bits_cannot_count(tiers)
    return tiers


def _instead_of(name: str) -> str:
    near = get_close_matches(name, GOALS, 1)
    listed = f"the goals there are: {', '.join(GOALS)}"
    return f"did you mean {near[0]}? {listed.capitalize()}" if near else listed.capitalize()
