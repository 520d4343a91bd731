# SPDX-License-Identifier: Apache-2.0
"""From a fleet to a target: statuses, limits, and what is said of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import moorage
from moorage.decide import Decision, Request
from moorage.model import BadInput, Fleet, FrozenMap, HostState, Rule
from moorage.model.fleet import GoalChoice
from moorage.model.target import Status
from moorage.rules.apart import Apart
from moorage.rules.pin import Pin
from moorage.rules.together import Together
from moorage.verifying import verify
from tests.tiny import fleet, guest, host

GIB = 1024


def lopsided(*rules: Rule) -> Fleet:
    """Everything on one of three hosts."""
    guests = [guest(f"g{i}", "a", 8 * GIB) for i in range(6)]
    return fleet([host(name, 64 * GIB) for name in "abc"], guests, *rules)


def moved(decision: Decision) -> dict[str, str]:
    return {move.guest: move.target for move in decision.target.moves}


def applied(before: Fleet, decision: Decision) -> Fleet:
    """The fleet after its moves."""
    guests = {
        g.id: replace(g, host=decision.target.placements[g.id]) for g in before.guests.values()
    }
    return before.changed(guests=FrozenMap(guests))


def test_a_lopsided_fleet_is_evened_out_and_then_rests() -> None:
    """Guests spread over the hosts; a second run after that finds nothing to do."""
    before = lopsided()
    first = moorage.solve(before)
    assert first.target.status is Status.OPTIMAL
    assert first.target.score_after > first.target.score_before
    hosts = [h for h in first.target.placements.values() if h]
    assert sorted(hosts.count(name) for name in "abc") == [2, 2, 2]
    assert len(first.target.moves) == 4
    second = moorage.solve(applied(before, first))
    assert second.target.status is Status.OPTIMAL
    assert not second.target.moves


def test_rules_are_held() -> None:
    """Guests that must be apart end apart, those that belong together end together."""
    rules = (
        Apart(name="far", guests=("g0", "g1")),
        Together(name="near", guests=("g2", "g3")),
        Pin(name="here", guests=("g4",), hosts=("b",)),
    )
    decision = moorage.solve(lopsided(*rules))
    found = decision.target.placements
    assert found["g0"] != found["g1"]
    assert found["g2"] == found["g3"]
    assert found["g4"] == "b"
    assert not decision.is_refused


def test_a_contradiction_between_rules_is_a_conflict_and_the_rest_is_answered() -> None:
    """Two guests that must share a host and must not: named; a third is still evacuated."""
    rules = (
        Apart(name="far", guests=("g0", "g1")),
        Together(name="near", guests=("g0", "g1")),
    )
    hosts = [host("a", 64), host("b", 64), host("c", 64, state=HostState.MAINTENANCE)]
    guests = [guest("g0", "a"), guest("g1", "b"), guest("g2", "c")]
    decision = moorage.solve(fleet(hosts, guests, *rules))
    assert decision.target.status is Status.CONFLICT
    assert decision.target.contradiction is not None
    names = {s.name for s in decision.target.contradiction.statements}
    assert {"far", "near"} <= names
    assert decision.target.placements["g2"] in ("a", "b")


def test_a_guest_larger_than_every_host_is_infeasible_and_stops_nobody() -> None:
    """The large one is named with what each host lacks; the other finds a host."""
    guests = [guest("huge", None, 100), guest("small", None, 1)]
    decision = moorage.solve(fleet([host("a"), host("b")], guests))
    assert decision.target.status is Status.INFEASIBLE
    assert decision.target.placements["huge"] is None
    assert decision.target.placements["small"] in ("a", "b")
    assert decision.target.exhausted is not None
    assert decision.target.exhausted.cause == "guest_too_large"
    (stuck,) = decision.target.stuck
    assert stuck.guest == "huge"
    assert stuck.code == "no_capacity_memory"
    assert stuck.hosts == {"no_capacity_memory": 2}


def test_a_host_in_maintenance_is_emptied() -> None:
    """Whoever is on a host in maintenance leaves it, whatever the goal."""
    hosts = [host("a", 10, state=HostState.MAINTENANCE), host("b", 10)]
    for goal in ("balance", "pack", "few-moves", "evacuate"):
        decision = moorage.solve(fleet(hosts, [guest("g", "a")]), goal=goal)
        assert decision.target.placements == {"g": "b"}, goal
        assert decision.target.moves[0].code == "maintenance"


def test_pack_empties_a_host_or_moves_nothing() -> None:
    """Packing frees a host where one can be freed, and moves nobody where none can."""
    hosts = [host(name, 10) for name in "abc"]
    loose = [guest("g0", "a", 4), guest("g1", "b", 4), guest("g2", "c", 2)]
    decision = moorage.solve(fleet(hosts, loose), goal="pack")
    assert len(set(decision.target.placements.values())) == 1
    full = [guest("g0", "a", 6), guest("g1", "b", 6), guest("g2", "c", 6)]
    assert not moorage.solve(fleet(hosts, full), goal="pack").target.moves


def test_a_limit_on_moves_is_kept() -> None:
    """With two moves at most, two guests move at most, and never into something worse."""
    decision = moorage.solve(lopsided(), max_moves=2)
    assert 1 <= len(decision.target.moves) <= 2
    assert decision.target.score_after > decision.target.score_before


@pytest.mark.parametrize(
    ("hosts", "guests"),
    [([], []), ([], ["g"]), (["a"], [])],
    ids=["nothing", "no hosts", "no guests"],
)
def test_an_empty_fleet_has_an_answer(hosts: list[str], guests: list[str]) -> None:
    """No hosts, no guests or neither: an answer, with the guests that have no host named."""
    decision = moorage.solve(fleet([host(h) for h in hosts], [guest(g) for g in guests]))
    assert decision.target.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.CONFLICT)
    assert (decision.target.status is Status.OPTIMAL) == (not guests)
    json.dumps(decision.to_dict())


def test_hosts_without_any_capacity_hold_nobody() -> None:
    """Guests that take room find none; those that take nothing find a host."""
    guests = [guest("needy", None, 1), guest("modest", None, 0)]
    decision = moorage.solve(fleet([host("a", 0), host("b", 0)], guests))
    assert decision.target.status is Status.INFEASIBLE
    assert decision.target.placements["needy"] is None
    assert decision.target.placements["modest"] is not None


def test_amounts_of_two_to_the_forty_don_t_overflow() -> None:
    """A petabyte of memory in MiB is planned like a gigabyte."""
    size = 2**40
    guests = [guest(f"g{i}", "a", size) for i in range(4)]
    decision = moorage.solve(fleet([host(h, 8 * size) for h in "ab"], guests))
    assert decision.target.status is Status.OPTIMAL
    assert sorted(decision.target.placements.values()) == ["a", "a", "b", "b"]  # type: ignore[type-var]


def test_amounts_beyond_any_machine_are_refused_with_their_place() -> None:
    """What could overflow is refused before anything is computed from it."""
    with pytest.raises(BadInput, match="at most") as refused:
        moorage.solve(fleet([host("a", 2**60)], [guest("g", "a", 2**60)]))
    assert refused.value.place == "guests.g.memory"


def test_a_thousand_rules_on_one_guest_are_answered() -> None:
    """Many rules on one guest cost time, not sense."""
    rules = [Apart(name=f"r{i}", guests=("g0", f"g{i % 5 + 1}")) for i in range(1000)]
    decision = moorage.solve(lopsided(*rules))
    found = decision.target.placements
    assert all(found[f"g{i}"] != found["g0"] for i in range(1, 6))


def test_the_same_question_has_the_same_answer() -> None:
    """Two runs print the same bytes."""
    first, second = (json.dumps(moorage.solve(lopsided(), seed=7).to_dict()) for _ in range(2))
    assert first == second


def test_what_bounds_prove_is_deterministic_however_short_the_time() -> None:
    """Time cuts nothing of an answer that is proved before any search, and telling cuts nothing."""
    rested = fleet([host(name, 64 * GIB) for name in "ab"], [guest("g", "a", GIB)])
    decision = moorage.solve(rested, goal="few-moves", time_s=1e-6, watch=lambda _: None)
    assert decision.target.status is Status.OPTIMAL
    assert decision.target.deterministic


def test_more_workers_say_that_another_run_may_differ() -> None:
    """With two workers the answer isn't called deterministic."""
    decision = moorage.solve(lopsided(), workers=2)
    assert not decision.target.deterministic
    assert any("workers" in warning for warning in decision.warnings)


