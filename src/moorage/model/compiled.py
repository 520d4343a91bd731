# SPDX-License-Identifier: Apache-2.0
"""How rules meet solvers: what a rule may say to them, and nothing of how they work.

A rule says the same thing in up to four forms. `check` judges a placement. `bars` names hosts
where guests may not be: enough for every rule that looks at one guest alone, and all engines
read it. What looks at several guests at once says it twice more: `post` onto the exact model,
in linear expressions, and `arrays` onto the tables of the local search, in forms that it can
follow move by move. All speak of the end of a plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from moorage.model.frozen import EMPTY

if TYPE_CHECKING:
    from moorage.model.fleet import Fleet
    from moorage.model.rule import Rule

Term: TypeAlias = Any
"""An integer, a variable or a linear expression of the exact model."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Guests that may not end on some hosts.

    Attributes:
        guests: whom it is for; None is everybody.
        hosts: where they may not be.
        but_these: they may be on *hosts* and nowhere else.
        residents_stay: one that starts on a barred host may stay on that host.
        amount: how much of a breach each guest on a barred host is.
    """

    guests: Collection[str] | None
    hosts: frozenset[str]
    but_these: bool = False
    residents_stay: bool = False
    amount: int = 1

    def bars(self, host: str) -> bool:
        """Whether it bars *host*, for somebody who doesn't start there."""
        return (host in self.hosts) != self.but_these


class Exact(Protocol):
    """The exact model, or a part of it: only some guests are free, and some hosts open.

    Guests that aren't free stay where they are put; a term for one of them is a number, and so is
    a term for a guest that is stopped (it is nowhere: 0) and for a host where a guest can't be.
    A guest that starts on a host never ends nowhere. A rule posts what concerns the open hosts
    and the free guests, and counts the others in.
    """

    @property
    def fleet(self) -> Fleet:
        """The fleet as it is now."""

    @property
    def hosts(self) -> Sequence[str]:
        """The open hosts: those that free guests may come onto or leave."""

    @property
    def free(self) -> Collection[str]:
        """The guests whose host is to be found."""

    def on(self, guest: str, host: str) -> Term:
        """1 if *guest* ends on *host*, else 0."""

    def among(self, guest: str, hosts: Iterable[str]) -> Term:
        """1 if *guest* ends on one of *hosts*, else 0."""

    def placed(self, guest: str) -> Term:
        """1 if *guest* ends on any host, else 0."""

    def load(self, host: str, resource: str) -> Term:
        """How much of *resource* is taken on *host* at the end, as a view counts it.

        That is with the disks of stopped guests, and with what moved guests still hold there.
        """

    def pooled(self, resource: str) -> Term:
        """How much of a shared pool all guests take at the end, stopped ones among them."""

    def devices(self, host: str, device: str) -> Term:
        """How many devices of a kind the guests of *host* need."""

    def count(self, hosts: Iterable[str]) -> Term:
        """How many running guests end on *hosts* together."""

    def used(self, host: str) -> Term:
        """1 if any running guest ends on *host*, else 0."""

    def any_of(self, terms: Sequence[Term]) -> Term:
        """1 if at least one of the 0/1 *terms* is 1, else 0."""

    def largest(self, terms: Sequence[Term], most: int) -> Term:
        """The largest of *terms*, none of which is negative or over *most*."""

    def smallest(self, terms: Sequence[Term], most: int) -> Term:
        """The smallest of *terms*, none of which is negative or over *most*."""

    def rising(self, term: Term, most: int) -> Term:
        """N x (n + 1) / 2 for a *term* n of at most *most*; 0 where it isn't positive."""

    def given(self, flag: Term, term: Term, most: int) -> Term:
        """*term*, of at most *most* and not negative, where the 0/1 *flag* is 1; else 0."""

    def stood(self, rule: Rule, where: str, resource: str = "") -> bool:
        """Whether *rule* was broken at *where* before anything moved."""

    def breach(
        self,
        rule: Rule,
        where: str,
        excess: Term,
        *,
        resource: str = "",
        joining: Mapping[str, Term] = EMPTY,
    ) -> None:
        """Say that *rule* is broken at *where* by *excess*, if that is positive.

        A must-rule allows no more than what stood at the start; a should-rule costs its weight
        for each point. *where* and *resource* are those of the breach that `check` finds.

        Args:
            rule: which rule.
            where: host or value of a domain, as in the breach.
            excess: by how much; zero or less is no breach.
            resource: what is exceeded, for rules that are sums.
            joining: {guest: 1 if it has part in the breach, else 0} for rules that aren't sums;
                while an old breach lasts, guests that weren't in it may not join.
        """

    def need(self, *constraints: Any) -> None:
        """Add plain constraints (comparisons of terms) that tie helping variables together."""

    def flag(self, name: str) -> Term:
        """Return a new 0/1 variable."""

    def ask(self, rule: Rule) -> None:
        """Nothing of the above says all of it: the rule's own check is asked of each solution."""


class Tables(Protocol):
    """What the local search follows: each call adds one row that has its own breaches.

    *where* and *resource* are those of the breach that `check` finds. Guests that are named but
    stopped take no part.
    """

    @property
    def fleet(self) -> Fleet:
        """The fleet as it is now."""

    def limit_hosts(self, rule: Rule, resource: str) -> None:
        """On every host what guests take of *resource* is at most what is usable there."""

    def limit_devices(self, rule: Rule, device: str) -> None:
        """On every host guests need at most as many devices of a kind as it has."""

    def limit_sum(
        self, rule: Rule, where: str, hosts: Collection[str], resource: str, at_most: int
    ) -> None:
        """What is taken of *resource* on *hosts* together is at most *at_most*.

        Counted as a view counts loads: with stopped guests' disks, and with what moved guests
        still hold on their first host.
        """

    def limit_count(self, rule: Rule, where: str, hosts: Collection[str], at_most: int) -> None:
        """At most *at_most* running guests are on *hosts* together (the resource "guests")."""

    def limit_placed(
        self, rule: Rule, where: str, weights: Mapping[str, int], at_most: int, resource: str
    ) -> None:
        """The *weights* of those running guests that have a host sum up to at most *at_most*.

        Without a *resource* the breach is no sum: while one lasts that stood at the start,
        guests that weren't in it may not join.
        """

    def limit_used(self, rule: Rule, hosts: Collection[str], at_most: int) -> None:
        """At most *at_most* of *hosts* hold guests (the resource "hosts")."""

    def spread(
        self,
        rule: Rule,
        guests: Sequence[str],
        domain: str,
        *,
        at_most: int | None,
        max_skew: int | None,
        min_domains: int | None,
    ) -> None:
        """Guests keep apart in a domain, as `apart` says; unlabelled hosts are breaches."""

    def gather(
        self, rule: Rule, guests: Sequence[str], domain: str, parts: Sequence[Collection[str]]
    ) -> None:
        """Guests share a value of a domain, or one of the parts, as `together` says."""

    def accompany(self, rule: Rule, guests: Sequence[str], to: Sequence[str], domain: str) -> None:
        """Each guest shares a value with some guest of *to*, as `near` says."""

    def seclude(self, rule: Rule, guests: Sequence[str], domain: str) -> None:
        """No outsider shares a value with any of *guests*, as `dedicated` says."""

    def separate(self, rule: Rule, groups: Sequence[Sequence[str]], domain: str) -> None:
        """No value holds guests of two groups, as `split` says."""

    def place_all(self, rule: Rule) -> None:
        """Every running guest has a host."""

    def ask(self, rule: Rule) -> None:
        """Nothing of the above says it: the rule's own check is asked at each incumbent."""
