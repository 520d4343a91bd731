# SPDX-License-Identifier: Apache-2.0
"""Fleets that are made up: a homelab, a cluster with racks, a cloud. One file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from moorage.drivers.simulator.fleets.cloud import cloud
from moorage.drivers.simulator.fleets.cluster import cluster
from moorage.drivers.simulator.fleets.homelab import homelab
from moorage.drivers.simulator.state import World
from moorage.model.errors import NotFound

_MAKERS: Mapping[str, Callable[[int], World]] = {
    "homelab": homelab,
    "cluster": cluster,
    "cloud": cloud,
}

NAMES = tuple(_MAKERS)


@lru_cache(maxsize=8)
def build(name: str, seed: int) -> World:
    """Return the fleet of that name: the same for the same seed, on every machine."""
    if name not in _MAKERS:
        raise NotFound(f"there is no simulated fleet {name!r}", hint=f"fleets: {', '.join(NAMES)}")
    return _MAKERS[name](seed)
