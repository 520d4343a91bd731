# SPDX-License-Identifier: Apache-2.0
"""What the numbers of the challenge are called here."""

from __future__ import annotations

from typing import Final

GOAL: Final = "gmrp"
NEIGHBORHOOD: Final = "neighborhood"
LOCATION: Final = "location"
NOTE: Final = "gmrp"

MOST_RESOURCES: Final = 1_000
MOST_MACHINES: Final = 20_000
MOST_SERVICES: Final = 500_000
MOST_PROCESSES: Final = 500_000
MOST_BALANCES: Final = 10_000
"""Far more than the challenge has: 20, 5,000, 50,000, 50,000 and 10."""


def host_id(number: int) -> str:
    """Return what a machine is called."""
    return f"m{number}"


def guest_id(number: int) -> str:
    """Return what a process is called."""
    return f"p{number}"


def resource_id(number: int) -> str:
    """Return what a resource is called."""
    return f"r{number}"


def service_id(number: int) -> str:
    """Return what a service is called: the group of its processes."""
    return f"s{number}"
