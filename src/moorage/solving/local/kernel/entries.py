# SPDX-License-Identifier: Apache-2.0
"""What Python calls of the search: one compiled entry, because each holds a copy of all it calls.

Compiling takes half as long as with an entry for each.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from moorage.solving.local.kernel import building
from moorage.solving.local.kernel import walk as walking
from moorage.solving.local.kernel.jit import entry

WALK, HEAL, LEVEL, DESCEND, DRAIN = range(5)
_NO_GUESTS: Final = np.zeros(0, dtype=np.int32)
_NO_HOSTS: Final = np.zeros(0, dtype=np.int64)
_walk, _heal, _level = walking.walk, building.heal, building.level
_descend, _drain = building.descend, building.drain


@entry
def _run(
    state: Any,
    task: Any,
    steps: Any,
    heat: Any,
    flag: Any,
    last: Any,
    swaps: Any,
    chains: Any,
    seconds: Any,
    homeward: Any,
    sets: Any,
    fall: Any,
    heap: Any,
    key: Any,
) -> Any:
    """Do one of the tasks."""
    if task == WALK:
        _walk(state, steps, heat, flag, last, swaps, chains, seconds, homeward, sets)
    elif task == HEAL:
        _heal(state, steps, sets, flag)
    elif task == LEVEL:
        _level(state, steps, fall, heap, key)
    elif task == DESCEND:
        _descend(state, steps)
    else:
        _drain(state, fall)


def walk(
    state: Any,
    steps: int,
    heat: float,
    hard: bool,
    last: int,
    swaps: float,
    chains: float,
    seconds: float,
    homeward: float,
    gathered: Any,
) -> None:
    """Make *steps* proposals to the *last* largest guests, at one heat."""
    shares = (float(swaps), float(chains), float(seconds), float(homeward))
    none = (_NO_GUESTS, _NO_HOSTS, _NO_HOSTS)
    _run(state, WALK, steps, float(heat), bool(hard), last, *shares, gathered, *none)


def heal(state: Any, tries: int, gathered: Any, relief: bool) -> None:
    """Mend what is broken; with *relief* take guests off hosts that have too much."""
    none = (_NO_GUESTS, _NO_HOSTS, _NO_HOSTS)
    _run(state, HEAL, tries, 0.0, bool(relief), 0, 0.0, 0.0, 0.0, 0.0, gathered, *none)


def level(state: Any, column: int, fall: Any, heap: Any, key: Any) -> None:
    """Bring guests, one after another, to hosts that lack most of a column."""
    _run(state, LEVEL, column, 0.0, False, 0, 0.0, 0.0, 0.0, 0.0, _NO_HOSTS, fall, heap, key)


def descend(state: Any, steps: int) -> None:
    """Send guests home, shift and swap while that helps, for at most so many tries."""
    none = (_NO_HOSTS, _NO_GUESTS, _NO_HOSTS, _NO_HOSTS)
    _run(state, DESCEND, steps, 0.0, False, 0, 0.0, 0.0, 0.0, 0.0, *none)


def drain(state: Any, order: Any) -> None:
    """Empty hosts in *order*, where all of their guests find room on others in use."""
    none = (_NO_HOSTS, _NO_HOSTS)
    _run(state, DRAIN, 0, 0.0, False, 0, 0.0, 0.0, 0.0, 0.0, _NO_HOSTS, order, *none)
