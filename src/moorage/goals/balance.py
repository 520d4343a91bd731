# SPDX-License-Identifier: Apache-2.0
"""Balance: hosts near the mean, by moves that pay for themselves.

One tier: imbalance plus cost of moves, all in MiB. What a host has beyond a window around the
mean costs by the MiB, more the further out. A move costs what it copies and something for the
risk. That cost obeys the triangle inequality and the windows follow from totals, not from where
guests are, so that a second run after the plan finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import PRESSURES, Measure, measure, share_of
from moorage.goals.options import MILLION, Options
from moorage.goals.residents import Residents, residents
from moorage.goals.windows import Windows, ceilings, two_sided
from moorage.model.resources import CPU, MEMORY
from moorage.problem.objective import Objective, plain
from moorage.problem.problem import Problem
from moorage.problem.tiers import REPAIRS, SHOULD, Tier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

NAME: Final = "balance"
OPTIONS: Final = ("weights", "band_percent")
PRICES: Final = np.array([16, 64, 64], dtype=np.int64)
"""Of each MiB past each of the three levels, beside those of the levels before."""
USUAL: Final = {MEMORY: Fraction(1), CPU: Fraction(1)}
MOST_WEIGHT: Final = 1000


@dataclass(frozen=True, eq=False)
class Dimension:
    """One weighed dimension, in MiB or what stands for them.

    Attributes:
        amounts: what each guest has.
        base: what each host has before any guest.
        windows: where it starts to cost.
        weight: factor of the prices, in thousandths.
    """

    amounts: Ints
    base: Ints
    windows: Windows
    weight: int


def tiers(problem: Problem, options: Options) -> tuple[Tier, ...]:
    """Repairs, should-rules, and imbalance with the cost of moves as one number."""
    return (REPAIRS, SHOULD, tier(problem, options))


def tier(problem: Problem, options: Options) -> Tier:
    """Imbalance and cost of moves, as a tier that other goals may end with."""
    return Tier(NAME, objective=objective(problem, options))


def objective(problem: Problem, options: Options) -> Objective:
    """Return imbalance and cost of moves."""
    found = list(_dimensions(problem, weights(problem, options), _band(options)))
    fields = plain(problem, len(found), levels=len(PRICES))
    for column, dimension in enumerate(found):
        fields["amounts"][:, column] = dimension.amounts
        fields["base"][:, column] = dimension.base
        fields["high"][:, :, column] = dimension.windows.high
        fields["low"][:, :, column] = dimension.windows.low
        fields["price"][:, column] = (PRICES * dimension.weight + 500) // 1000
    fields["move_price"] = problem.move_cost
    return Objective(**fields)


def _band(options: Options) -> int | None:
    """The half width of the window in millionths, if it is given."""
    percent = options.number("band_percent", most=100)
    return None if percent is None else round(percent * MILLION / 100)


def weights(problem: Problem, options: Options) -> dict[str, Fraction]:
    """Return {dimension: weight}: memory and measured CPU, unless options say otherwise."""
    fleet = problem.fleet
    own = [r.id for r in fleet.resources.values() if r.shared_total is None]
    known = sorted({*own, *PRESSURES, *USUAL})
    given = options.section("weights", known)
    found = {name: given.number(name, most=MOST_WEIGHT) for name in known}
    return {
        name: weight
        for name in known
        if (weight := USUAL.get(name, Fraction(0)) if found[name] is None else found[name])
    }


def _dimensions(
    problem: Problem, wanted: dict[str, Fraction], band: int | None
) -> Iterator[Dimension]:
    """Each dimension that anybody has, its units turned into MiB by the totals of the fleet."""
    if not problem.guests or not problem.hosts:
        return
    here = residents(problem)
    memory = measure(problem, MEMORY)
    assert memory is not None
    mib = int(memory.room[here.open].sum())
    for name, weight in wanted.items():
        found = memory if name == MEMORY else measure(problem, name)
        if found is not None and _matters(found, here) and name != MEMORY and mib:
            found = _as_mib(found, mib, int(found.room[here.open].sum()))
        # Again: where there is next to no memory, all of it may come to less than a MiB.
        if found is not None and _matters(found, here):
            yield _weighed(found, name, here, weight, band)


def _matters(found: Measure, here: Residents) -> bool:
    """Whether any guest has any of a dimension, and any host that balances gives any."""
    return bool(found.amounts.any() and found.room[here.open].any())


def _as_mib(found: Measure, mib: int, total: int) -> Measure:
    """Turn amounts into the share of all memory that they are of the whole."""
    factor = mib * MILLION // total
    return Measure(*(share_of(part, factor) for part in (found.amounts, found.base, found.room)))


def _weighed(
    found: Measure, name: str, here: Residents, weight: Fraction, band: int | None
) -> Dimension:
    one_sided = name == CPU or name in PRESSURES
    windows = ceilings(found, name, here) if one_sided else two_sided(found, here, band)
    return Dimension(found.amounts, found.base, windows, round(weight * 1000))
