# SPDX-License-Identifier: Apache-2.0
"""What lists of guests and hosts in rules have to satisfy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def refuse_twice(names: Iterable[str]) -> None:
    """Refuse a list that names anything twice: nobody can be apart from himself."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{name} is named twice")
