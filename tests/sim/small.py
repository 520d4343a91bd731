# SPDX-License-Identifier: Apache-2.0
"""A small fleet for tests of the simulator, and how its moves are run."""

from __future__ import annotations

from typing import Any

from moorage.drivers.base import Progress
from moorage.drivers.simulator import Simulator, begin
from moorage.model import (
    CPU,
    MEMORY,
    STANDARD_RESOURCES,
    Action,
    Fleet,
    FrozenMap,
    Guest,
    Host,
    Resource,
    Rule,
    disk,
)

GIB = 1024
LOCAL = disk("local")


def host(name: str, **fields: Any) -> Host:
    """A host with 16 GiB, 8 cores, a local pool and a network of 9 Gb/s: 1 GiB a second."""
    usual: dict[str, Any] = {
        "capacity": FrozenMap({MEMORY: 16 * GIB, CPU: 8_000, LOCAL: 500 * GIB}),
        "bandwidth_mbps": 9 * 1024,
        "cores": 8,
    }
    return Host(id=name, **(usual | fields))


def guest(name: str, on: str | None = "a", memory_gib: int = 4, **fields: Any) -> Guest:
    """A virtual machine of 4 GiB, with no disk of its own, on host a."""
    demand = {MEMORY: memory_gib * GIB, CPU: 1_000, LOCAL: fields.pop("disk_gib", 0) * GIB}
    return Guest(id=name, host=on, demand=FrozenMap(demand), vcpus=1, **fields)


def fleet(*guests: Guest, rules: tuple[Rule, ...] = (), **hosts: dict[str, Any]) -> Fleet:
    """Hosts a, b and c with these guests; `a={...}` changes fields of a host."""
    return Fleet(
        hosts=FrozenMap({name: host(name, **hosts.get(name, {})) for name in "abc"}),
        guests=FrozenMap({g.id: g for g in guests}),
        rules=rules,
        resources=STANDARD_RESOURCES.with_items({LOCAL: Resource(LOCAL, "MiB")}),
    )


def simulator(*guests: Guest, **more: Any) -> Simulator:
    """A simulator of such a fleet."""
    faults = more.pop("faults", ())
    return Simulator(begin(fleet(*guests, **more)), faults=faults)


def move(simulated: Simulator, name: str, target: str) -> str:
    """Start to move a guest from where it is; return the task."""
    return simulated.start(Action(name, simulated.state.host_of(name), target))


def finish(simulated: Simulator, task: str, within_s: int = 10_000) -> Progress:
    """Let time go on second by second until a task has ended."""
    for _ in range(within_s):
        if simulated.state.ended.get(task) is not None:
            break
        simulated.advance(1)
    return simulated.poll(task)


def lasts_s(simulated: Simulator, task: str) -> int:
    """How long a task took, from its start to its end."""
    began_s = simulated.now_s
    finish(simulated, task)
    return simulated.now_s - began_s


def where(simulated: Simulator, name: str) -> str | None:
    """Where a guest is seen in a fresh snapshot."""
    return simulated.snapshot().guests[name].host
