# SPDX-License-Identifier: Apache-2.0
"""The exact model that rules post themselves onto."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from moorage.model.compiled import Term
from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY
from moorage.model.resources import MEMORY
from moorage.model.rule import Breach, Rule
from moorage.problem.limits import Budget
from moorage.problem.magnitudes import refuse_dear
from moorage.problem.problem import COLLISION, NOWHERE, Problem
from moorage.solving.exact.kinds import Kind
from moorage.solving.exact.loads import Column, Loads
from moorage.solving.exact.settled import Settled, column
from moorage.solving.exact.sheet import Flat, Sheet, add_up
from moorage.solving.exact.whereabouts import Whereabouts, counted, single

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


class NotSingle(LookupError):
    """A rule named a guest that is only counted among others of its kind."""


class Model:
    """Where free guests go, what rules make of it, and what it costs.

    Attributes:
        repairs: severity of what remains broken, as terms to be added up.
        collisions: cost of should-rules, as terms to be added up.
        asked: rules whose own check has to be asked of each solution.
    """

    def __init__(
        self, problem: Problem, kinds: Sequence[Kind], hint: Indices, free: Flags, opened: Flags
    ) -> None:
        self.problem = problem
        self.sheet = Sheet()
        self.settled = Settled(problem, hint, free, opened)
        self.spots: list[Whereabouts] = [
            (single if kind.is_single else counted)(self.sheet, problem, kind, opened)
            for kind in kinds
        ]
        self.examples = [kind.example for kind in kinds]
        self.open_hosts: list[int] = opened.nonzero()[0].tolist()
        self.loads = Loads(self.sheet, self.spots, self.open_hosts)
        self.repairs: list[Term] = []
        self.collisions: list[Term] = []
        self.asked: list[Rule] = []
        self._single = {s.kind.example: s for s in self.spots if s.is_single()}
        self._standing = {(b.rule, b.where, b.resource): b for b in problem.standing.values()}
        self._memo: dict[Any, Term] = {}
        for spots in self.spots:
            self._post_bars(spots)

    # --- what rules see --------------------------------------------------------------------

    @property
    def fleet(self) -> Fleet:
        """The fleet as it is now."""
        return self.problem.fleet

    @cached_property
    def hosts(self) -> Sequence[str]:
        """The open hosts."""
        return [self.problem.hosts[host] for host in self.open_hosts]

    @cached_property
    def free(self) -> Collection[str]:
        """The guests whose host is to be found."""
        return [self.problem.guests[i] for i in self.settled.free.nonzero()[0].tolist()]

    def on(self, guest: str, host: str) -> Term:
        """1 if *guest* ends on *host*, else 0."""
        index, place = self.problem.guest_index.get(guest), self.problem.host_index.get(host)
        if index is None or place is None:
            return 0
        if not self.settled.free[index]:
            return int(self.settled.hint[index] == place)
        spots = self._spots(index)
        return spots.settled.get(place) or spots.comes.get(place, 0)

    def _spots(self, guest: int) -> Whereabouts:
        if guest not in self._single:
            raise NotSingle(self.problem.guests[guest])
        return self._single[guest]

    def among(self, guest: str, hosts: Iterable[str]) -> Term:
        """1 if *guest* ends on one of *hosts*, else 0."""
        index = self.problem.guest_index.get(guest)
        if index is not None and not self.settled.free[index]:
            place = self.settled.hint[index]  # most guests of a part: no host is looked at
            return int(place >= 0 and self.problem.hosts[place] in hosts)
        places = sorted({self.problem.host_index[h] for h in hosts})
        terms = [self.on(guest, self.problem.hosts[place]) for place in places]
        variables = [term for term in terms if not isinstance(term, int)]
        fixed = sum(term for term in terms if isinstance(term, int))
        if fixed or not variables:
            return fixed
        spots = self._spots(self.problem.guest_index[guest])
        if len(variables) == len(spots.comes) and isinstance(spots.nowhere, int):
            return 1
        if len(variables) == 1:
            return variables[0]
        key = ("among", guest, tuple(v.index for v in variables))
        if key not in self._memo:
            self._memo[key] = self.sheet.sum_of(variables, [1] * len(variables))
        return self._memo[key]

    def placed(self, guest: str) -> Term:
        """1 if *guest* ends on any host, else 0."""
        index = self.problem.guest_index.get(guest)
        if index is None:
            return 0
        if not self.settled.free[index]:
            return int(self.settled.hint[index] != NOWHERE)
        if self.problem.start[index] != NOWHERE:
            return 1
        return 1 - self._spots(index).nowhere

    def load(self, host: str, resource: str) -> Term:
        """How much of *resource* is taken on *host* at the end."""
        place = self.problem.host_index[host]
        fixed = self.settled.load(place, resource)
        if place not in self.is_open:
            return fixed
        held = resource in self.fleet.held_until_end
        return self.loads.on(place, self.column(resource), held=held) + fixed

    @cached_property
    def is_open(self) -> frozenset[int]:
        """The open hosts, by index."""
        return frozenset(self.open_hosts)

    def column(self, resource: str) -> Column:
        """What each kind of guest takes of *resource*."""
        key = ("column", resource)
        if key not in self._memo:
            self._memo[key] = column(self.settled.amounts(resource), self.examples)
        found: Column = self._memo[key]
        return found

    def pooled(self, resource: str) -> Term:
        """How much of a shared pool all guests together take at the end."""
        amounts = self.column(resource)
        fixed = sum(a * len(s.kind.members) for a, s in zip(amounts, self.spots, strict=True))
        left = [a * s.nowhere for a, s in zip(amounts, self.spots, strict=True) if a]
        return fixed + self.settled.pooled(resource) - sum(left)

    def devices(self, host: str, device: str) -> Term:
        """How many devices of a kind the guests of *host* need."""
        place, key = self.problem.host_index[host], ("device", device)
        if key not in self._memo:
            needs = self.settled.devices(device)
            fixed = [0] * len(self.problem.hosts)
            for guest in self.settled.fixed.tolist():
                fixed[self.settled.hint[guest]] += needs[guest]
            self._memo[key] = (column(needs, self.examples), fixed)
        amounts, fixed = self._memo[key]
        free = self.loads.on(place, amounts) if place in self.is_open else 0
        return free + fixed[place]

    def count(self, hosts: Iterable[str]) -> Term:
        """How many running guests end on *hosts* together."""
        places = sorted({self.problem.host_index[h] for h in hosts})
        fixed = sum(self.settled.counts[place] for place in places)
        everyone = (1,) * len(self.spots)
        return fixed + sum(self.loads.on(p, everyone) for p in places if p in self.is_open)

    def used(self, host: str) -> Term:
        """1 if any running guest ends on *host*, else 0."""
        place = self.problem.host_index[host]
        key = ("used", place)
        if key not in self._memo:
            self._memo[key] = self._used(place)
        return self._memo[key]

    def _used(self, place: int) -> Term:
        if self.settled.counts[place] or place not in self.is_open:
            return int(self.settled.counts[place] > 0)
        count = self.loads.on(place, (1,) * len(self.spots))
        flat = Flat(count)
        least, most = self.sheet.bounds_of(flat)
        if most <= 0 or least >= 1:
            return int(least >= 1)
        found = self.sheet.variable(0, 1, lambda values: int(flat.value(values) > 0))
        for spots in self.spots:
            coming = spots.comes.get(place)
            if coming is not None:
                self.sheet.model.add(coming <= self.sheet.most[coming.index] * found)
            if not spots.is_single() and place in spots.settled:
                leaving, size = spots.leaves.get(place, 0), spots.settled[place]
                self.sheet.model.add(size - leaving <= size * found)
            elif place in spots.settled:
                self.sheet.model.add(found == 1)
        self.sheet.model.add(found <= count)
        return found

    def any_of(self, terms: Sequence[Term]) -> Term:
        """1 if at least one of the 0/1 *terms* is 1, else 0."""
        return self.sheet.any_of(terms)

    def largest(self, terms: Sequence[Term], most: int) -> Term:
        """The largest of *terms*."""
        return self.sheet.extreme(terms, +1)

    def smallest(self, terms: Sequence[Term], most: int) -> Term:
        """The smallest of *terms*."""
        return self.sheet.extreme(terms, -1)

    def rising(self, term: Term, most: int) -> Term:
        """N x (n + 1) / 2 for a *term* n; 0 where it isn't positive."""
        return self.sheet.rising(term, most)

    def given(self, flag: Term, term: Term, most: int) -> Term:
        """*term* where the 0/1 *flag* is 1; else 0."""
        return self.sheet.given(flag, term, most)

    def flag(self, name: str) -> Term:
        """Return a new 0/1 variable."""
        return self.sheet.variable(0, 1, name=name)

    def need(self, *constraints: Any) -> None:
        """Add plain constraints."""
        for constraint in constraints:
            if constraint is not True:
                self.sheet.model.add(constraint)

    def ask(self, rule: Rule) -> None:
        """Have the rule's own check asked of each solution."""
        self.asked.append(rule)

    # --- what is broken --------------------------------------------------------------------

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
        """Say that *rule* is broken at *where* by *excess*, if that is positive."""
        if not rule.is_must:
            if rule.weight:
                refuse_dear(rule, self.sheet.bounds(excess)[1])
                self.collisions.append(rule.weight * self.sheet.at_least(excess))
            return
        standing = self._standing.get((rule.label, where, resource))
        if standing is None:
            if self.sheet.bounds(excess)[1] > 0:
                self.sheet.model.add(excess <= 0)
            return
        over = self.sheet.at_least(excess, standing.amount)
        self.repairs.append(over * self.problem.unit(resource))
        if self.sheet.bounds(excess)[1] > standing.amount:
            self.sheet.model.add(excess <= standing.amount)
        if not resource:
            self._keep_out(standing, excess, joining)

    def _keep_out(self, standing: Breach, excess: Term, joining: Mapping[str, Term]) -> None:
        """While an old breach lasts, guests that had no part in it don't join."""
        old = set(standing.guests)
        strangers = [term for guest, term in joining.items() if guest not in old]
        strangers = [term for term in strangers if self.sheet.bounds(term)[1] > 0]
        if not strangers or self.sheet.bounds(excess)[1] <= 0:
            return
        flat = Flat(excess)
        lasting = self.sheet.variable(0, 1, lambda values: int(flat.value(values) > 0))
        self.sheet.model.add(excess <= standing.amount * lasting)
        for term in strangers:
            self.sheet.model.add(term <= 1 - lasting)

    def _post_bars(self, spots: Whereabouts) -> None:
        """What guests break alone where they stay, and cost where they end."""
        bars, guest = self.problem.restrictions, spots.kind.example
        staying, price = int(bars.broken_at_start[guest]), bars.price[bars.row_of[guest]]
        own_price = int(bars.price_at_start[guest])
        homes = [spots.home] if spots.is_single() else list(spots.settled)
        for host in homes if staying or own_price else ():
            pairs, fixed = spots.stays(host)
            stay = fixed + sum(factor * variable for variable, factor in pairs)
            self.repairs.append(staying * COLLISION * stay)
            self.collisions.append(own_price * stay)
        for host, variable in spots.comes.items():
            if price[host] and host != spots.home:
                self.collisions.append(int(price[host]) * variable)
        if spots.is_single() and spots.home == NOWHERE:
            self.collisions.extend(int(price[host]) for host in spots.settled)

    def total_repairs(self) -> Term:
        """The severity of what remains broken."""
        return add_up(self.repairs)

    def total_collisions(self) -> Term:
        """The cost of should-rules that don't hold."""
        return add_up(self.collisions)

    # --- limits ----------------------------------------------------------------------------

    def moves(self, weights: Sequence[int]) -> Term:
        """The *weights* of the guests that move, added up."""
        variables, factors = [], []
        gone = self.settled.moved()
        fixed = sum(int(weights[guest]) for guest in gone.nonzero()[0].tolist())
        for spots in self.spots:
            pairs, constant = spots.moved()
            weight = int(weights[spots.kind.example])
            fixed += weight * constant
            for variable, factor in pairs if weight else ():
                variables.append(variable)
                factors.append(weight * factor)
        return self.sheet.sum_of(variables, factors, fixed)

    def keep_to(self, budget: Budget) -> None:
        """Post what may be moved at most."""
        if budget.moves is not None:
            self.need_at_most(self.moves([1] * len(self.problem.guests)), budget.moves)
        if budget.memory_mib is not None:
            memory = self.settled.amounts(MEMORY).tolist()
            self.need_at_most(self.moves(memory), budget.memory_mib)

    def need_at_most(self, term: Term, most: int) -> None:
        """Have *term* be at most *most*."""
        if self.sheet.bounds(term)[1] > most:
            self.sheet.model.add(term <= most)
