# SPDX-License-Identifier: Apache-2.0
"""Packing fleets that no model of the whole is made of."""

from __future__ import annotations

import moorage
from moorage.verifying import is_refused, verify
from tests.tiny import fleet, guest, host


def test_hosts_are_emptied_where_all_of_their_guests_find_room() -> None:
    """Of sixty hosts, each a third full, twenty remain in use: full to the brim."""
    hosts = [host(f"h{i}", 12) for i in range(60)]
    guests = [guest(f"g{i}", f"h{i // 2}", 2) for i in range(120)]
    made = fleet(hosts, guests)
    found = moorage.solve(made, goal="pack", effort=0.1)
    used = {place for place in found.target.placements.values() if place is not None}
    assert len(used) == 20
    assert not is_refused(verify(made, dict(found.target.placements)))
