# SPDX-License-Identifier: Apache-2.0
"""Rules of a validated document as values of the model; every name in them is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from moorage.formats.native.faults import Fault, Guess
from moorage.formats.native.quantities import BadAmount, amount_in
from moorage.formats.native.rule_forms import Named, RuleField, Shape, fields_of
from moorage.formats.native.selectors import Selector
from moorage.formats.tree import Path
from moorage.formats.wording import shown
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.resources import Resource
from moorage.model.rule import Rule
from moorage.rules.registry import registry

if TYPE_CHECKING:
    from pydantic import BaseModel

_SINGULAR = {Named.GUESTS: "guest", Named.HOSTS: "host", Named.RESOURCES: "resource"}


class Rulebook:
    """Turns entries into rules; what it can't turn becomes a fault."""

    def __init__(
        self,
        hosts: Mapping[str, Host],
        guests: Mapping[str, Guest],
        resources: Mapping[str, Resource],
    ) -> None:
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        self._guests = guests
        self._resources = resources
        self._known: dict[Named, Collection[str]] = {
            Named.GUESTS: guests,
            Named.HOSTS: hosts,
            Named.RESOURCES: resources,
        }

    def read(self, entries: Sequence[BaseModel]) -> tuple[Rule, ...]:
        """Return the rules of *entries*; those without a name get one after their kind."""
        bodies = [self._body(index, entry) for index, entry in enumerate(entries)]
        said = [(index, *body) for index, body in enumerate(bodies) if body is not None]
        names = _names([(kind, body.name) for _, kind, body in said])
        self._refuse_namesakes(said)
        found = (
            self._rule(("rules", index, kind), kind, body, name)
            for (index, kind, body), name in zip(said, names, strict=True)
        )
        return tuple(rule for rule in found if rule is not None)

    def _body(self, index: int, entry: BaseModel) -> tuple[str, Any] | None:
        kinds = sorted(entry.model_fields_set)
        if len(kinds) == 1:
            return kinds[0], getattr(entry, kinds[0])
        what = f"this one has {', '.join(kinds)}" if kinds else "this one is empty"
        hint = "begin each rule with a dash of its own"
        self.faults.append(Fault(("rules", index), f"a rule has one kind; {what}", hint))
        return None

    def _refuse_namesakes(self, said: Sequence[tuple[int, str, Any]]) -> None:
        first: dict[str, int] = {}
        for index, kind, body in said:
            if body.name and first.setdefault(body.name, index) != index:
                path = ("rules", index, kind, "name")
                hint = f"the other one is number {first[body.name] + 1} in the list"
                self.faults.append(Fault(path, f"two rules are called {shown(body.name)}", hint))

    def _rule(self, path: Path, kind: str, body: Any, name: str) -> Rule | None:
        before = len(self.faults)
        values: dict[str, Any] = {"name": name}
        for field in fields_of(kind):
            if field.name in body.model_fields_set and field.name != "name":
                values[field.name] = self._value((*path, field.name), field, body)
        if len(self.faults) > before:
            return None
        try:
            return registry()[kind](**values)
        except ValueError as error:
            self.faults.append(Fault(path, str(error)))
            return None

    def _value(self, path: Path, field: RuleField, body: Any) -> Any:
        value = getattr(body, field.name)
        if field.shape is Shape.SETS:
            return tuple(self._many((*path, i), field, each) for i, each in enumerate(value))
        if field.shape is Shape.MANY:
            return self._many(path, field, value)
        if field.shape is Shape.NUMBERS:
            return FrozenMap(self._numbers(path, field, value))
        if field.amount_of is not None:
            return self._amount(path, getattr(body, field.amount_of), value)
        self._expect_known(path, field.named, value)
        return value

    def _many(self, path: Path, field: RuleField, value: Any) -> tuple[Any, ...]:
        if isinstance(value, Selector):
            return self._selected(path, value)
        seen: set[Any] = set()
        for index, each in enumerate(value):
            self._expect_known((*path, index), field.named, each)
            if each in seen:
                self.faults.append(Fault((*path, index), f"{shown(each)} is named twice"))
            seen.add(each)
        return tuple(value)

    def _selected(self, path: Path, selector: Selector) -> tuple[str, ...]:
        found = tuple(g.id for g in self._guests.values() if selector.chooses(g))
        if not found:
            where = f"rule {path[1]} ({path[2]})" if len(path) > 2 else "a rule"
            self.warnings.append(f"{where}: no guest has {selector}, so the rule binds nobody")
        return found

    def _numbers(
        self, path: Path, field: RuleField, value: Mapping[str, Any]
    ) -> Iterator[tuple[str, int]]:
        for key, number in value.items():
            self._expect_known((*path, key), field.named, key, of_key=True)
            amounts = field.named is Named.RESOURCES
            yield key, self._amount((*path, key), key, number) if amounts else number

    def _amount(self, path: Path, resource: str, value: Any) -> int:
        known = self._resources.get(resource)
        try:
            return amount_in(known.unit)(value) if known is not None else 0
        except BadAmount as error:
            self.faults.append(Fault(path, str(error), error.hint))
            return 0

    def _expect_known(self, path: Path, named: Named, name: Any, *, of_key: bool = False) -> None:
        known = self._known.get(named)
        if known is not None and name not in known:
            message = f"there is no {_SINGULAR[named]} {shown(name)}"
            self.faults.append(Fault(path, message, Guess(name, known), of_key))


def _names(said: Sequence[tuple[str, str | None]]) -> list[str]:
    """Give a name to each rule without one: its kind, with a number where that is taken.

    Rules that stand beside the ambient one of their kind leave the plain name to it.
    """
    taken = {name for _, name in said if name}
    taken |= {
        kind for kind, rule in registry().items() if rule.ambient and not rule.replaces_ambient
    }
    found: list[str] = []
    for kind, name in said:
        if name is None:
            name = next(each for each in _numbered(kind) if each not in taken)
            taken.add(name)
        found.append(name)
    return found


def _numbered(kind: str) -> Iterator[str]:
    yield kind
    number = 2
    while True:
        yield f"{kind}-{number}"
        number += 1
