# SPDX-License-Identifier: Apache-2.0
"""The order people expect of names: pve2 before pve10."""

from __future__ import annotations

import re
from functools import lru_cache

_DIGITS = re.compile(r"([0-9]+)")


@lru_cache(maxsize=1 << 16)  # the names of a large fleet; reports sort the same ones again
def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders digits inside names by their value.

    Names that differ only in leading zeros still have different keys, so the order is total.
    """
    return tuple(
        (0, int(part), part) if part.isascii() and part.isdigit() else (1, 0, part)
        for part in _DIGITS.split(name)
        if part
    )
