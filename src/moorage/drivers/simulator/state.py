# SPDX-License-Identifier: Apache-2.0
"""The whole of a simulation at one instant: a frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field

from moorage.drivers.simulator.faults import Fault, GuestVanishes, HostDies
from moorage.drivers.simulator.load import Profile
from moorage.drivers.simulator.tasks import Task
from moorage.model.fleet import Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.hosts import HostState


@dataclass(frozen=True, slots=True)
class World:
    """What a simulation starts from, and what never changes in it.

    Attributes:
        name: of a fleet that is generated; empty for one that was read.
        seed: of all chance: sizes, loads, disturbances.
        fleet: hosts and guests at second 0.
        good: a placement without any violation, known because the fleet was made from it.
        profiles: how busy guests are; one without a profile keeps its measured load.
        steal_permille: CPU that a host loses to something that nobody sees.
    """

    fleet: Fleet
    name: str = ""
    seed: int = 1
    good: FrozenMap[str, str | None] = EMPTY
    profiles: FrozenMap[str, Profile] = EMPTY
    steal_permille: FrozenMap[str, int] = EMPTY


@dataclass(frozen=True, slots=True)
class State:
    """A simulation at second *now_s*.

    Attributes:
        seed: of the chance of random faults.
        moved: guests that are not where they started, and where they are.
        running: moves on their way, in the order in which they were started.
        ended: moves that are over, by their ids.
    """

    world: World
    seed: int = 1
    now_s: int = 0
    moved: FrozenMap[str, str] = EMPTY
    running: tuple[Task, ...] = ()
    ended: FrozenMap[str, Task] = field(default=EMPTY)
    faults: tuple[Fault, ...] = ()

    def host_of(self, guest: str) -> str | None:
        """Where *guest* is; a guest on the move is still on its source."""
        return self.moved.get(guest) or self.world.fleet.placement.get(guest)

    def is_dead(self, host: str) -> bool:
        """Whether *host* doesn't answer."""
        if self.world.fleet.hosts[host].state is HostState.DOWN:
            return True
        return self.dead_since(host) is not None

    def dead_since(self, host: str) -> int | None:
        """The second since when *host* is dead through a fault; None if it isn't."""
        deaths = (f for f in self.faults if isinstance(f, HostDies) and f.host == host)
        return min((f.at_s for f in deaths if f.holds(self.now_s)), default=None)

    def is_gone(self, guest: str) -> bool:
        """Whether *guest* was deleted."""
        return any(
            isinstance(f, GuestVanishes) and f.guest == guest and f.at_s <= self.now_s
            for f in self.faults
        )

    def task_of(self, guest: str) -> Task | None:
        """The move that *guest* is on."""
        return next((t for t in self.running if t.guest == guest), None)

    def holds(self, guest: str) -> tuple[str, ...]:
        """The hosts whose room *guest* takes: both ends of its move until that has ended."""
        task, here = self.task_of(guest), self.host_of(guest)
        ends = (here, task.target if task is not None else None)
        return tuple(host for host in ends if host is not None)

    def held_on(self, host: str) -> tuple[str, ...]:
        """The guests that take room on *host*, whether they run there or are on their way."""
        guests = [g for g in self.world.fleet.guests if self.host_of(g) == host]
        coming = [t.guest for t in self.running if t.target == host]
        return tuple(g for g in dict.fromkeys((*guests, *coming)) if not self.is_gone(g))
