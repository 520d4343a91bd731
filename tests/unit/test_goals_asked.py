# SPDX-License-Identifier: Apache-2.0
"""How goals are asked for: names, options, and what is wrong with them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from moorage.goals import DEFAULT, GOALS, goal_tiers
from moorage.model.errors import BadInput, TooLarge
from moorage.model.fleet import Fleet, GoalChoice
from moorage.model.frozen import FrozenMap
from moorage.model.resources import Resource
from moorage.problem import compile_fleet
from tests.conftest import REPOSITORY
from tests.tiny import fleet, guest, host

SHAPED = {"free-slots": {"shape": {"memory": 1}}}


def tiny() -> Fleet:
    """Two hosts, two guests."""
    return fleet([host("h1"), host("h2")], [guest("a", "h1", 4), guest("b", "h1", 2)])


def ask(name: str, **options: Any) -> list[tuple[str, bool]]:
    """Return (name, shown) of the tiers."""
    choice = GoalChoice(name, FrozenMap(options))
    return [(tier.name, tier.shown) for tier in goal_tiers(compile_fleet(tiny()), choice)]


def test_without_a_choice_it_is_balance() -> None:
    """Nobody has to know the name of a goal."""
    assert DEFAULT == "balance"
    found = goal_tiers(compile_fleet(tiny()))
    assert [tier.name for tier in found] == ["repairs", "should-rules", "balance"]


@pytest.mark.parametrize("name", GOALS)
def test_rules_come_before_every_goal(name: str) -> None:
    """The first tier is what is broken of must-rules; each tier after it says something else."""
    tiers = goal_tiers(compile_fleet(tiny()), GoalChoice(name, FrozenMap(SHAPED.get(name, {}))))
    assert tiers[0].repairs == 1
    assert all(tier.repairs == 0 for tier in tiers[1:])
    assert any(tier.shown and tier.objective is not None for tier in tiers)


@pytest.mark.parametrize("name", [name for name in GOALS if name not in SHAPED])
@pytest.mark.parametrize("empty", [Fleet(), fleet([host("h")], []), fleet([], [guest("g")])])
def test_empty_fleets_have_every_goal(name: str, empty: Fleet) -> None:
    """No goal stumbles where there is nothing to plan."""
    problem = compile_fleet(empty)
    for tier in goal_tiers(problem, GoalChoice(name)):
        if tier.objective is not None:
            assert tier.objective.value(problem, problem.start) == 0


@pytest.mark.parametrize("name", ["proxlb", "gmrp", "kronos"])
def test_compatibility_goals_show_their_own_number_alone(name: str) -> None:
    """Results of such a goal list one tier."""
    assert [tier for tier, shown in ask(name) if shown] == [name]


@pytest.mark.parametrize(
    ("name", "options", "place", "text"),
    [
        ("balnce", {}, "goal.name", "no goal 'balnce'"),
        ("balance", {"bands": 1}, "goal.options.bands", "no option bands"),
        ("balance", {"band_percent": -1}, "goal.options.band_percent", "number 0 to 100"),
        ("balance", {"band_percent": float("nan")}, "goal.options.band_percent", "number"),
        ("balance", {"band_percent": 10**400}, "goal.options.band_percent", "number 0 to 100"),
        ("balance", {"weights": 3}, "goal.options.weights", "a mapping"),
        ("balance", {"weights": {"mem": 1}}, "goal.options.weights.mem", "no option mem"),
        ("balance", {"weights": {"cpu": True}}, "goal.options.weights.cpu", "number"),
        ("evacuate", {"weight": {}}, "goal.options.weight", "no option"),
        ("pack", {"x": 1}, "goal.options.x", "no option x"),
        ("free-slots", {}, "goal.options.shape", "needs the shape"),
        ("free-slots", {"shape": {"memory": "4G"}}, "goal.options.shape.memory", "whole number"),
        ("free-slots", {"shape": {"gpu": 1}}, "goal.options.shape.gpu", "no option gpu"),
        ("proxlb", {"balanciness": 6}, "goal.options.balanciness", "1 to 5"),
        ("proxlb", {"method": 5}, "goal.options.method", "a word"),
        ("proxlb", {"w_balance": 1.5}, "goal.options.w_balance", "whole number"),
        ("kronos", {"policies": [{}]}, "goal.options.policies.0.name", "no name"),
        ("kronos", {"policies": [3]}, "goal.options.policies.0", "no mapping"),
        ("kronos", {"policies": 3}, "goal.options.policies", "a list"),
    ],
)
def test_what_is_wrong_has_its_place(
    name: str, options: dict[str, Any], place: str, text: str
) -> None:
    """An unknown goal or option, or a value that makes no sense, is refused where it stands."""
    with pytest.raises(BadInput, match=re.escape(text)) as caught:
        ask(name, **options)
    assert caught.value.place == place


def test_hints_name_what_was_meant() -> None:
    """Who mistypes a goal or an option is told the nearest one."""
    with pytest.raises(BadInput) as caught:
        ask("balnce")
    assert "did you mean balance?" in str(caught.value.hint).lower()
    with pytest.raises(BadInput) as caught:
        ask("balance", bandpercent=3)
    assert "band_percent" in str(caught.value.hint)


def test_prices_beyond_64_bits_are_refused() -> None:
    """A sum that no engine can count is an error, never a wrong number."""
    dear = (Resource("memory", "MiB", price=2**62),)
    problem = compile_fleet(fleet([host("h")], [guest("g", "h", 2**20)], resources=dear))
    with pytest.raises(TooLarge):
        goal_tiers(problem, GoalChoice("gmrp"))


@pytest.mark.parametrize("name", GOALS)
def test_every_goal_and_option_is_documented(name: str) -> None:
    """docs/goals.md has a section for each goal, which names each of its options."""
    page = (REPOSITORY / "docs" / "goals.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert [o for o in GOALS[name].options if f"`{o}`" not in sections[name]] == []
