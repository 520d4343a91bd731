# SPDX-License-Identifier: Apache-2.0
"""Stay: guests that are not to be moved."""

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


def moved(view: View, guests: Collection[str]) -> dict[str, list[str]]:
    """Return {start host: those of *guests* that were moved or are not there any more}."""
    pairs = ((g, start) for g in guests if (start := view.start(g)) is not None)
    return by_host(
        (g, start) for g, start in pairs if view.entered(g) or view.hosts_of(g) != (start,)
    )


def kept(fleet: Fleet, guests: Collection[str]) -> Iterator[Bar]:
    """Bar each running guest from every host but the one where it starts."""
    for guest in guests:
        host = fleet.placement[guest]
        if host is not None and not fleet.guests[guest].stopped:
            yield Bar((guest,), frozenset({host}), but_these=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay(Rule):
    """Guests that stay on the host where they are.

    Attributes:
        guests: those that stay.
    """

    kind: ClassVar[str] = "stay"
    invariant: ClassVar[str] = (
        "A guest of the rule that has a host at the start holds that host and no other, and"
        " was never moved."
    )
    remedy: ClassVar[str] = "allow the guest to move"

    guests: tuple[str, ...]

    def guests_named(self, fleet: Fleet) -> Collection[str]:
        return self.guests

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        return kept(fleet, self.guests)

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        named = self.guests if focus is None else [g for g in self.guests if g in focus.guests]
        running = [g for g in named if not view.fleet.guests[g].stopped]
        for host, guests in sorted(moved(view, running).items()):
            text = f"{names(guests)} must stay on {host} but {are(guests)} moved"
            yield Breach(
                self.label, Reason.STAY, host, in_order(guests), len(guests), text, host=host
            )
