# SPDX-License-Identifier: Apache-2.0
"""Which guests rules ask for by name: those can't be counted among others of their kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ortools.sat.python import cp_model

from moorage.model.compiled import Term
from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY
from moorage.model.rule import Rule
from moorage.problem.problem import NOWHERE, Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


class Inquiry:
    """An exact model that answers with a variable that means nothing, and notes who was named."""

    def __init__(self, problem: Problem, hint: Indices, free: Flags, opened: Flags) -> None:
        self.problem = problem
        self.named: set[int] = set()
        self._hint = hint
        self._free = free
        self._opened = opened
        self._something: Any = cp_model.CpModel().new_bool_var("")
        self._standing = {(b.rule, b.where, b.resource) for b in problem.standing.values()}

    @property
    def fleet(self) -> Fleet:
        """The fleet as it is now."""
        return self.problem.fleet

    @cached_property
    def hosts(self) -> Sequence[str]:
        """The open hosts."""
        return [self.problem.hosts[host] for host in self._opened.nonzero()[0].tolist()]

    @cached_property
    def free(self) -> Collection[str]:
        """The guests whose host is to be found."""
        return [self.problem.guests[guest] for guest in self._free.nonzero()[0].tolist()]

    @cached_property
    def free_set(self) -> frozenset[str]:
        """The same guests, to be looked up."""
        return frozenset(self.free)

    def on(self, guest: str, host: str) -> Term:
        """Note that *guest* was named, if it can be on *host*."""
        index, place = self.problem.guest_index.get(guest), self.problem.host_index.get(host)
        if index is None or place is None:
            return 0
        if not self._free[index]:
            return int(self._hint[index] == place)
        bars = self.problem.restrictions
        if not self._opened[place] or not (
            bars.open[bars.row_of[index], place] or self.problem.start[index] == place
        ):
            return 0
        self.named.add(index)
        return self._something

    def among(self, guest: str, hosts: Iterable[str]) -> Term:
        """Note that *guest* was named, if it can be on any of *hosts*."""
        index = self.problem.guest_index.get(guest)
        if index is not None and not self._free[index]:
            place = self._hint[index]
            return int(place >= 0 and self.problem.hosts[place] in hosts)
        return max((self.on(guest, host) for host in hosts), key=_weight, default=0)

    def placed(self, guest: str) -> Term:
        """Note that *guest* was named, if it may stay nowhere."""
        index = self.problem.guest_index.get(guest)
        if index is None:
            return 0
        if not self._free[index]:
            return int(self._hint[index] != NOWHERE)
        if self.problem.start[index] != NOWHERE:
            return 1
        self.named.add(index)
        return self._something

    def load(self, host: str, resource: str) -> Term:
        """Names nobody."""
        return self._something

    def pooled(self, resource: str) -> Term:
        """Names nobody."""
        return self._something

    def devices(self, host: str, device: str) -> Term:
        """Names nobody."""
        return self._something

    def count(self, hosts: Iterable[str]) -> Term:
        """Names nobody."""
        return self._something

    def used(self, host: str) -> Term:
        """Names nobody."""
        return self._something

    def any_of(self, terms: Sequence[Term]) -> Term:
        """Names nobody."""
        return self._something

    def largest(self, terms: Sequence[Term], most: int) -> Term:
        """Names nobody."""
        return self._something

    def smallest(self, terms: Sequence[Term], most: int) -> Term:
        """Names nobody."""
        return self._something

    def rising(self, term: Term, most: int) -> Term:
        """Names nobody."""
        return self._something

    def given(self, flag: Term, term: Term, most: int) -> Term:
        """Names nobody."""
        return self._something

    def stood(self, rule: Rule, where: str, resource: str = "") -> bool:
        """Whether *rule* was broken at *where* before anything moved."""
        return (rule.label, where, resource) in self._standing

    def breach(
        self,
        rule: Rule,
        where: str,
        excess: Term,
        *,
        resource: str = "",
        joining: Mapping[str, Term] = EMPTY,
    ) -> None:
        """Names nobody: terms have named whom they are about."""

    def need(self, *constraints: Any) -> None:
        """Names nobody."""

    def flag(self, name: str) -> Term:
        """Names nobody."""
        return self._something

    def ask(self, rule: Rule) -> None:
        """Names nobody."""


def _weight(term: Term) -> int:
    return term if isinstance(term, int) else 1