def test_limits_that_make_no_sense_are_refused() -> None:
    """Time, effort and workers have to be positive, moves can't be negative."""
    for limit in ({"time_s": 0.0}, {"effort": -1.0}, {"workers": 0}, {"max_moves": -1}):
        with pytest.raises(BadInput):
            moorage.solve(lopsided(), **limit)


def test_an_unknown_goal_is_refused_with_those_that_there_are() -> None:
    """A typo in a goal is an error, never another goal."""
    with pytest.raises(BadInput) as refused:
        moorage.solve(lopsided(), goal="balanse")
    assert "balance" in (refused.value.hint or "")


def test_options_without_a_goal_are_of_the_one_that_is_taken() -> None:
    """Options are never dropped: they add to those of the fleet's own goal, or the default's."""
    own = lopsided().changed(goal=GoalChoice("balance", FrozenMap({"band_percent": 3})))
    asked = Request(options={"weights": {"memory": 2}})
    assert asked.goal_for(own).options == {"band_percent": 3, "weights": {"memory": 2}}
    with pytest.raises(BadInput, match="band_percent"):
        moorage.solve(lopsided(), options={"band_percent": -1})


def test_what_is_solved_verifies() -> None:
    """The verifier, which shares no code with the engines, finds nothing new broken."""
    decision = moorage.solve(lopsided(Apart(name="far", guests=("g0", "g1", "g2"))))
    found = verify(decision.fleet, dict(decision.target.placements))
    assert not [v for v in found if not v.pre_existing]


def test_those_who_watch_are_told() -> None:
    """A callback of the library sees the phases go by."""
    seen: list[str] = []
    moorage.solve(lopsided(), watch=lambda progress: seen.append(progress.phase))
    assert seen
