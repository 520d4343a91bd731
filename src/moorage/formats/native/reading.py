# SPDX-License-Identifier: Apache-2.0
"""From a parsed native document to a fleet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, ValidationError, create_model

from moorage.formats.memory import no_cycle_search
from moorage.formats.native.document import BetweenEntry, FleetDocument, PricesEntry
from moorage.formats.native.faults import Fault, Guess, faults_in, refuse
from moorage.formats.native.frozen_values import freeze
from moorage.formats.native.machines import guest_of, host_of
from moorage.formats.native.normalising import normalised
from moorage.formats.native.room import Room
from moorage.formats.native.rule_forms import rule_entry
from moorage.formats.native.rulebook import Rulebook
from moorage.formats.tree import Tree
from moorage.formats.wording import shown
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Guest, Volume
from moorage.model.hosts import Host
from moorage.model.prices import NO_PRICES, BalancePrice, PairPrices, Prices
from moorage.model.topology import NO_LIMITS, Link, MoveLimits


@cache
def document_model() -> type[FleetDocument]:
    """Return the model of a whole document, with all rules that there are."""
    entry: Any = rule_entry()
    rules: Any = (list[entry], Field(default_factory=list))
    return create_model(
        "FleetDocument", __base__=FleetDocument, __doc__=FleetDocument.__doc__, rules=rules
    )


def read(tree: Tree) -> Fleet:
    """Return the fleet that *tree* describes.

    Raises:
        BadInput: a value, a key or a name makes no sense; with its place, and with all others
            that were found on the way.
    """
    with no_cycle_search():
        return _Reader(tree).fleet()


class _Reader:
    """One document on its way to a fleet. Faults are gathered; each stage ends with refusing."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        self.document = self._validated()
        self.room = Room(self.document)

    def _validated(self) -> FleetDocument:
        if not isinstance(self.tree.value, dict):
            raise self.tree.error((), "a fleet is a mapping", hint="begin with `hosts:`")
        try:
            return document_model().model_validate(normalised(self.tree.value))
        except ValidationError as error:
            refuse(self.tree, faults_in(error, document_model()))
            raise

    def fleet(self) -> Fleet:
        document, room = self.document, self.room
        self.faults += _empty_ids(document)
        hosts = FrozenMap({h: host_of(h, entry, room) for h, entry in document.hosts.items()})
        guests = FrozenMap({g: guest_of(g, entry, room) for g, entry in document.guests.items()})
        overhead = {k: room.amounts(a, ("overhead", k)) for k, a in document.overhead.items()}
        volumes = {
            v: Volume(v, entry.home, entry.size, entry.exclusive)
            for v, entry in document.volumes.items()
        }
        self._refuse()
        self._check_guests(hosts, guests, volumes)
        rulebook = Rulebook(hosts, guests, room.resources)
        rules = rulebook.read(document.rules)
        links = tuple(self._links(hosts))
        prices = self._prices(document.prices, hosts)
        self.faults += rulebook.faults
        self._refuse()
        return Fleet(
            hosts=hosts,
            guests=guests,
            rules=rules,
            resources=FrozenMap(room.resources),
            volumes=FrozenMap(volumes) if volumes else EMPTY,
            links=links,
            limits=_limits(document),
            overhead=FrozenMap(overhead) if overhead else EMPTY,
            prices=prices,
            goal=_goal(document),
            name=document.name,
            notes=freeze(document.notes),
            source=self.tree.name,
            warnings=(*self.warnings, *rulebook.warnings),
        )

    def _refuse(self) -> None:
        refuse(self.tree, [*self.room.faults, *self.faults])

    def _check_guests(
        self, hosts: Mapping[str, Host], guests: Mapping[str, Guest], volumes: Mapping[str, Volume]
    ) -> None:
        for guest in guests.values():
            if guest.host is not None and guest.host not in hosts:
                text = f"guest {guest.id} is on host {guest.host}, which is not in the fleet"
                self.warnings.append(text)
            if guest.volumes:
                self.faults += _volume_faults(guest, volumes)
        for volume in volumes.values():
            if volume.home is not None and volume.home not in hosts:
                text = f"volume {volume.id} is at home on {volume.home}, which is not in the fleet"
                self.warnings.append(text)

    def _links(self, hosts: Mapping[str, Host]) -> Iterator[Link]:
        for name, entry in self.document.links.items():
            for number, side in enumerate(entry.sides):
                for index, host in enumerate(side):
                    self._expect_host(("links", name, "sides", number, index), host, hosts)
            sides = tuple(tuple(side) for side in entry.sides)
            yield Link(name, entry.capacity, sides, entry.duplex)

    def _expect_host(
        self, path: tuple[str | int, ...], host: str, hosts: Mapping[str, Host]
    ) -> None:
        if host not in hosts:
            fault = Fault(path, f"there is no host {shown(host)}", Guess(host, hosts))
            self.faults.append(fault)

    def _prices(self, entry: PricesEntry | None, hosts: Mapping[str, Host]) -> Prices:
        if entry is None:
            return NO_PRICES
        for index, pair in enumerate(entry.balance):
            for key, name in (("of", pair.of), ("to", pair.to)):
                if name not in self.room.resources:
                    hint = Guess(name, self.room.resources)
                    path = ("prices", "balance", index, key)
                    self.faults.append(Fault(path, f"there is no resource {shown(name)}", hint))
        balance = tuple(BalancePrice(b.of, b.to, b.target, b.price) for b in entry.balance)
        weights = (entry.guest_weight, entry.group_weight, entry.pair_weight)
        return Prices(balance, *weights, self._between(entry.between, hosts))

    def _between(self, entry: BetweenEntry | None, hosts: Mapping[str, Host]) -> PairPrices | None:
        if entry is None:
            return None
        for index, host in enumerate(entry.hosts):
            self._expect_host(("prices", "between", "hosts", index), host, hosts)
        size = len(entry.hosts)
        if len(entry.matrix) != size or any(len(row) != size for row in entry.matrix):
            message = f"the matrix needs {size} rows of {size} prices, one for each host"
            self.faults.append(Fault(("prices", "between", "matrix"), message))
        return PairPrices(tuple(entry.hosts), tuple(tuple(row) for row in entry.matrix))


