# SPDX-License-Identifier: Apache-2.0
"""How long a plan takes at least that makes no more moves than it has to."""

from __future__ import annotations

from collections.abc import Sequence

from moorage.routing.durations import duration_of
from moorage.routing.passage import Law
from moorage.routing.searching import Hop
from moorage.routing.slots import Slots


def makespan_bound(law: Law, hops: Sequence[Hop]) -> int:
    """The longest single hop, or what some limit on moves at once makes of all that take it."""
    slots, work = Slots(law.fleet), dict[tuple[str, str], int]()
    longest = 0
    for hop in hops:
        lasts = duration_of(law.fleet, hop.unit.guests, hop.source, hop.target)
        longest = max(longest, lasts)
        for slot in slots.of(hop.unit.guests, hop.source, hop.target):
            work[slot] = work.get(slot, 0) + lasts
    return max([longest, *(-(-s // slots.limit(slot)) for slot, s in work.items())])
