# SPDX-License-Identifier: Apache-2.0
"""How many moves run at once: the limits of a fleet, at every instant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.natural import natural_key
from moorage.model.plan import Action, ActionKind, Step
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Rule
from moorage.model.view import in_order
from moorage.rules.bonds import Bonds
from moorage.rules.wording import plural

RULE = "limits"


@dataclass(frozen=True, slots=True)
class Slot:
    """Something that only so many moves may use at once; *where* is empty for the fleet."""

    use: str
    where: str
    limit: int
    host: str | None = None


class Slots:
    """Which moves run now, counted for each limit as they start and end."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self._sides = _sides(fleet)
        self._used: dict[Slot, dict[int, Action]] = {}

    def begin(self, action: Action) -> None:
        """*action* starts, and takes its slots."""
        for slot in self._slots(action):
            self._used.setdefault(slot, {})[id(action)] = action

    def end(self, action: Action) -> None:
        """*action* has ended, and gives its slots back."""
        for slot in self._slots(action):
            users = self._used.get(slot, {})
            users.pop(id(action), None)
            if not users:
                self._used.pop(slot, None)

    def breaches(self) -> Iterator[Breach]:
        """Find the limits that are exceeded now."""
        over = [slot for slot, users in self._used.items() if len(users) > slot.limit]
        for slot in sorted(over, key=lambda s: (s.use, natural_key(s.where))):
            yield _breach(slot, list(self._used[slot].values()))

    def _slots(self, action: Action) -> Iterator[Slot]:
        source, target, limits = action.source, action.target, self.fleet.limits
        assert source is not None, "movers leaves out what is started anew"
        if limits.at_once is not None:
            yield Slot("at once", "", limits.at_once)
        if limits.into_host is not None:
            yield Slot("into", target, limits.into_host, target)
        if limits.out_of_host is not None:
            yield Slot("out of", source, limits.out_of_host, source)
        if limits.over_link is not None:
            for link in self._crossed(source, target):
                yield Slot("over link", link, limits.over_link)
        if limits.per_pool is not None:
            for pool in self._copied_pools(action.guest):
                for host in {source, target}:
                    yield Slot("on storage", f"{pool} of {host}", limits.per_pool, host)

    def _crossed(self, source: str, target: str) -> Iterator[str]:
        there = self._sides.get(target, {})
        for link, side in self._sides.get(source, {}).items():
            if there.get(link, side) != side:
                yield link

    def _copied_pools(self, guest: str) -> Iterator[str]:
        """The local pools that a move reads from and writes to; shared pools copy nothing."""
        for resource, amount in self.fleet.guests[guest].demand.items():
            known = self.fleet.resources.get(resource)
            if amount and known is not None and known.is_disk and known.shared_total is None:
                yield known.pool


def company_of(rules: Iterable[Rule]) -> Bonds:
    """The groups that have to move as one: those that are on one host at every instant."""
    return Bonds((rule for rule in rules if rule.holds_always), HOST_DOMAIN)


def movers(step: Step, company: Bonds) -> list[Action]:
    """The actions of *step* that need slots: one that is started anew copies nothing.

    Guests that the platform moves along with another of their group to the same host need
    none of their own; where nobody else of it is copied there, one of them stands for all.
    """
    copied = [action for action in step.actions if action.source is not None]
    found = [action for action in copied if action.kind is not ActionKind.CO_MOVE]
    led = {(company.group_of(action.guest), action.target) for action in found}
    for action in copied:
        if action.kind is ActionKind.CO_MOVE:
            group = company.group_of(action.guest)
            if group is None or (group, action.target) not in led:
                led.add((group, action.target))
                found.append(action)
    return found


def _sides(fleet: Fleet) -> dict[str, dict[str, int]]:
    """Return {host: {link: the first of its sides that the host is on}}."""
    sides: dict[str, dict[str, int]] = {}
    for link in fleet.links:
        for number, side in enumerate(link.sides):
            for host in side:
                sides.setdefault(host, {}).setdefault(link.id, number)
    return sides


def _breach(slot: Slot, actions: list[Action]) -> Breach:
    place = f"{slot.use} {slot.where}".strip()
    text = f"{plural(len(actions), 'move')} {place}; at most {slot.limit} may run"
    guests, over = in_order([a.guest for a in actions]), len(actions) - slot.limit
    return Breach(RULE, Reason.MOVE_LIMIT, place, guests, over, text, "moves", slot.host)
