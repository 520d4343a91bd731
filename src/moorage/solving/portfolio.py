# SPDX-License-Identifier: Apache-2.0
"""Which engine when: there is always an incumbent, and every tier has its bound.

Staying put is the first incumbent. Where bounds prove it best, nothing else is loaded. Small
problems go to the exact engine whole; larger ones to the local search first, then to the exact
engine part by part, then whole if the model is within its reach, then part by part again for as
long as effort and time last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from moorage.model.target import ProvedBy
from moorage.problem import Budget, Clock, Objective, Problem, Tier, values_of
from moorage.problem.bounds import lower_bounds
from moorage.solving.found import Found
from moorage.solving.neighbourhoods import Neighbourhoods
from moorage.solving.rearranging import Rearranging, Sight
from moorage.solving.windows import Edges, Windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moorage.solving.local import LocalSearch

    Indices = NDArray[np.int32]

SMALL_CELLS: Final = 200
"""Guests x hosts up to which the exact engine needs no start from the local search."""
PROVABLE_CELLS: Final = 4_000
QUICK_EFFORT: Final = 0.3
"""For a start that a proof profits from."""
WHOLE_CELLS: Final = 60_000
"""Up to which a model of the whole is worth its building."""
PART_CELLS: Final = (1_200, 2_000, 3_500, 6_000)
"""Sizes of parts: the next larger one has its turn when the one before wins nothing any more."""
SEARCH_SHARES: Final = (0.2, 0.75)
GUESTS_FOR_ALL: Final = 100_000
"""How much of the effort the local search gets: the more, the larger the fleet, because a part is
the smaller a share of it."""
CELLS_FOR_PARTS: Final = 100_000
"""Up to which parts get all that is left where loads are what costs: of a larger fleet a part is
too little of all that depends on each other."""
MOST_SEARCH: Final = 0.93
"""The last descent takes some time too."""
WINDOWS_SHARE: Final = 0.5
CELLS_FOR_WINDOWS: Final = 100_000
"""The smaller a fleet, the more a model of the whole makes of the effort."""
LOOKS: Final = 40
"""Windows that share the effort for them."""
LEAST_STEP: Final = 0.02
WINDOW_ROUNDS: Final = 10
PARTS_SHARE: Final = 0.4
IDLE_ROUNDS: Final = 25
"""Parts of one size in a row that win nothing before little is left to win with it."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found, and what its proof rests on; None if not all is proved."""

    found: Found
    proved_by: ProvedBy | None


