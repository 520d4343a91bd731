# SPDX-License-Identifier: Apache-2.0
"""What every rule has in common, and what a broken one looks like."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from moorage.model.compiled import Bar, Exact, Tables

if TYPE_CHECKING:
    from moorage.model.fleet import Fleet
    from moorage.model.view import View


class Strength(StrEnum):
    """Whether a rule has to hold, or costs where it doesn't."""

    MUST = "must"
    SHOULD = "should"


class When(StrEnum):
    """At which instants of a plan a rule has to hold."""

    ALWAYS = "always"
    AT_END = "at_end"


@dataclass(frozen=True, slots=True)
class Focus:
    """The hosts and guests that just changed; a check may leave out everything else."""

    hosts: frozenset[str]
    guests: frozenset[str]


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where a rule doesn't hold.

    Attributes:
        where: host or domain value; empty if it has none.
        resource: what is exceeded, for rules that are sums; such a breach gets no worse
            while its amount doesn't grow. Others get worse when other guests join in too.
        amount: how much is too much, or how many collide. Always positive.
    """

    rule: str
    code: str
    where: str
    guests: tuple[str, ...]
    amount: int
    text: str
    resource: str = ""
    host: str | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes two breaches the same trouble at two instants."""
        return (self.rule, self.code, self.where, self.resource)

    def is_no_worse_than(self, start: Breach | None) -> bool:
        """Whether the same trouble stood at the *start* already, at least as bad."""
        if start is None or start.key != self.key or self.amount > start.amount:
            return False
        return bool(self.resource) or set(self.guests) <= set(start.guests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Base of all rules: one file each in `moorage.rules`.

    Attributes:
        name: unique in a fleet; what messages call it.
        weight: price of one collision of a should-rule.
        when: None takes what is usual for the kind.
        origin: who enforces it besides us: `pve` (Proxmox HA), `nova` … or empty.
    """

    kind: ClassVar[str] = ""
    invariant: ClassVar[str] = ""
    remedy: ClassVar[str] = ""
    usual_when: ClassVar[When] = When.ALWAYS
    ambient: ClassVar[bool] = False
    """Every fleet has it, whether or not it is written down."""
    replaces_ambient: ClassVar[bool] = True
    """A written rule of this kind stands instead of the ambient one, not beside it."""
    always_where_enforced: ClassVar[bool] = False
    """A platform that enforces it (origin) enforces it at every instant."""

    name: str = ""
    strength: Strength = Strength.MUST
    weight: int = 1
    when: When | None = None
    origin: str = ""

    @property
    def is_must(self) -> bool:
        """Whether it has to hold."""
        return self.strength is Strength.MUST

    @property
    def holds_always(self) -> bool:
        """Whether it has to hold at every instant of a plan. A should-rule may break on the way."""
        if not self.is_must:
            return False
        if self.when is not None:
            return self.when is When.ALWAYS
        if self.always_where_enforced and self.origin in PLATFORMS:
            return True
        return self.usual_when is When.ALWAYS

    def guests_named(self, fleet: Fleet) -> Collection[str] | None:
        """The guests whose moves can break it; None is any guest."""
        return None

    def check(self, view: View, focus: Focus | None = None) -> Iterator[Breach]:
        """Find every breach in *view*; with *focus* at least those that touch it."""
        raise NotImplementedError

    def bars(self, fleet: Fleet) -> Iterable[Bar]:
        """Name the hosts where guests may not end: for rules that look at one guest alone."""
        return ()

    def post(self, exact: Exact) -> None:
        """Say it on the exact model; a rule that `bars` says in full has nothing to add."""

    def arrays(self, tables: Tables) -> None:
        """Say it on the tables of the local search, as far as `bars` doesn't."""

    def remedy_for(self, breach: Breach) -> str:
        """Say what would resolve *breach*, in words."""
        return self.remedy.format(
            rule=self.label,
            host=breach.host or "the host",
            resource=breach.resource or "room",
            domain=getattr(self, "domain", "host"),
        )

    @property
    def label(self) -> str:
        """Its name, or its kind where it has none."""
        return self.name or self.kind


PLATFORMS: frozenset[str] = frozenset({"pve", "nova"})
