# SPDX-License-Identifier: Apache-2.0
"""Writing models and assignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from moorage.formats.gmrp.services import services_of
from moorage.formats.gmrp.words import GOAL, LOCATION, NEIGHBORHOOD, NOTE
from moorage.formats.losses import Losses
from moorage.model.errors import Unsupported
from moorage.model.fleet import Fleet
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.natural import natural_key

FLEET_FIELDS: Final = frozenset(
    {
        *("hosts", "guests", "rules", "resources", "prices", "goal"),
        *("name", "notes", "source", "warnings"),
    }
)
HOST_FIELDS: Final = frozenset({"id", "name", "capacity", "thresholds", "labels"})
GUEST_FIELDS: Final = frozenset({"id", "name", "kind", "host", "demand", "group", "move_price"})
MOST_DIGITS: Final = 18
RESOURCE_FIELDS: Final = frozenset({"id", "unit", "held_until_end", "price"})


def write_model(fleet: Fleet) -> str:
    """Return *fleet* as the text of a model. Machines and processes are in natural order.

    Raises:
        Unsupported: the challenge has no numbers for what the fleet holds.
    """
    losses = Losses("a GMRP model")
    model = _Model(fleet, losses)
    losses.refuse()
    lines = list(model.lines())
    losses.refuse()
    return "\n".join(lines) + "\n"


def write_solution(fleet: Fleet, placement: Mapping[str, str | None]) -> str:
    """Return *placement* as an assignment; guests that it doesn't name stay where they are.

    Raises:
        Unsupported: a guest has no host there.
    """
    number = {host: str(i) for i, host in enumerate(sorted(fleet.hosts, key=natural_key))}
    found = []
    for guest in sorted(fleet.guests, key=natural_key):
        host = placement[guest] if guest in placement else fleet.placement[guest]
        if host is None or host not in number:
            raise Unsupported(f"an assignment has no number for {guest}, which has no host")
        found.append(number[host])
    return " ".join(found) + "\n"


class _Model:
    """Writes the sections of a model in their order; what is lost goes to *losses*."""

    def __init__(self, fleet: Fleet, losses: Losses) -> None:
        self.fleet = fleet
        self.losses = losses
        self.hosts = [fleet.hosts[h] for h in sorted(fleet.hosts, key=natural_key)]
        self.guests = [fleet.guests[g] for g in sorted(fleet.guests, key=natural_key)]
        self.resources = sorted(fleet.resources, key=natural_key)
        self.index = {resource: i for i, resource in enumerate(self.resources)}
        self.services = services_of(fleet, self.guests, losses)
        self._check()

    def _check(self) -> None:
        losses, fleet = self.losses, self.fleet
        losses.check_fields("the fleet", fleet, FLEET_FIELDS)
        for resource in fleet.resources.values():
            losses.check_fields(f"resource {resource.id}", resource, RESOURCE_FIELDS)
        for host in self.hosts:
            losses.check_fields(f"host {host.id}", host, HOST_FIELDS)
        for guest in self.guests:
            losses.check_fields(f"guest {guest.id}", guest, GUEST_FIELDS)
        if fleet.goal is not None and fleet.goal.name != GOAL:
            losses.add(f"goal {fleet.goal.name}")
        between = fleet.prices.between
        if between is not None and set(between.hosts) != set(fleet.hosts):
            losses.add("prices between hosts of which some are not in the fleet")
        for price in fleet.prices.balance:
            if not {price.of, price.to} <= self.index.keys():
                losses.add(f"a balance price of {price.of} to {price.to}")
        for note in sorted(fleet.notes.keys() - {NOTE}):
            losses.add(f"note {note}")

    def lines(self) -> Iterator[str]:
        yield str(len(self.resources))
        for resource in (self.fleet.resources[r] for r in self.resources):
            yield f"{int(resource.held_until_end)} {resource.price}"
        yield str(len(self.hosts))
        for host, costs in zip(self.hosts, self._move_costs(), strict=True):
            yield self._machine(host, costs)
        yield str(len(self.services))
        for service in self.services:
            yield f"{service.spread_min} {len(service.needs)}"
            if service.needs:
                yield _row(service.needs)
        yield str(len(self.guests))
        numbers = self._service_numbers()
        for guest in self.guests:
            yield self._process(guest, numbers[guest.id])
        yield from self._balance_and_weights()

    def _machine(self, host: Host, costs: list[int]) -> str:
        labels = [self._label(host, label) for label in (NEIGHBORHOOD, LOCATION)]
        capacity = [host.capacity.get(r, 0) for r in self.resources]
        # A resource without a threshold costs nothing up to its capacity.
        safety = [host.thresholds.get(r, host.capacity.get(r, 0)) for r in self.resources]
        return _row([*labels, *capacity, *safety, *costs])

    def _label(self, host: Host, label: str) -> int:
        value = host.labels.get(label, "")
        if not value.isascii() or not value.isdigit() or len(value) > MOST_DIGITS:
            self.losses.add(f"host {host.id} whose {label} is no number")
            return 0
        return int(value)

    def _move_costs(self) -> Iterator[list[int]]:
        between = self.fleet.prices.between
        if between is None:
            yield from ([0] * len(self.hosts) for _ in self.hosts)
            return
        place = {host: i for i, host in enumerate(between.hosts)}
        order = [place[host.id] for host in self.hosts]
        for row in order:
            yield [between.matrix[row][column] for column in order]

    def _service_numbers(self) -> dict[str, int]:
        return {g: number for number, s in enumerate(self.services) for g in s.guests}

    def _process(self, guest: Guest, service: int) -> str:
        amounts = [guest.demand.get(r, 0) for r in self.resources]
        return _row([service, *amounts, guest.move_price])

    def _balance_and_weights(self) -> Iterator[str]:
        prices = self.fleet.prices
        yield str(len(prices.balance))
        for price in prices.balance:
            yield _row([self.index[price.of], self.index[price.to], price.target])
            yield str(price.price)
        yield _row([prices.guest_weight, prices.group_weight, prices.pair_weight])


def _row(numbers: list[int] | tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
