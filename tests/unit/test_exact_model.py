# SPDX-License-Identifier: Apache-2.0
"""The size of exact models, which decides how long they take."""

from __future__ import annotations

from moorage.problem import REPAIRS, Budget, compile_fleet
from moorage.rules.apart import Apart
from moorage.solving.exact.building import build, part_of
from tests.tiny import fleet, guest, host


def size_of(guests: int) -> int:
    """How many numbers an exact model has, of so many guests on one host that must be apart."""
    names = tuple(f"g{i}" for i in range(guests))
    apart = Apart(name="apart", guests=names)
    crowd = fleet([host("a", guests), host("b")], [guest(name, "a") for name in names], apart)
    problem = compile_fleet(crowd)
    built = build(problem, (REPAIRS,), part_of(problem, problem.start, None, None), Budget())
    return sum(len(c.linear.vars) for c in built.model.sheet.model.proto.constraints)


def test_a_crowd_that_must_be_apart_makes_no_model_of_its_square() -> None:
    """Twice as many guests on one host make the model about twice as large, not four times."""
    assert size_of(80) < 3 * size_of(40)
