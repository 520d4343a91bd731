# SPDX-License-Identifier: Apache-2.0
"""The verifier and a brute-force evaluation of the invariant sentences say the same."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from hypothesis import given, settings

from moorage.model.fleet import Fleet
from moorage.model.plan import Plan
from moorage.model.rule import When
from moorage.rules.registry import registry
from moorage.rules.together import Together
from tests.oracle.invariants import INVARIANTS
from tests.oracle.random_fleets import random_case, random_case_of
from tests.oracle.random_plans import random_plan_case, random_plan_case_of
from tests.property.agreement import (
    Tally,
    differences_at_end,
    differences_in_limits,
    differences_on_the_way,
)
from tests.strategies import Placement, placed_fleets, planned_fleets

PLACEMENTS = 6_000
PLANS = 3_000
OF_A_KIND = 400
# A guest that has no host can't lose it: on the way nobody else becomes unplaced.
NEVER_NEW_ON_THE_WAY = {"placed"}

ORACLE = Path(__file__).parent.parent / "oracle"
FOREIGN = ("moorage.rules", "moorage.verifying", "moorage.model.view")


@pytest.mark.parametrize("module", ["instants", "invariants", "limits", "replay"])
def test_the_oracle_shares_nothing_with_what_it_judges(module: str) -> None:
    """The oracle imports neither rules nor the verifier nor the view that rules look at."""
    tree = ast.parse((ORACLE / f"{module}.py").read_text("utf-8"))
    froms = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    plain = [n.name for node in ast.walk(tree) if isinstance(node, ast.Import) for n in node.names]
    names = [
        n.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for n in node.names
    ]
    assert not [name for name in (*froms, *plain) if name.startswith(FOREIGN)]
    assert "moorage.model" not in froms, "the package itself would bring the view along"
    assert "View" not in names


def test_the_oracle_knows_every_rule() -> None:
    """Each kind of rule that there is has its sentence evaluated, and no other."""
    assert set(INVARIANTS) == set(registry())


def test_placements_are_judged_alike() -> None:
    """On random placements a rule has a breach exactly where its sentence doesn't hold."""
    tally = Tally()
    for seed in range(PLACEMENTS):
        differences = list(differences_at_end(*random_case(random.Random(seed)), tally))
        assert not differences, f"seed {seed}: {differences}"
    assert not tally.lacks(set(registry()), 20)


@pytest.mark.parametrize("kind", registry())
def test_placements_under_one_rule_are_judged_alike(kind: str) -> None:
    """Each kind of rule, drawn alone, is held and broken often, and always judged alike."""
    tally = Tally()
    for seed in range(OF_A_KIND):
        fleet, placement = random_case_of(kind, random.Random(f"{kind} {seed}"))
        differences = list(differences_at_end(fleet, placement, tally))
        assert not differences, f"seed {seed}: {differences}"
    assert not tally.lacks({kind}, OF_A_KIND // 20)


def test_plans_are_judged_alike() -> None:
    """At each instant of a random plan a rule is reported as new exactly where it newly fails."""
    tally = Tally()
    for seed in range(PLANS):
        differences = list(differences_on_the_way(*random_plan_case(random.Random(seed)), tally))
        assert not differences, f"seed {seed}: {differences}"
    ambient = {kind for kind, cls in registry().items() if cls.ambient} - NEVER_NEW_ON_THE_WAY
    assert not tally.lacks(ambient, 5)


@pytest.mark.parametrize("kind", registry())
def test_plans_under_one_rule_are_judged_alike(kind: str) -> None:
    """Each kind of rule, made to bind always, is reported at the instants where it fails."""
    tally = Tally()
    for seed in range(OF_A_KIND):
        fleet, plan = random_plan_case_of(kind, random.Random(f"{kind} {seed}"))
        differences = list(differences_on_the_way(fleet, plan, tally))
        assert not differences, f"seed {seed}: {differences}"
    assert not tally.lacks({kind} - NEVER_NEW_ON_THE_WAY, 3)


def test_limits_are_judged_alike() -> None:
    """Moves at once are counted alike at each instant, for each limit, to the same figure."""
    tally = Tally()
    for seed in range(PLANS):
        fleet, plan = random_plan_case(random.Random(seed))
        if seed % 2:  # half of the fleets hold some guests together all the way
            pair = Together(name="pair", guests=tuple(fleet.guests)[:3], when=When.ALWAYS)
            fleet = fleet.changed(rules=(*fleet.rules, pair))
        differences = list(differences_in_limits(fleet, plan, tally))
        assert not differences, f"seed {seed}: {differences}"
    assert {"at", "into", "out", "over", "on"} == set(tally.broken)
    assert min(tally.broken.values()) > 20


@settings(max_examples=500)
@given(placed_fleets())
def test_any_placement_is_judged_alike(case: tuple[Fleet, Placement]) -> None:
    """Whatever fleet and placement hypothesis thinks of, the two agree on every rule."""
    assert not list(differences_at_end(*case, Tally()))


@settings(max_examples=500)
@given(planned_fleets())
def test_any_plan_is_judged_alike(case: tuple[Fleet, Plan]) -> None:
    """Whatever plan hypothesis thinks of, the two agree on every rule, instant and limit."""
    assert not list(differences_on_the_way(*case, Tally()))
    assert not list(differences_in_limits(*case, Tally()))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_many_placements_are_judged_alike(part: int) -> None:
    """Two hundred thousand fleets hold no placement that the two judge differently."""
    for seed in range(10_000 + part, 210_000, 8):
        differences = list(differences_at_end(*random_case(random.Random(seed)), Tally()))
        assert not differences, f"seed {seed}: {differences}"


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_many_plans_are_judged_alike(part: int) -> None:
    """Fifty thousand plans hold no instant that the two judge differently."""
    for seed in range(10_000 + part, 60_000, 8):
        fleet, plan = random_plan_case(random.Random(seed))
        differences = [
            *differences_on_the_way(fleet, plan, Tally()),
            *differences_in_limits(fleet, plan, Tally()),
        ]
        assert not differences, f"seed {seed}: {differences}"
