# SPDX-License-Identifier: Apache-2.0
"""Pin: guests that may only be on some hosts."""

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
class Pin(Rule):
    """Guests only on *hosts*; the order of the hosts is an order of liking.

    Attributes:
        guests: those that are pinned.
        hosts: where they may be, best first.
    """

    kind: ClassVar[str] = "pin"
    invariant: ClassVar[str] = (
        "Every host that a guest of the rule holds is one of the rule's hosts; on the way"
        " that binds only guests that start on one of them or have no host yet."
    )
    remedy: ClassVar[str] = "add a host to the pin, or make room on one of its hosts"

    guests: tuple[str, ...]
    hosts: tuple[str, ...]

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return self.guests

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return [Bar(self.guests, frozenset(self.hosts), but_these=True)]

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        allowed = set(self.hosts)
        named = self.guests if focus is None else [g for g in self.guests if g in focus.guests]
        for host, guests in sorted(by_host(self._strays(view, named, allowed)).items()):
            pinned_to = names(self.hosts) or "no host"
            text = f"{names(guests)} {are(guests)} on {host}, pinned to {pinned_to}"
            yield Breach(
                self.label,
                Reason.PINNED_ELSEWHERE,
                host,
                in_order(guests),
                len(guests),
                text,
                host=host,
            )

    @staticmethod
    def _strays(
        view: View, guests: Collection[str], allowed: set[str]
    ) -> Iterator[tuple[str, str]]:
        for guest in guests:
            start = view.start(guest)
            if view.at_end or start is None or start in allowed:
                yield from ((guest, host) for host in view.hosts_of(guest) if host not in allowed)
