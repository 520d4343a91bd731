# SPDX-License-Identifier: Apache-2.0
"""The local search on fleets small enough to be followed by hand."""

from __future__ import annotations

import numpy as np

from moorage.problem import REPAIRS, Objective, Tier, compile_fleet, plain
from moorage.solving.local import LocalSearch
from moorage.solving.local.layout import EVALUATED
from tests.tiny import fleet, guest, host


def test_a_descent_ends_where_moves_cost_nothing() -> None:
    """Guests that may go out and home again for nothing don't keep a descent busy."""
    problem = compile_fleet(fleet([host("a"), host("b")], [guest("u", "a"), guest("v", "a")]))
    prices = np.array([[1, 0], [0, 0]], dtype=np.int64)  # u gains by going to b, v by nothing
    goal = Objective(**{**plain(problem), "place_price": prices})
    search = LocalSearch(problem, (REPAIRS, Tier("goal", objective=goal)))
    assert search.polish(problem.start)[0] == 1
    assert search.assembly.state.num[EVALUATED] < 100
