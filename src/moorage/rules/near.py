# SPDX-License-Identifier: Apache-2.0
"""Near: guests that need a guest of another group close by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule, When
from moorage.model.view import View, in_order
from moorage.rules.domains import running_in
from moorage.rules.wording import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Near(Rule):
    """Each guest shares a value of the domain with some guest of *to*. Directed.

    Attributes:
        guests: those that need company.
        to: the company that they need.
        domain: `host`, or any label of hosts.
    """

    kind: ClassVar[str] = "near"
    invariant: ClassVar[str] = (
        "Each placed guest of the first group runs in a value of the domain in which some"
        " guest of the second group runs."
    )
    remedy: ClassVar[str] = "move or add a guest of the second group to that {domain}"
    usual_when: ClassVar[When] = When.AT_END
    always_where_enforced: ClassVar[bool] = True

    guests: tuple[str, ...]
    to: tuple[str, ...]
    domain: str = HOST_DOMAIN

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return (*self.guests, *self.to)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        there = running_in(view, self.to, self.domain)
        here = running_in(view, self.guests, self.domain)
        lonely = [g for v, members in here.items() if v is None or v not in there for g in members]
        if lonely:
            spots = {
                v or f"a host without {self.domain}" for v in here if v is None or v not in there
            }
            text = (
                f"{names(lonely)} in {names(spots)}:"
                f" none of {names(self.to)} is in the same {self.domain}"
            )
            yield Breach(self.label, Reason.NEAR, "", in_order(lonely), len(lonely), text)
