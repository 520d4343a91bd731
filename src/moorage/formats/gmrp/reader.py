# SPDX-License-Identifier: Apache-2.0
"""Reading models and assignments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moorage.formats.gmrp import words
from moorage.formats.gmrp.numbers import Numbers
from moorage.formats.gmrp.words import guest_id, host_id, resource_id, service_id
from moorage.formats.source import read_text
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.prices import BalancePrice, PairPrices, Prices
from moorage.model.resources import Resource
from moorage.model.rule import Rule, When
from moorage.rules.apart import Apart
from moorage.rules.near import Near

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Service:
    """Processes that no machine holds two of."""

    spread_min: int
    needs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """A row of the model: its labels, capacities, and what a move from it costs."""

    host: Host
    move_costs: tuple[int, ...]


def read(model: str | Path, assignment: str | Path) -> Fleet:
    """Return the fleet of a *model* in which an *assignment* holds.

    Raises:
        BadInput: a text ends too early, goes on too long, or holds what is no number of
            its kind; with its line.
        NotFound: there is no such file.
        TooLarge: it has more of anything than can be read.
    """
    first, second = read_text(model), read_text(assignment)
    return _Reader(Numbers(first), Numbers(second)).fleet(f"{first.name}:{second.name}")


class _Reader:
    """Reads the sections of a model in their order, and the assignment beside them."""

    def __init__(self, numbers: Numbers, assignment: Numbers) -> None:
        self.numbers = numbers
        self.assignment = assignment
        self.resources = self._resources()
        self.names = tuple(r.id for r in self.resources)
        self.machines = self._machines()
        self.services = self._services()
        self.processes = self._processes()
        self.prices = self._prices()
        numbers.end()
        assignment.end()

    def fleet(self, source: str) -> Fleet:
        return Fleet(
            hosts=FrozenMap({m.host.id: m.host for m in self.machines}),
            guests=FrozenMap({g.id: g for g in self.processes}),
            rules=tuple(self._rules()),
            resources=FrozenMap({r.id: r for r in self.resources}),
            prices=self.prices,
            goal=GoalChoice(words.GOAL),
            notes=FrozenMap({words.NOTE: self._note()}),
            source=source,
        )

    def _note(self) -> FrozenMap[str, object]:
        """What the rules don't say: empty services, and spreads that ask for nothing."""
        ones = tuple(k for k, s in enumerate(self.services) if s.spread_min == 1)
        return FrozenMap({"services": len(self.services), "spread_of_one": ones})

    def _resources(self) -> list[Resource]:
        count = self.numbers.count("the number of resources", words.MOST_RESOURCES)
        return [self._resource(number) for number in range(count)]

    def _resource(self, number: int) -> Resource:
        transient = self.numbers.one("whether a resource is transient", most=1)
        price = self.numbers.one("the load cost of a resource")
        return Resource(resource_id(number), held_until_end=bool(transient), price=price)

    def _machines(self) -> list[Machine]:
        count = self.numbers.count("the number of machines", words.MOST_MACHINES)
        return [self._machine(number, count) for number in range(count)]

    def _machine(self, number: int, count: int) -> Machine:
        of = f"of machine {number}"
        near = self.numbers.one(f"the neighborhood {of}")
        location = self.numbers.one(f"the location {of}")
        capacity = self._amounts(f"the capacities {of}")
        safety = self._amounts(f"the safety capacities {of}")
        move_costs = tuple(self.numbers.take(count, f"the move costs {of}"))
        labels = FrozenMap({words.NEIGHBORHOOD: str(near), words.LOCATION: str(location)})
        host = Host(host_id(number), capacity=capacity, thresholds=safety, labels=labels)
        return Machine(host, move_costs)

    def _amounts(self, what: str) -> FrozenMap[str, int]:
        return FrozenMap(zip(self.names, self.numbers.take(len(self.names), what), strict=True))

    def _services(self) -> list[Service]:
        count = self.numbers.count("the number of services", words.MOST_SERVICES)
        return [self._service(number, count) for number in range(count)]

    def _service(self, number: int, count: int) -> Service:
        spread = self.numbers.one(f"the spread of service {number}")
        needed = self.numbers.count(f"the number of dependencies of service {number}", count)
        what = f"a dependency of service {number}"
        return Service(spread, tuple(self.numbers.one(what, count - 1) for _ in range(needed)))

    def _processes(self) -> list[Guest]:
        count = self.numbers.count("the number of processes", words.MOST_PROCESSES)
        return [self._process(number) for number in range(count)]

    def _process(self, number: int) -> Guest:
        of = f"of process {number}"
        service = self.numbers.one(f"the service {of}", len(self.services) - 1)
        demand = self._amounts(f"the requirements {of}")
        price = self.numbers.one(f"the move cost {of}")
        machine = self.assignment.one(f"the machine {of}", len(self.machines) - 1)
        return Guest(
            guest_id(number),
            host=host_id(machine),
            demand=demand,
            group=service_id(service),
            move_price=price,
        )

    def _prices(self) -> Prices:
        count = self.numbers.count("the number of balance costs", words.MOST_BALANCES)
        balance = tuple(self._balance() for _ in range(count))
        guest, group, pair = self.numbers.take(3, "the weights of the move costs")
        hosts = tuple(m.host.id for m in self.machines)
        between = PairPrices(hosts, tuple(m.move_costs for m in self.machines))
        return Prices(balance, guest, group, pair, between)

    def _balance(self) -> BalancePrice:
        last = len(self.names) - 1
        first = self.numbers.one("the first resource of a balance cost", last)
        second = self.numbers.one("the second resource of a balance cost", last)
        target, price = self.numbers.take(2, "target and weight of a balance cost")
        return BalancePrice(self.names[first], self.names[second], target, price)

    def _rules(self) -> Iterator[Rule]:
        """All must hold at the end; on the way only capacity counts."""
        members: list[list[str]] = [[] for _ in self.services]
        for guest in self.processes:
            members[int((guest.group or "")[1:])].append(guest.id)
        groups = [tuple(found) for found in members]
        names: dict[str, int] = {}
        for number, service in enumerate(self.services):
            yield from self._rules_of(number, service, groups, names)

    def _rules_of(
        self,
        number: int,
        service: Service,
        groups: list[tuple[str, ...]],
        names: dict[str, int],
    ) -> Iterator[Rule]:
        name, guests, when = service_id(number), groups[number], When.AT_END
        if len(guests) > 1:
            yield Apart(name=f"conflict-{name}", guests=guests, when=when)
        if service.spread_min > 1:
            yield Apart(
                name=f"spread-{name}",
                guests=guests,
                domain=words.LOCATION,
                min_domains=service.spread_min,
                when=when,
            )
        for needed in service.needs:
            wished = f"near-{name}-{service_id(needed)}"
            times = names[wished] = names.get(wished, 0) + 1
            unique = wished if times == 1 else f"{wished} ({times})"
            yield Near(
                name=unique, guests=guests, to=groups[needed], domain=words.NEIGHBORHOOD, when=when
            )
