# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are the same everywhere: xorshift64*, and no global state."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from moorage.solving.local.kernel.jit import inlined


@inlined
def draw(random: Any) -> Any:
    """Return 64 random bits; the high ones are the better ones."""
    x = random[0]
    x ^= x >> uint64(12)
    x ^= x << uint64(25)
    x ^= x >> uint64(27)
    random[0] = x
    return x * uint64(0x2545F4914F6CDD1D)


@inlined
def below(random: Any, limit: Any) -> Any:
    """Return a random integer of at least 0 and below *limit*."""
    return int64(((draw(random) >> uint64(32)) * uint64(limit)) >> uint64(32))


@inlined
def fraction(random: Any) -> Any:
    """Return a random number of at least 0 and below 1."""
    return (draw(random) >> uint64(11)) * (1.0 / 9007199254740992.0)
