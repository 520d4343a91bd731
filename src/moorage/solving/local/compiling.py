# SPDX-License-Identifier: Apache-2.0
"""Compiling the kernel, which takes about a minute and is kept on disk."""

from __future__ import annotations

import numpy as np

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest
from moorage.model.hosts import Host
from moorage.model.resources import MEMORY, MEMORY_RESOURCE
from moorage.problem.compiling import compile_fleet
from moorage.problem.tiers import REPAIRS
from moorage.solving.local.search import LocalSearch


def compile_kernel() -> None:
    """Call every entry of the kernel once on the smallest fleet, so that all are on disk."""
    from moorage.solving.local.kernel.entries import descend, heal, level, walk

    search = LocalSearch(compile_fleet(_smallest()), (REPAIRS,))
    handle, gathered = search.assembly.handle, search.assembly.gathered
    hosts = np.zeros(2, dtype=np.int64)
    heal(handle, 1, gathered, False)
    level(handle, 0, np.zeros(0, dtype=np.int32), hosts, hosts.copy())
    walk(handle, 1, 0.0, True, 1, 0.5, 0.0, 0.3, 0.0, gathered)
    descend(handle, 1)


def _smallest() -> Fleet:
    hosts = {name: Host(name, capacity=FrozenMap({MEMORY: 2})) for name in ("a", "b")}
    guest = Guest("g", host="a", demand=FrozenMap({MEMORY: 1}))
    return Fleet(
        hosts=FrozenMap(hosts),
        guests=FrozenMap({"g": guest}),
        resources=FrozenMap({MEMORY: MEMORY_RESOURCE}),
    )
