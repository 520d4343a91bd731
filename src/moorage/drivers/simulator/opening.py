# SPDX-License-Identifier: Apache-2.0
"""From an address or a fleet to the first state of a simulation."""

from __future__ import annotations

from collections.abc import Iterable

from moorage.drivers.simulator.address import Address, read_address
from moorage.drivers.simulator.clock import advance
from moorage.drivers.simulator.faults import Fault
from moorage.drivers.simulator.fleets import build
from moorage.drivers.simulator.machine import Simulator
from moorage.drivers.simulator.state import State, World
from moorage.model.fleet import Fleet


def begin(source: Address | Fleet, *, seed: int = 1) -> State:
    """Return the first state of a generated fleet, or of one that was read.

    Guests of a fleet that was read keep the load that was measured: nothing is made up.
    """
    if isinstance(source, Fleet):
        return State(World(fleet=source, seed=seed), seed=seed)
    return advance(State(build(source.name, source.seed), seed=source.seed), source.at_s)


def open_simulator(address: str, faults: Iterable[Fault] = ()) -> Simulator:
    """Return the simulator that `sim:NAME?seed=N&at=SECONDS` names."""
    return Simulator(begin(read_address(address)), faults=faults)
