# SPDX-License-Identifier: Apache-2.0
"""Split: groups that never meet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar, Exact, Tables
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.domains import barred_from_unlabelled, held_in, on_unlabelled
from moorage.rules.posting import open_values
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Rule):
    """Groups of guests of which no two share a value of the domain.

    Attributes:
        groups: lists of guests, one for each group.
        domain: `host`, or any label of hosts.
    """

    kind: ClassVar[str] = "split"
    invariant: ClassVar[str] = (
        "No value of the domain holds guests of two different groups of the rule, and none of"
        " them holds a host without a value."
    )
    remedy: ClassVar[str] = "give each group a {domain} of its own"

    groups: tuple[tuple[str, ...], ...]
    domain: str = HOST_DOMAIN

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return [g for group in self.groups for g in group]

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return barred_from_unlabelled(fleet, self.guests_named(fleet), self.domain)

    def post(self, exact: Exact) -> None:
        for value, hosts in open_values(exact, self.domain).items():
            inside = {g: exact.among(g, hosts) for group in self.groups for g in group}
            meeting = [exact.any_of([inside[g] for g in group]) for group in self.groups]
            exact.breach(self, value, sum(meeting) - 1, joining=inside)

    def arrays(self, tables: Tables) -> None:
        tables.separate(self, self.groups, self.domain)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        found: dict[str, list[list[str]]] = {}
        lost: list[str] = []
        for group in self.groups:
            for value, guests in held_in(view, group, self.domain).items():
                if value is None:
                    lost += guests
                else:
                    found.setdefault(value, []).append(guests)
        yield from on_unlabelled(view, self.label, Reason.SPLIT, self.domain, lost)
        for value in sorted(v for v, meeting in found.items() if len(meeting) > 1):
            yield self._breach(value, found[value])

    def _breach(self, value: str, meeting: list[list[str]]) -> Breach:
        text = f"{' meets '.join(names(guests) for guests in meeting)} on {value}"
        host = value if self.domain == HOST_DOMAIN else None
        guests = in_order({g for group in meeting for g in group})
        return Breach(self.label, Reason.SPLIT, value, guests, len(meeting) - 1, text, host=host)
