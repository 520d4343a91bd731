# SPDX-License-Identifier: Apache-2.0
"""Windows around the mean, in which load costs nothing: three levels for each host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import Measure, share_of
from moorage.goals.options import MILLION
from moorage.goals.residents import Residents
from moorage.model.resources import CPU

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

PERCENT: Final = MILLION // 100
LEAST_BAND: Final = PERCENT
MOST_BAND: Final = 10 * PERCENT
COARSE: Final = 5 * PERCENT
"""Guests that are a larger part of a host than this can't be spread as finely as the least band."""
TENTHS: Final = (10, 14, 40)
"""Where the three levels begin, in tenths of the band."""
CEILINGS: Final = {CPU: (15 * PERCENT, 70 * PERCENT)}
PRESSURE_CEILING: Final = (5 * PERCENT, 10 * PERCENT)
"""(above the mean, at least): a ceiling is the larger of the two."""


@dataclass(frozen=True, eq=False)
class Windows:
    """Bounds per level and host; within them nothing costs."""

    high: Ints
    low: Ints


@dataclass(frozen=True, slots=True)
class Mean:
    """How full hosts would be if all were equally full, and how finely that can be reached.

    Attributes:
        share: of what hosts give, in millionths.
        band: how far from it nothing costs, in millionths.
    """

    share: int
    band: int


def two_sided(found: Measure, here: Residents, band: int | None = None) -> Windows:
    """Return windows around the mean, for amounts that hosts should have equal shares of."""
    fixed = here.fixed_load(found.amounts) + found.base
    mean = mean_of(found, here, fixed, band)
    high, low = [], []
    for tenths in TENTHS:
        reach = mean.band * tenths // 10
        bottom, top = reachable(
            found,
            share_of(found.room, max(0, mean.share - reach)),
            share_of(found.room, mean.share + reach),
        )
        # What can't go away is no reason to pay, and all else on that host is one.
        high.append(np.maximum(top, fixed))
        low.append(bottom)
    highest, lowest = np.maximum.accumulate(high), np.minimum.accumulate(low)
    return _closed(highest, lowest, found, here)


def reachable(found: Measure, bottom: Ints, top: Ints) -> tuple[Ints, Ints]:
    """Bring the ends of windows to loads that guests can add up to, inside of the windows.

    What is free stays free, and nobody pays for a part of a guest. A window in which there is no
    such load becomes the two next to it. As all that is paid are multiples of one number then, the
    best placement is proved many times sooner.
    """
    unit = max(1, int(np.gcd.reduce(found.amounts, initial=0)))
    low = found.base - (found.base - bottom) // unit * unit
    high = found.base + (top - found.base) // unit * unit
    return np.maximum(0, np.minimum(low, high)), np.maximum(low, high)


def ceilings(found: Measure, name: str, here: Residents) -> Windows:
    """Return windows without a floor, for load that does no harm until there is much of it."""
    above, least = CEILINGS.get(name, PRESSURE_CEILING)
    total, of = int(found.amounts[here.counted].sum()), int(found.room[here.open].sum())
    share = max(total * MILLION // of + above, least)
    free = unlimited(found)
    high = np.maximum(share_of(found.room, share), here.fixed_load(found.amounts) + found.base)
    levels = np.stack([high, np.full_like(high, free), np.full_like(high, free)])
    return _closed(levels, np.zeros_like(levels), found, here)


def mean_of(found: Measure, here: Residents, fixed: Ints, band: int | None) -> Mean:
    """Return the mean over open hosts.

    A host whose fixed load alone is above its window is left out with that load, which may make
    another one stand out: one stuck host must not hide the others.
    """
    takes = found.amounts[here.counted]
    total, count = int(takes.sum()) + int(found.base[here.open].sum()), max(1, len(takes))
    hosts = here.open & (found.room > 0)
    while True:
        load, room = total - int(fixed[here.open & ~hosts].sum()), int(found.room[hosts].sum())
        if not room:
            return Mean(0, MOST_BAND)
        share = max(0, load) * MILLION // room
        mean = Mean(share, band_of(share, int(hosts.sum()), count) if band is None else band)
        stuck = hosts & (fixed > share_of(found.room, mean.share + mean.band))
        if not stuck.any():
            return mean
        hosts = hosts & ~stuck


def band_of(share: int, hosts: int, guests: int) -> int:
    """Return the half width of a window: wider where a typical guest is a large part of a host."""
    typical = share * hosts // guests
    return min(MOST_BAND, max(LEAST_BAND, (typical - COARSE) // 2))


def unlimited(found: Measure) -> int:
    """Return an amount that no host can pass."""
    return int(found.amounts.sum()) + int(found.base.max(initial=0))


def _closed(high: Ints, low: Ints, found: Measure, here: Residents) -> Windows:
    """Let hosts that don't balance pay for nothing, except for sending their guests away.

    A host that admits nobody keeps whom it has: they are not there to fill other hosts.
    """
    closed = ~here.open
    high[:, closed] = unlimited(found)
    low[:, closed] = here.staying_load(found.amounts)[closed]
    return Windows(high, low)