class Portfolio:
    """One problem on its way to the best placement that effort and time allow."""

    def __init__(
        self, problem: Problem, tiers: tuple[Tier, ...], budget: Budget, clock: Clock
    ) -> None:
        self.problem = problem
        self.tiers = tiers
        self.budget = budget
        self.clock = clock
        self.proved_by: ProvedBy | None = None
        self._local: LocalSearch | None = None
        self._had_whole = False
        self._known_bounds: dict[tuple[int, ...], tuple[int | None, ...]] = {}
        self._last_shown = max((i for i, tier in enumerate(tiers) if tier.shown), default=-1)
        self.found = self._valued(problem.start)

    def run(self) -> Answer:
        """Go through the stages until everything is proved or nothing is left to spend."""
        stages = (
            self._stay, self._search, self._windows, self._parts, self._whole, self._parts,
        )  # fmt: skip
        bound = ProvedBy.BOUND
        proofs = (ProvedBy.PRESOLVE, bound, bound, bound, ProvedBy.SEARCH, bound)
        for stage, proof in zip(stages, proofs, strict=True):
            stage()
            self._tell(stage.__name__.strip("_"))
            if self.is_proved:
                self.proved_by = proof
                break
        return Answer(replace(self.found, by_clock=self.clock.cut), self.proved_by)

    @property
    def is_proved(self) -> bool:
        """Whether every tier that people see is proved optimal."""
        return self.found.proved > self._last_shown

    # --- stages --------------------------------------------------------------------------------

    def _stay(self) -> None:
        """Nothing to do but look at the bounds: staying put is the incumbent."""

    def _search(self) -> None:
        if self._cells <= SMALL_CELLS:
            return
        local = self.local
        built = local.construct(self.found.placement)
        self._take(built)
        self._tell("construct")
        if not self._gaps and not self._is_over(0.0):
            for found in self._annealed(self._search_share()):
                self._take(found)
        if self.is_proved or self.clock.is_over() or len(self.problem.guests) >= GUESTS_FOR_ALL:
            return
        self._take(local.polish(self.found.placement))

    def _search_share(self) -> float:
        """How much of what is left the annealing gets.

        Where moves are what is paid, parts win more; unless the fleet is so large that a part is
        next to nothing of it.
        """
        guests = len(self.problem.guests)
        quick = QUICK_EFFORT / max(QUICK_EFFORT, self.clock.effort_left)
        if self._is_soon_proved:
            return quick
        if guests >= GUESTS_FOR_ALL:
            return MOST_SEARCH
        if self.local.is_about_moves(self.found.placement):
            return max(quick, min(SEARCH_SHARES[0] + guests / GUESTS_FOR_ALL, SEARCH_SHARES[1]))
        goal = self._objective()
        if goal is not None and goal.price.any():
            parts = (1.0 - SEARCH_SHARES[1]) * CELLS_FOR_PARTS / self._cells
            return min(MOST_SEARCH, max(SEARCH_SHARES[1], 1.0 - parts))
        return SEARCH_SHARES[1]

    def _annealed(self, share: float) -> list[Indices]:
        """Anneal once for each worker, each with a seed and a way of its own, at the same time."""
        effort, start = self._share(share), self.found.placement
        window_s = share * self.clock.time_left
        if self.clock.limits.workers == 1:
            settles = self._settles
            return [self.local.improve(start, self.clock, effort, window_s, settles)]
        from concurrent.futures import ThreadPoolExecutor

        from moorage.solving.local import LocalSearch

        def anneal(number: int) -> Indices:
            clock = self.clock if number == 0 else self.clock.beside()
            local = LocalSearch(self.problem, self.tiers, self.budget, self._seed + number)
            return local.improve(start, clock, effort, window_s, late=number % 2 == 1)

        workers = self.clock.limits.workers
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(anneal, range(workers)))

    def _windows(self) -> None:
        """Where gaps count: look through windows, those that promise most first, then around."""
        if not self._gaps or self._cells <= SMALL_CELLS or self.is_proved:
            return
        share = min(WINDOWS_SHARE, self._cells / CELLS_FOR_WINDOWS)
        keep = self._share(1 - share)
        if self._is_soon_proved:
            keep = max(0.0, self.clock.effort_left - QUICK_EFFORT)
        each = (self.clock.effort_left - keep) / LOOKS
        for edges in self._gaps.first():
            self._look(edges, self.problem.start, each, keep)
        step = 0.5
        while step > LEAST_STEP and not self._is_over(keep):
            around = self._gaps.around(self._gaps.edges_of(self.found.placement), step)
            if not any(self._look(e, self.found.placement, each, keep) for e in around):
                step /= 2

    def _look(self, edges: Edges, start: Indices, effort: float, keep: float) -> bool:
        """Search through one window; whether that found anything better."""
        if self._is_over(keep):
            return False
        before, local = self.found.values, self._through(edges)
        window_s = self.clock.time_left / LOOKS
        found = local.improve(local.construct(start), self.clock, effort, window_s)
        self._take(found)
        sight = Sight(local, local.tiers)
        self._rearranging.descend(sight, found, PART_CELLS[0], WINDOW_ROUNDS, keep)
        self._tell("windows")
        return self.found.values < before

    def _whole(self) -> None:
        if self._cells > WHOLE_CELLS or self.clock.is_over():
            return
        self._had_whole = True
        from moorage.solving.exact import solve_exact

        effort = self._share(1.0)
        found = solve_exact(
            self.problem,
            self.tiers,
            hint=self.found.placement,
            clock=self.clock,
            effort=effort,
            budget=self.budget,
            workers=self.clock.limits.workers,
            bounds=self.found.bounds,
            judge=self._judge,
        )
        if found.values <= self.found.values:
            self.found = replace(found, bounds=_better_bounds(self.found, found))

    def _parts(self) -> None:
        """Let the exact engine rearrange one part after another around the incumbent.

        Where a model of the whole is within reach, some effort is left for that.
        """
        if self._cells <= SMALL_CELLS or self.is_proved:
            return
        if self._is_soon_proved and not self._had_whole:
            return
        last = self._cells <= WHOLE_CELLS and not self._had_whole
        keep = self._share(1 - PARTS_SHARE) if last else 0.0
        for cells in PART_CELLS:
            start = self.found.placement
            self._rearranging.descend(self._sight(), start, cells, IDLE_ROUNDS, keep)

    @property
    def _is_soon_proved(self) -> bool:
        """Whether a model of the whole will most likely prove all in a second or two."""
        return self._cells <= PROVABLE_CELLS

    def _is_over(self, keep: float) -> bool:
        """Whether to stop here, with so much effort kept for what comes later."""
        return self.is_proved or self.clock.effort_left <= keep or self.clock.is_over()

    def _sight(self) -> Sight:
        """The tiers for parts: gaps through a window as wide as they are."""
        if not self._gaps:
            return Sight(self.local, self.tiers[: self._last_shown + 1])
        local = self._through(self._gaps.edges_of(self.found.placement))
        return Sight(local, local.tiers)

    def _through(self, edges: Edges) -> LocalSearch:
        from moorage.solving.local import LocalSearch

        return LocalSearch(self.problem, self._gaps.through(edges), self.budget, self._seed)

    # --- incumbents ----------------------------------------------------------------------------

    @cached_property
    def _gaps(self) -> Windows:
        return Windows(self.problem, self.tiers)

    @property
    def _seed(self) -> int:
        return self.clock.limits.seed

    @cached_property
    def _rearranging(self) -> Rearranging:
        drawn = Neighbourhoods(self.problem, self._objective(), self._seed)
        return Rearranging(
            self.problem, self.budget, self.clock, drawn, self._is_over, self._take_part
        )

    def _take_part(self, placement: Indices) -> None:
        self._take(placement)
        self._tell("parts")

    @property
    def local(self) -> LocalSearch:
        """The local search, compiled when it is first needed."""
        if self._local is None:
            from moorage.solving.local import LocalSearch

            self._local = LocalSearch(self.problem, self.tiers, self.budget, self._seed)
        return self._local

    @property
    def _judge(self) -> Sight | None:
        """Who values placements where the rules' own checks would take long."""
        return None if self._local is None else Sight(self._local, self.tiers)

    def _valued(self, placement: Indices) -> Found:
        if self._local is not None:
            values = self._local.values(placement)
        else:
            values = values_of(self.problem, self.tiers, placement)
        return Found(placement, values, self._bounds(values))

    def _bounds(self, values: tuple[int, ...]) -> tuple[int | None, ...]:
        """Bounds given *values*: of them only how much is repaired makes a difference."""
        repairs = tuple(v for v, tier in zip(values, self.tiers, strict=True) if tier.repairs)
        if repairs not in self._known_bounds:
            self._known_bounds[repairs] = lower_bounds(self.problem, self.tiers, values)
        return self._known_bounds[repairs]

    def _take(self, placement: Indices) -> bool:
        """Make *placement* the incumbent if it is better; bounds of the same tiers stay."""
        found = self._valued(placement)
        if found.values >= self.found.values:
            return False
        self.found = replace(found, bounds=_better_bounds(self.found, found))
        return True

    def _settles(self, placement: Indices) -> bool:
        """Whether *placement* proves every tier that people see, with the bounds that there are."""
        found = self._valued(placement)
        if found.values < self.found.values:
            found = replace(found, bounds=_better_bounds(self.found, found))
        return found.proved > self._last_shown

    def _objective(self) -> Objective | None:
        """What the goal counts on hosts, for choosing where to look."""
        known = (tier.objective for tier in self.tiers if tier.objective is not None)
        return next(known, None)

    @cached_property
    def _cells(self) -> int:
        """Pairs of a guest and a host that is open to it."""
        rows = self.problem.restrictions
        return int(rows.open.sum(axis=1)[rows.row_of].sum())

    def _share(self, share: float) -> float:
        """A part of the effort that is left."""
        return share * self.clock.effort_left

    def _tell(self, phase: str) -> None:
        self.clock.tell(phase, self.clock.done, self.found.values)


def _better_bounds(old: Found, new: Found) -> tuple[int | None, ...]:
    """The larger of the bounds that still hold: those of *old* up to the first better value."""
    found: list[int | None] = []
    same = True
    for tier, bound in enumerate(new.bounds):
        earlier = old.bounds[tier] if same else None
        known = [b for b in (bound, earlier) if b is not None]
        found.append(max(known, default=None))
        same = same and old.values[tier] == new.values[tier]
    return tuple(found)


def solve_problem(
    problem: Problem, tiers: tuple[Tier, ...], clock: Clock, budget: Budget
) -> Answer:
    """Find the best placement that the limits of *clock* and *budget* allow."""
    return Portfolio(problem, tiers, budget, clock).run()
