# SPDX-License-Identifier: Apache-2.0
"""Ban: guests that may not be on some hosts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from moorage.model.compiled import Bar
from moorage.model.fleet import Fleet
from moorage.model.reasons import Reason
from moorage.model.rule import Breach, Focus, Rule
from moorage.model.view import View, in_order
from moorage.rules.domains import by_host
from moorage.rules.wording import are, names


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban(Rule):
    """Guests never on *hosts*.

    Attributes:
        guests: those that are banned.
        hosts: where they may not be.
    """

    kind: ClassVar[str] = "ban"
    invariant: ClassVar[str] = (
        "No guest of the rule holds one of the rule's hosts; on the way a guest may still"
        " hold the banned host that it starts on."
    )
    remedy: ClassVar[str] = "lift the ban for one host, or make room elsewhere"

    guests: tuple[str, ...]
    hosts: tuple[str, ...]

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return self.guests

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return [Bar(self.guests, frozenset(self.hosts))]

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        named = self.guests if focus is None else [g for g in self.guests if g in focus.guests]
        for host, guests in sorted(by_host(self._strays(view, named)).items()):
            banned = "it is banned" if len(guests) == 1 else "they are banned"
            text = f"{names(guests)} {are(guests)} on {host}, from which {banned}"
            yield Breach(
                self.label, Reason.BANNED, host, in_order(guests), len(guests), text, host=host
            )

    def _strays(self, view: View, guests: Collection[str]) -> Iterator[tuple[str, str]]:
        banned = set(self.hosts)
        for guest in guests:
            for host in view.hosts_of(guest):
                if host in banned and (view.at_end or host in view.entered(guest)):
                    yield guest, host
