# SPDX-License-Identifier: Apache-2.0
"""Whether one more move is admissible: no rule gets worse by it, not even one that should hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moorage.model.rule import Breach, Focus
from moorage.model.view import View
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]


class Admission:
    """Asks the rules' own checks about single moves."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        start = View(problem.fleet, problem.fleet.placement, at_end=True)
        soft = (breach for rule in problem.should for breach in rule.check(start))
        self._standing: dict[tuple[str, str, str, str], Breach] = dict(problem.standing)
        self._standing.update({breach.key: breach for breach in soft})

    def __call__(self, placement: Indices, guest: int, host: int) -> bool:
        """Whether *guest* may move to *host*, all others being where *placement* says."""
        problem = self.problem
        if not self._has_room(placement, guest, host) or not problem.restrictions.may_be(
            guest, host
        ):
            return False
        after = placement.copy()
        after[guest] = host
        view = View(problem.fleet, problem.placement(after), at_end=True)
        hosts = {problem.hosts[h] for h in (host, int(placement[guest])) if h >= 0}
        focus = Focus(frozenset(hosts), frozenset({problem.guests[guest]}))
        return all(
            breach.is_no_worse_than(self._standing.get(breach.key))
            for rule in problem.rules
            for breach in rule.check(view, focus)
        )

    def _has_room(self, placement: Indices, guest: int, host: int) -> bool:
        """Whether it fits, which is asked often and answered quickly."""
        here = placement == host
        if self.problem.held.any():
            return True
        taken = self.problem.demand[here].sum(axis=0) + self.problem.demand[guest]
        wants = self.problem.demand[guest] > 0
        return bool((taken <= self.problem.usable[host])[wants].all())
