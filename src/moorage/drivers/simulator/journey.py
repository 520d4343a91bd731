# SPDX-License-Identifier: Apache-2.0
"""What a move has to do: its stages, and the network that it goes over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from moorage.drivers.simulator.faults import Effect, SlowLink
from moorage.drivers.simulator.state import State
from moorage.drivers.simulator.tasks import Phase, Stage, Task
from moorage.model.fleet import Fleet
from moorage.model.guests import Dirtying, Guest, GuestKind
from moorage.model.plan import Action
from moorage.model.resources import DISK_PREFIX, MEMORY

USUAL_MBPS = 1000
"""Bandwidth of a host that says nothing about it."""

USUAL_DIRTYING = Dirtying(hot_mib=5, hot_period_ms=2000)
"""What a virtual machine writes that says nothing about it, as BtrPlace assumes."""

STOP_S = 5
START_S = {GuestKind.VM: 15, GuestKind.CONTAINER: 5, GuestKind.MICROVM: 1}


def prepare(state: State, action: Action, task_id: str) -> Task:
    """Return the task that *action* begins with."""
    fleet = state.world.fleet
    guest = fleet.guests[action.guest]
    stages = _stages(fleet, guest, action.source)
    live = any(stage.phase is Phase.MEMORY for stage in stages)
    dirt = (guest.dirtying or USUAL_DIRTYING) if live else Dirtying()
    return Task(
        id=task_id,
        guest=guest.id,
        source=action.source,
        target=action.target,
        started_s=state.now_s,
        stages=stages,
        copy_kib=sum(stage.left_kib for stage in stages),
        wait_s=sum(stage.left_s for stage in stages),
        hot_kib=dirt.hot_mib * 1024,
        hot_kib_s=dirt.hot_mib * 1024 * 1000 // max(1, dirt.hot_period_ms),
        cold_kib_s=dirt.cold_kib_s,
        full_kib_s=path_kib_s(state, action.source, action.target),
    )


def _stages(fleet: Fleet, guest: Guest, source: str | None) -> tuple[Stage, ...]:
    disk_kib = 1024 * local_disk_mib(fleet, guest)
    memory_kib = 1024 * fleet.demand_of(guest.id).get(MEMORY, 0)
    disks = (Stage(Phase.DISKS, disk_kib),) if disk_kib else ()
    start = Stage(Phase.START, left_s=START_S[guest.kind])
    if guest.stopped:
        return disks or (Stage(Phase.STOP, left_s=1),)
    if source is None:
        return (start,)
    if guest.kind is GuestKind.VM:
        return (*disks, Stage(Phase.MEMORY, memory_kib))
    if guest.kind is GuestKind.CONTAINER:
        return (Stage(Phase.STOP, left_s=STOP_S), *disks, start)
    return (Stage(Phase.DISKS, disk_kib + memory_kib), start)


def local_disk_mib(fleet: Fleet, guest: Guest) -> int:
    """What *guest* has on pools that hosts don't share, and that has to be copied."""
    shared = fleet.shared_pools
    disks = ((r, amount) for r, amount in guest.demand.items() if r.startswith(DISK_PREFIX))
    return sum(amount for r, amount in disks if r not in shared)


def kib_s(mbps: int) -> int:
    """KiB a second out of Mb/s: a ninth in MiB, because protocols take their part."""
    return mbps * 1024 // 9


def _segments(state: State, source: str | None, target: str) -> Iterator[tuple[str, int]]:
    """The pieces of network between two hosts, each with its Mb/s."""
    if source is None:
        return
    yield f"out of {source}", _mbps(state, source)
    yield f"into {target}", _mbps(state, target)
    for link in state.world.fleet.links:
        if link.crossed_by(source, target):
            side = f" from {link.side_of(source)}" if link.duplex else ""
            yield f"over {link.id}{side}", link.capacity_mbps


def _mbps(state: State, host: str) -> int:
    full = state.world.fleet.hosts[host].bandwidth_mbps or USUAL_MBPS
    slow = (f for f in state.faults if isinstance(f, SlowLink) and f.host == host)
    return full * min((f.permille for f in slow if f.holds(state.now_s)), default=1000) // 1000


def path_kib_s(state: State, source: str | None, target: str) -> int:
    """What the path between two hosts carries when nobody else is on it."""
    return max(1, kib_s(min((mbps for _, mbps in _segments(state, source, target)), default=9)))


def shares(state: State) -> dict[str, int]:
    """Return {task: KiB a second}: moves over the same piece of network get equal parts of it.

    What one of them can't use because it is held up elsewhere is not given to the others.
    """
    paths = {
        task.id: dict(_segments(state, task.source, task.target))
        for task in state.running
        if task.copies and not stands_still(task, state.now_s)
    }
    users = Counter(segment for path in paths.values() for segment in path)
    return {
        task: min(kib_s(mbps) // users[segment] for segment, mbps in path.items())
        for task, path in paths.items()
    }


def stands_still(task: Task, now_s: int) -> bool:
    """Whether a fault holds *task* up now."""
    if task.fault is None or task.struck_s is None:
        return False
    if task.fault.effect is Effect.HANG:
        return True
    return task.fault.effect is Effect.STALL and now_s < task.struck_s + task.fault.for_s
