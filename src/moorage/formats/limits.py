# SPDX-License-Identifier: Apache-2.0
"""What a document may be at most: larger ones are refused before they cost anything."""

from __future__ import annotations

from typing import Final

MAX_BYTES: Final = 64 << 20
"""Of a file, and of what it unpacks to. 30,000 guests take about 6 MiB."""

MAX_DEPTH: Final = 100
"""Of lists and mappings inside each other; a fleet needs eight."""

MAX_NODES: Final = 5_000_000
"""Values of a document once its aliases are written out."""

MAX_PLACED_CHARS: Final = 5 << 20
"""A YAML text up to this length is read a second time to tell the line of an error."""

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
"""Numbers in arrays and databases have 64 bits."""

MAX_INT_DIGITS: Final = 25
"""No number of more digits fits; not even converted, because that takes quadratic time."""


def expansion_limit(chars: int) -> int:
    """Return how many values a text of *chars* characters may expand to.

    A template that many guests share through an alias stays far below; a bomb, in which
    aliases multiply, does not.
    """
    return min(MAX_NODES, 100_000 + 10 * chars)


def fits_int64(number: int) -> bool:
    """Whether *number* has at most 64 bits."""
    return MIN_INT <= number <= MAX_INT


LONGEST_NAME: Final = 1_000
"""Characters in the name of a host, a guest or a resource."""
