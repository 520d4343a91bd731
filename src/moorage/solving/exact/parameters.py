# SPDX-License-Identifier: Apache-2.0
"""How CP-SAT is set up."""

from __future__ import annotations

from typing import Any, Final

DETERMINISTIC_PER_UNIT: Final = 1.0
"""CP-SAT's own measure of work for a unit of effort: about a second of one core."""
FIRST_ATTEMPT: Final = 0.5
VARIABLES_PER_UNIT: Final = 1_500
"""A model so much larger gets a unit more at the first attempt."""
GROWTH: Final = 2.0
ATTEMPTS_OF_ONE_LENGTH: Final = 4
MOST_FOR_CORES: Final = 4_000
"""Variables up to which every other attempt goes by cores, which finds nothing and proves much."""


def attempt_of(number: int, variables: int) -> float:
    """How much effort an attempt gets.

    How long a proof takes depends on luck, by a factor of fifty and more between two seeds. So
    several short attempts come before longer ones; each starts from what those before found.
    """
    first = max(FIRST_ATTEMPT, variables / VARIABLES_PER_UNIT)
    return float(first * GROWTH ** (number // ATTEMPTS_OF_ONE_LENGTH))


def goes_by_cores(number: int, variables: int) -> bool:
    """Whether an attempt looks for proofs alone, from what is known to be hard to reach."""
    return number % 2 == 1 and variables <= MOST_FOR_CORES


def parameters(
    chosen: Any, *, effort: float, seconds: float, seed: int, workers: int, cores: bool
) -> None:
    """Fill in CP-SAT's parameters.

    All constraints go into the linear relaxation: loads and prices are linear, and a stronger
    relaxation proves fleets of ten hosts up to four times sooner. That the objective has to get
    below the incumbent is a constraint of the relaxation too, which makes proofs more even.
    """
    chosen.num_workers = workers
    chosen.random_seed = seed
    chosen.linearization_level = 2
    chosen.add_objective_cut = True
    chosen.optimize_with_core = cores
    chosen.max_deterministic_time = effort * DETERMINISTIC_PER_UNIT
    chosen.max_time_in_seconds = seconds
