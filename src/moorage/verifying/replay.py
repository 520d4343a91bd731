# SPDX-License-Identifier: Apache-2.0
"""Replay of a plan, instant by instant, against every rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from moorage.model.fleet import Fleet
from moorage.model.hosts import HostState
from moorage.model.plan import Action, Plan, Step, Violation
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View
from moorage.verifying.limits import Slots, company_of, movers
from moorage.verifying.standing import Standing, breaches

RULE = "plan"


@dataclass(slots=True)
class _Said:
    """How bad a trouble was at its worst, and who was in it so far."""

    amount: int = 0
    guests: set[str] = field(default_factory=set)


class Replay:
    """Walks through a plan. At each instant moves end first, then others start.

    A guest holds both ends from the start of its move to its end. Rules that hold always
    are checked after each instant for the hosts and guests that it touched; all must-rules
    are checked once more at the end.
    """

    def __init__(self, standing: Standing, plan: Plan) -> None:
        self.standing = standing
        self.fleet: Fleet = standing.fleet
        self.plan = plan
        self.view = View(self.fleet, self.fleet.placement, at_end=False)
        self.running: dict[str, Action] = {}
        self._slots = Slots(self.fleet)
        company = company_of(standing.must)
        self._needs_slot = {id(a) for step in plan.steps for a in movers(step, company)}
        self._said: dict[tuple[str, str, str, str], _Said] = {}
        self._anywhere: list[Rule] = []
        self._of_guest: dict[str, list[Rule]] = {}
        self._index_rules()

    def _index_rules(self) -> None:
        for rule in self.standing.must:
            if rule.holds_always:
                guests = rule.guests_named(self.fleet)
                if guests is None:
                    self._anywhere.append(rule)
                    continue
                for guest in guests:
                    self._of_guest.setdefault(guest, []).append(rule)

    def violations(self) -> Iterator[Violation]:
        """Find everything that the plan does wrong, in the order of time."""
        yield from self._order()
        for at_s, ending, starting in self._instants():
            touched = self._apply(ending, starting)
            for breach in (*touched, *self._broken(ending, starting)):
                if not self.standing.is_old(breach) and self._is_news(breach):
                    yield Violation(breach, at_s)
        self.view.at_end = True
        yield from self.standing.judge(breaches(self.standing.must, self.view), None)

    def _order(self) -> Iterator[Violation]:
        """Steps that start before a step that they depend on has ended."""
        ends = {step.index: step.end_s for step in self.plan.steps}
        for step in self.plan.steps:
            for before in step.depends_on:
                if ends[before] > step.start_s:
                    text = (
                        f"step {step.index} starts before step {before}, on which it depends, ends"
                    )
                    guests = tuple(a.guest for a in step.actions)
                    yield Violation(_fault(Reason.PLAN_ORDER, guests, text), step.start_s)

    def _instants(self) -> Iterator[tuple[int, list[Action], list[Action]]]:
        starts: dict[int, list[Step]] = {}
        ends: dict[int, list[Step]] = {}
        for step in self.plan.steps:
            starts.setdefault(step.start_s, []).append(step)
            ends.setdefault(step.end_s, []).append(step)
        for at_s in sorted({*starts, *ends}):
            ending = [a for step in ends.get(at_s, ()) for a in step.actions]
            starting = [a for step in starts.get(at_s, ()) for a in step.actions]
            yield at_s, ending, starting

    def _apply(self, ending: list[Action], starting: list[Action]) -> list[Breach]:
        """Change the view; return what is wrong with the plan itself."""
        faults: list[Breach] = []
        for action in ending:
            if self.running.get(action.guest) is action:
                self._end(action)
        for action in starting:
            fault = self._fault(action)
            if fault is not None:
                faults.append(fault)
            if action.guest not in self.running and not self.fleet.guests[action.guest].stopped:
                self._begin(action)
        return faults

    def _begin(self, action: Action) -> None:
        self.running[action.guest] = action
        self.view.begin_move(action.guest, action.target)
        if id(action) in self._needs_slot:
            self._slots.begin(action)

    def _end(self, action: Action) -> None:
        del self.running[action.guest]
        self.view.end_move(action.guest, self._source(action), action.target)
        if id(action) in self._needs_slot:
            self._slots.end(action)

    def _source(self, action: Action) -> str | None:
        """The host that *action* empties; a guest placed anew leaves its dead host."""
        return action.source if action.source is not None else self.view.runs_on(action.guest)

    def _fault(self, action: Action) -> Breach | None:
        guest = action.guest
        if guest in self.running:
            return _fault(
                Reason.PLAN_OVERLAP, (guest,), f"{guest} is moved while it is on the move"
            )
        if self.fleet.guests[guest].stopped:
            return _fault(Reason.PLAN_SOURCE, (guest,), f"{guest} is moved but is stopped")
        runs_on = self.view.runs_on(guest)
        if action.target == runs_on:
            return _fault(
                Reason.PLAN_SOURCE, (guest,), f"{guest} is moved to {runs_on}, where it is already"
            )
        if self._is_down(runs_on) and action.source in (runs_on, None):
            return self._off_dead_host(action, runs_on)
        if action.source == runs_on:
            return None
        text = (
            f"{guest} is moved from {action.source or 'nowhere'} but is on {runs_on or 'no host'}"
        )
        return _fault(Reason.PLAN_SOURCE, (guest,), text)

    @staticmethod
    def _off_dead_host(action: Action, host: str | None) -> Breach | None:
        """Nothing can be copied off a host that is down: its guests are started anew."""
        if action.source is None:
            return None
        text = f"{action.guest} is moved off {host}, which is down; it has to be placed anew"
        return _fault(Reason.PLAN_SOURCE, (action.guest,), text)

    def _is_down(self, host: str | None) -> bool:
        return host is not None and self.fleet.hosts[host].state is HostState.DOWN

    def _broken(self, ending: list[Action], starting: list[Action]) -> Iterator[Breach]:
        changed = [*ending, *starting]
        guests = frozenset(a.guest for a in changed)
        hosts = {a.target for a in changed} | {a.source for a in changed if a.source is not None}
        hosts.update(h for g in guests for h in self.view.hosts_of(g))
        focus = Focus(frozenset(hosts), guests)
        named = {id(r): r for g in guests for r in self._of_guest.get(g, ())}
        for rule in (*self._anywhere, *named.values()):
            yield from rule.check(self.view, focus)
        yield from self._slots.breaches()

    def _is_news(self, breach: Breach) -> bool:
        """Whether there is more of it than was said before, or somebody new in it."""
        said = self._said.setdefault(breach.key, _Said())
        newcomers = () if breach.resource else set(breach.guests) - said.guests
        if breach.amount <= said.amount and not newcomers:
            return False
        said.amount = max(breach.amount, said.amount)
        said.guests.update(newcomers)
        return True


def _fault(code: Reason, guests: tuple[str, ...], text: str) -> Breach:
    return Breach(RULE, code, "", guests, 1, text)
