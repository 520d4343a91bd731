# SPDX-License-Identifier: Apache-2.0
"""Whether a fleet stays as it is after its own plan: {sources, options} in, {restless} out."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import moorage
from benchmarks.workloads import open_workload
from moorage.model import Fleet, FrozenMap


def after(fleet: Fleet, placements: dict[str, str | None]) -> Fleet:
    """Return the fleet with every guest where a target puts it."""
    moved = (replace(guest, host=placements[guest.id]) for guest in fleet.guests.values())
    return fleet.changed(guests=FrozenMap({guest.id: guest for guest in moved}))


def moves_left(source: str, options: dict[str, Any]) -> tuple[int, int]:
    """Return how many guests the first solve moves, and how many the second still wants to."""
    fleet = open_workload(source)
    first = moorage.solve(fleet, **options).to_dict()
    second = moorage.solve(after(fleet, first["placements"]), **options).to_dict()
    return len(first["moves"]), len(second["moves"])


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    moved, restless = 0, []
    for source in request["sources"]:
        first, second = moves_left(source, request["options"])
        moved += first
        if second:
            restless.append({"source": source, "moves": second})
    json.dump({"moved": moved, "restless": restless}, sys.stdout)


if __name__ == "__main__":
    main()
