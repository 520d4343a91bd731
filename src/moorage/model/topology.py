# SPDX-License-Identifier: Apache-2.0
"""The network that moves go over, and how many may go at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """Something that a move crosses when its hosts are on different sides of it.

    A cable between two switches has two sides; a switch with a limit of its own has one
    side for each port. Hosts on no side never cross it.

    Attributes:
        duplex: both directions have the full capacity.
    """

    id: str
    capacity_mbps: int
    sides: tuple[tuple[str, ...], ...]
    duplex: bool = True

    def side_of(self, host: str) -> int | None:
        """Return the number of the side that *host* is on, or None."""
        return next((i for i, side in enumerate(self.sides) if host in side), None)

    def crossed_by(self, source: str, target: str) -> bool:
        """Whether a move from *source* to *target* goes over it."""
        a, b = self.side_of(source), self.side_of(target)
        return a is not None and b is not None and a != b


@dataclass(frozen=True, slots=True)
class MoveLimits:
    """How many moves may run at the same time; None is no limit."""

    at_once: int | None = None
    into_host: int | None = None
    out_of_host: int | None = None
    over_link: int | None = None
    per_pool: int | None = None


NO_LIMITS = MoveLimits()
