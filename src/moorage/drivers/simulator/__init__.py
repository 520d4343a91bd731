# SPDX-License-Identifier: Apache-2.0
"""A platform that is only simulated: fleets, load, moves and faults, the same on every run.

A pure state machine: no threads, no clock on the wall, no input or output. `State` is a frozen
value that goes to a file and back; `Simulator` is the driver around it.
"""

from moorage.drivers.simulator.address import Address, read_address
from moorage.drivers.simulator.faults import (
    Effect,
    Fault,
    GuestVanishes,
    HostDies,
    MoveFault,
    RandomFaults,
    SlowLink,
    read_faults,
    write_faults,
)
from moorage.drivers.simulator.fleets import NAMES, build
from moorage.drivers.simulator.machine import Simulator, forecast_s
from moorage.drivers.simulator.opening import begin, open_simulator
from moorage.drivers.simulator.state import State, World
from moorage.drivers.simulator.storing import load_state, save_state, state_from_dict, state_to_dict

__all__ = [
    "NAMES",
    "Address",
    "Effect",
    "Fault",
    "GuestVanishes",
    "HostDies",
    "MoveFault",
    "RandomFaults",
    "Simulator",
    "SlowLink",
    "State",
    "World",
    "begin",
    "build",
    "forecast_s",
    "load_state",
    "open_simulator",
    "read_address",
    "read_faults",
    "save_state",
    "state_from_dict",
    "state_to_dict",
    "write_faults",
]
