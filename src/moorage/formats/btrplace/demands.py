# SPDX-License-Identifier: Apache-2.0
"""Constraints that change what is there or how it is used, and make no rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from moorage.formats.btrplace.elements import Mapping
from moorage.formats.btrplace.tally import Tally
from moorage.formats.btrplace.views import MOST_AMOUNT, Views
from moorage.formats.cursor import Cursor, floored
from moorage.model.hosts import HostState

MOST_RATIO: Final = 10**6
PERMILLE: Final = 1000


@dataclass(slots=True)
class Demands:
    """What has to become of hosts, guests and amounts.

    Attributes:
        preserved: (guest, resource) to what the guest is given from now on.
        overbooked: (host, resource) to how often it may be given out.
    """

    mapping: Mapping
    views: Views
    tally: Tally
    preserved: dict[tuple[str, str], int] = field(default_factory=dict)
    overbooked: dict[tuple[str, str], int] = field(default_factory=dict)
    must_run: set[str] = field(default_factory=set)
    must_stop: set[str] = field(default_factory=set)
    must_be_on: set[str] = field(default_factory=set)
    must_be_off: set[str] = field(default_factory=set)

    def resource(self, row: Cursor) -> str:
        """Return the resource that a constraint names: `rc`, or `rcId` in old files."""
        cursor = row.optional("rc") or row.required("rcId")
        name = cursor.name()
        if name not in self.views.resources:
            cursor.fail(f"no view has the resource {name!r}")
        return name

    def vms(self, row: Cursor) -> tuple[str, ...]:
        """Return the VMs of a constraint: `vms`, or the one `vm`."""
        many = row.optional("vms")
        return (self.mapping.vms.one(row.required("vm")),) if many is None else self._many(many)

    def _many(self, cursor: Cursor) -> tuple[str, ...]:
        return self.mapping.vms.many(cursor)

    def nodes(self, row: Cursor) -> tuple[str, ...]:
        """Return the nodes of a constraint: `nodes`, or the one `node`."""
        many = row.optional("nodes")
        if many is None:
            return (self.mapping.nodes.one(row.required("node")),)
        return self.mapping.nodes.many(many)

    # --- constraints ---------------------------------------------------------------------------

    def preserve(self, row: Cursor) -> None:
        """A guest is given this much instead of what it takes now; of several, the most."""
        resource, amount = self.resource(row), row.required("amount").whole(MOST_AMOUNT)
        for guest in self.vms(row):
            key = (guest, resource)
            self.preserved[key] = max(amount, self.preserved.get(key, 0))

    def overbook(self, row: Cursor) -> None:
        """A host gives out a multiple of what it has; of several ratios, the least."""
        ratio = floored(row.required("ratio").number(MOST_RATIO), PERMILLE)
        resource = self.resource(row)
        for host in self.nodes(row):
            key = (host, resource)
            self.overbooked[key] = min(ratio, self.overbooked.get(key, ratio))

    def online(self, row: Cursor) -> None:
        """A host has to be on."""
        self.must_be_on.update(self.nodes(row))

    def offline(self, row: Cursor) -> None:
        """A host has to be off."""
        self.must_be_off.update(self.nodes(row))

    def running(self, row: Cursor) -> None:
        """A guest has to run."""
        self.must_run.update(self.vms(row))

    def stopping(self, row: Cursor) -> None:
        """A guest has to be ready, asleep or gone."""
        self.must_stop.update(self.vms(row))

    # --- what follows --------------------------------------------------------------------------

    def state_of(self, host: str) -> HostState:
        """Return the state of *host*; warn where Moorage won't bring about what is asked."""
        if host in self.mapping.offline:
            if host in self.must_be_on:
                self.tally.element("hosts that should be started stay down", host)
            elif host not in self.must_be_off:
                self.tally.element("hosts that may be started stay down", host)
            return HostState.DOWN
        if host not in self.must_be_off:
            return HostState.ACTIVE
        if host in self.must_be_on:
            self.tally.element("hosts that should be on and off are in maintenance", host)
        return HostState.MAINTENANCE

    def is_stopped(self, guest: str) -> bool:
        """Whether *guest* is off, and nothing asks it to run; warn where it should stop."""
        if guest in self.must_stop:
            if guest in self.mapping.running:
                self.tally.element("guests that should be stopped keep running", guest)
            elif guest in self.must_run:
                self.tally.element("guests that should run and be stopped will run", guest)
        return guest not in self.mapping.running and guest not in self.must_run

    def host_of(self, guest: str) -> str | None:
        """Where *guest* is; one that is woken up may go anywhere."""
        asleep = self.mapping.sleeping.get(guest)
        if asleep is not None and guest in self.must_run:
            self.tally.element("sleeping guests that should run are placed anew", guest)
            return None
        return self.mapping.running.get(guest, asleep)

    def given(self, guest: str, resource: str) -> int:
        """How much *guest* takes of *resource*."""
        amount = self.preserved.get((guest, resource))
        return self.views.resources[resource].demand(guest) if amount is None else amount
