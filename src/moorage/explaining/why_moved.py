# SPDX-License-Identifier: Apache-2.0
"""Why each guest of a target moves: a code and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from moorage.model.fleet import Fleet
from moorage.model.natural import natural_key
from moorage.model.resources import MEMORY, format_amount
from moorage.model.rule import Breach
from moorage.problem.problem import Problem

PLACE: Final = "place"
BALANCE: Final = "balance"
MAKE_ROOM: Final = "make_room"
GOAL: Final = "goal"
ONLY_FORCED: Final = frozenset({"few-moves", "evacuate"})
"""Goals under which nobody moves who needn't: what repairs nothing makes room."""
NAMED: Final = 3


@dataclass(frozen=True)
class Why:
    """Says why guests move from where they are to where a target has them.

    Attributes:
        broken: a breach that each guest has part in now.
        before: memory taken on each host now, in MiB; *after* in the target.
        arrivals: the guests that come onto each host.
    """

    fleet: Fleet
    goal: str
    broken: Mapping[str, Breach]
    before: Mapping[str, int]
    after: Mapping[str, int]
    arrivals: Mapping[str, list[str]]

    @classmethod
    def of(cls, problem: Problem, placements: Mapping[str, str | None], goal: str) -> Why:
        """Look once at what stands broken and who goes where, so that each answer is quick."""
        broken: dict[str, Breach] = {}
        for breach in problem.standing.values():
            for guest in breach.guests:
                broken.setdefault(guest, breach)
        now = problem.fleet.placement
        arrivals: dict[str, list[str]] = {}
        for guest in problem.guests:
            target = placements[guest]
            if target is not None and target != now[guest]:
                arrivals.setdefault(target, []).append(guest)
        before, after = _memory(problem.fleet, now), _memory(problem.fleet, placements)
        return cls(problem.fleet, goal, broken, before, after, arrivals)

    def sentence(self, guest: str, source: str | None, target: str) -> tuple[str, str]:
        """Return the code and the sentence for one move."""
        if source is None:
            return PLACE, f"has no host; {target} has room"
        breach = self.broken.get(guest)
        if breach is not None:
            return breach.code, f"repairs {breach.rule}: {breach.text}"
        if self.goal in ONLY_FORCED:
            return MAKE_ROOM, self._makes_room(source)
        if self.goal == BALANCE:
            return BALANCE, f"evens out memory: {self._shares(source)}, {self._shares(target)}"
        return GOAL, f"for the goal {self.goal}; memory: {self._shares(source)}"

    def _makes_room(self, source: str) -> str:
        coming = sorted(self.arrivals.get(source, ()), key=natural_key)
        rest = f" and {len(coming) - NAMED} more" if len(coming) > NAMED else ""
        return f"makes room on {source} for {', '.join(coming[:NAMED]) or 'others'}{rest}"

    def _shares(self, host: str) -> str:
        """How full *host* is now and will be."""
        usable = self.fleet.hosts[host].usable(MEMORY)
        before, after = self.before.get(host, 0), self.after.get(host, 0)
        if not usable:
            shown = (format_amount(amount, "MiB") for amount in (before, after))
            return f"{host} {' to '.join(shown)}"
        return f"{host} {100 * before // usable} to {100 * after // usable} %"


def _memory(fleet: Fleet, placements: Mapping[str, str | None]) -> dict[str, int]:
    taken: dict[str, int] = {}
    for guest in fleet.running:
        host = placements[guest]
        if host is not None:
            taken[host] = taken.get(host, 0) + fleet.demand_of(guest).get(MEMORY, 0)
    return taken
