# SPDX-License-Identifier: Apache-2.0
"""What a plan does, instant by instant, by the words of the design.

At equal times moves end before others start. A guest holds both ends from the start of its move
to the end. A trouble that stood at the start and is no worse is not new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moorage.model.fleet import Fleet
from moorage.model.hosts import HostState
from moorage.model.plan import Action, Plan
from moorage.model.rule import Rule, Strength
from tests.oracle.instants import Instant, Trouble, start_of
from tests.oracle.invariants import holds_on_the_way, troubles


@dataclass(frozen=True)
class Finding:
    """A trouble of a rule, with its instant; None is the final state.

    Attributes:
        old: it stood at the start and is no worse.
        again: there was as much of it at an earlier instant, with nobody missing who is in it.
        arguable: it is known from before, and whether it is worse can't be said.
    """

    at_s: int | None
    rule: str
    trouble: Trouble
    old: bool = False
    again: bool = False
    arguable: bool = False

    @property
    def is_new(self) -> bool:
        """Whether it has to be said at this instant."""
        return not (self.old or self.again or self.arguable)

    @property
    def may_be_said(self) -> bool:
        """Whether it is trouble that the plan makes; it may be said, if it was said before."""
        return self.arguable or not self.old


class Malformed(Exception):
    """A plan whose steps contradict where its guests are."""


def instants(fleet: Fleet, plan: Plan) -> Iterator[tuple[int, Instant]]:
    """The state at each time at which something starts or ends."""
    held: dict[str, tuple[str, ...]] = {
        guest.id: (guest.host,)
        for guest in fleet.guests.values()
        if guest.host is not None and guest.host in fleet.hosts and not guest.stopped
    }
    moved: dict[str, frozenset[str]] = {}
    for at_s in sorted({t for step in plan.steps for t in (step.start_s, step.end_s)}):
        for action in _actions(plan, at_s, starting=False):
            held[action.guest] = (action.target,)
        for action in _actions(plan, at_s, starting=True):
            _begin(fleet, held, action)
            entered = moved.get(action.guest, frozenset())
            moved[action.guest] = entered | {action.target}
        yield at_s, Instant(fleet, dict(held), dict(moved), at_end=False)


def _begin(fleet: Fleet, held: dict[str, tuple[str, ...]], action: Action) -> None:
    here = held.get(action.guest, ())
    if len(here) > 1 or action.target in here or not _is_from(fleet, here, action.source):
        raise Malformed(action)
    held[action.guest] = (*here, action.target)


def _is_from(fleet: Fleet, here: tuple[str, ...], source: str | None) -> bool:
    """Whether a guest is where a move takes it from; from a dead host it is placed anew."""
    if here and fleet.hosts[here[0]].state is HostState.DOWN:
        return source is None
    return here == (() if source is None else (source,))


def _actions(plan: Plan, at_s: int, *, starting: bool) -> list[Action]:
    return [
        action
        for step in plan.steps
        if (step.start_s if starting else step.end_s) == at_s
        for action in step.actions
    ]


def findings(fleet: Fleet, rules: Sequence[Rule], plan: Plan) -> list[Finding]:
    """All that is wrong with the must-rules of a plan whose steps fit together."""
    must = [rule for rule in rules if rule.strength is Strength.MUST]
    at_start = {rule.label: troubles(rule, start_of(fleet)) for rule in must}
    earlier: dict[str, list[Trouble]] = {rule.label: [] for rule in must}
    found: list[Finding] = []

    def add(rule: Rule, at_s: int | None, now: Instant) -> None:
        for trouble in troubles(rule, now):
            stood, said = at_start[rule.label], earlier[rule.label]
            old = any(no_worse(trouble, before) for before in stood)
            again = _was_said(trouble, said)
            before_now = stood if at_s is None else (*stood, *said)
            known = any(trouble.place == before.place for before in before_now)
            found.append(Finding(at_s, rule.label, trouble, old, again, trouble.vague and known))
            said.append(trouble)

    last = start_of(fleet)
    for at_s, last in instants(fleet, plan):
        for rule in filter(holds_on_the_way, must):
            add(rule, at_s, last)
    for rule in must:
        add(rule, None, Instant(fleet, last.held, last.moved_onto, at_end=True))
    return found


def _was_said(now: Trouble, said: Sequence[Trouble]) -> bool:
    """Nobody in it is new, and it was as bad before; for sums the amount alone counts."""
    there = [t for t in said if (t.place, t.resource) == (now.place, now.resource)]
    everybody = frozenset[str]().union(*(t.guests for t in there))
    worst = max((t.amount for t in there), default=0)
    return now.amount <= worst and (bool(now.resource) or now.guests <= everybody)


def no_worse(now: Trouble, before: Trouble) -> bool:
    """The same place and resource, no larger amount, and for what is no sum nobody new."""
    if (now.place, now.resource) != (before.place, before.resource) or now.amount > before.amount:
        return False
    return bool(now.resource) or now.guests <= before.guests
