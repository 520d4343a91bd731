# SPDX-License-Identifier: Apache-2.0
"""Building many values without stopping to look for cycles among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_cycle_search() -> Iterator[None]:
    """Keep Python's cycle collector from running.

    Documents and fleets have no cycles, but hundreds of thousands of values, and each new
    thousand makes the collector look at all of them again: more than half of the time that
    reading takes. What isn't used any more is freed as ever.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