def _empty_ids(document: FleetDocument) -> Iterator[Fault]:
    sections: dict[str, Mapping[str, BaseModel]] = {
        "resources": document.resources,
        "pools": document.pools,
        "hosts": document.hosts,
        "guests": document.guests,
        "volumes": document.volumes,
        "links": document.links,
    }
    for section, entries in sections.items():
        if "" in entries:
            yield Fault((section, ""), "a name can't be empty", of_key=True)


def _volume_faults(guest: Guest, volumes: Mapping[str, Volume]) -> Iterator[Fault]:
    homes: dict[str, str] = {}
    for index, name in enumerate(guest.volumes):
        path = ("guests", guest.id, "volumes", index)
        volume = volumes.get(name)
        if volume is None:
            hint = Guess(name, volumes)
            yield Fault(path, f"there is no volume {shown(name)}", hint)
        elif volume.home is not None:
            homes.setdefault(volume.home, name)
            if len(homes) > 1:
                (one, first), (other, second) = list(homes.items())[:2]
                message = f"volume {first} is at home on {one}, but {second} on {other}"
                yield Fault(path, message, f"no host can run guest {guest.id} with both")
                return


def _limits(document: FleetDocument) -> MoveLimits:
    entry = document.limits
    if entry is None:
        return NO_LIMITS
    return MoveLimits(
        entry.at_once, entry.into_host, entry.out_of_host, entry.over_link, entry.per_pool
    )


def _goal(document: FleetDocument) -> GoalChoice | None:
    entry = document.goal
    return None if entry is None else GoalChoice(entry.name, freeze(entry.options))
