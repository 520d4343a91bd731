# SPDX-License-Identifier: Apache-2.0
"""What an engine found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Found:
    """A placement with the value of each tier, and what is known of how good it could get.

    Attributes:
        placement: host of each guest.
        values: of each tier.
        bounds: of each tier, given that no tier before it gets worse than its value; None is
            not known. A tier is proved where its bound equals its value and all before it are
            proved too.
        finished: whether the engine came to its own end; False is cut by a limit.
        by_clock: whether it was the wall clock that cut it.
    """

    placement: Indices
    values: tuple[int, ...]
    bounds: tuple[int | None, ...]
    finished: bool = True
    by_clock: bool = False

    @property
    def proved(self) -> int:
        """How many tiers, from the first on, are proved optimal."""
        count = 0
        for value, bound in zip(self.values, self.bounds, strict=True):
            if bound is None or bound < value:
                break
            count += 1
        return count
