# SPDX-License-Identifier: Apache-2.0
"""The local search on fleets small enough to be followed by hand."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from moorage.model.rule import Breach
from moorage.model.view import View
from moorage.problem import REPAIRS, Clock, Limits, Objective, Tier, compile_fleet, plain
from moorage.rules.headroom import Headroom
from moorage.solving.local import LocalSearch
from moorage.solving.local.layout import EVALUATED
from moorage.solving.local.leaving import leavers
from tests.tiny import fleet, guest, host

if TYPE_CHECKING:
    import pytest


def test_a_descent_ends_where_moves_cost_nothing() -> None:
    """Guests that may go out and home again for nothing don't keep a descent busy."""
    problem = compile_fleet(fleet([host("a"), host("b")], [guest("u", "a"), guest("v", "a")]))
    prices = np.array([[1, 0], [0, 0]], dtype=np.int64)  # u gains by going to b, v by nothing
    goal = Objective(**{**plain(problem), "place_price": prices})
    search = LocalSearch(problem, (REPAIRS, Tier("goal", objective=goal)))
    assert search.polish(problem.start)[0] == 1
    assert search.assembly.state.num[EVALUATED] < 100


def test_a_search_whose_time_is_over_gives_back_what_it_was_given() -> None:
    """No time at all is a time like any other: nothing is searched, and it counts as cut."""
    guests = [guest(f"g{i}", "a") for i in range(6)]
    problem = compile_fleet(fleet([host("a"), host("b")], guests))
    search, clock = LocalSearch(problem, (REPAIRS,)), Clock(Limits())
    found = search.improve(problem.start, clock, 1.0, window_s=0.0)
    assert np.array_equal(found, problem.start)
    assert clock.cut
    assert not clock.spent


def test_sums_are_told_apart_by_what_guests_add_up_to() -> None:
    """Tables stay small where loads are next to nothing: their base may be far below zero."""
    problem = compile_fleet(fleet([host("a"), host("b")], [guest(g, "a") for g in "uvwx"]))
    fields, sizes = plain(problem, dimensions=1, levels=1), 2_000_000 + np.arange(4)
    fields["amounts"][:, 0] = sizes
    fields["base"][:, 0] = 1 - sizes.sum()
    fields["low"][:] = -sizes.sum()
    fields["price"][:] = 1
    search = LocalSearch(problem, (REPAIRS, Tier("goal", objective=Objective(**fields))))
    search.values(problem.start)
    state = search.assembly.state
    column = int(np.flatnonzero(state.hosts.price)[0])
    tracemalloc.start()
    leaving = leavers(state, column, search.assembly.gathered, False)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(leaving) == 1
    assert most < 2**20


def test_a_rule_that_has_to_be_asked_is_asked_once_of_a_placement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether a placement is admissible and what it is worth take one survey of headroom."""
    rule, asked = Headroom(name="spare", lose=1), []
    check = Headroom.check

    def counted(self: Headroom, view: View) -> Iterable[Breach]:
        asked.append(view)
        return check(self, view)

    hosts = [host(name) for name in "abc"]
    problem = compile_fleet(fleet(hosts, [guest("u", "a"), guest("v", "a")], rule))
    search = LocalSearch(problem, (REPAIRS,))
    monkeypatch.setattr(Headroom, "check", counted)
    for _ in range(2):
        assert search.is_admissible(problem.start)
        assert search.values(problem.start) == (0,)
    assert len(asked) == 1
