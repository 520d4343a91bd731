# SPDX-License-Identifier: Apache-2.0
"""Fleets and wishes that make no sense, or hardly any: an answer or a typed error, in time."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import moorage
from moorage.decide import Decision
from moorage.goals import GOALS
from moorage.model import BadInput, Fleet, FrozenMap, HostState, Rule
from moorage.model.errors import MoorageError, TooLarge
from moorage.model.guests import Load
from moorage.model.resources import CPU_RESOURCE, Resource
from moorage.model.rule import Strength
from moorage.model.target import Status
from moorage.problem import compile_fleet
from moorage.problem.magnitudes import POINT
from moorage.problem.problem import COLLISION
from moorage.rules.apart import Apart
from moorage.rules.ban import Ban
from moorage.rules.group_capacity import GroupCapacity
from moorage.rules.guest_count import GuestCount
from moorage.rules.near import Near
from moorage.rules.pin import Pin
from moorage.rules.prefer import Prefer
from moorage.rules.split import Split
from moorage.rules.together import Together
from tests.tiny import fleet, guest, host

MOST_CPU_S = 30.0
"""Of any one question here: ten times what the slowest takes, compiled kernels apart."""
THOUSAND = tuple(f"g{i}" for i in range(1000))
DISK = Resource("disk:local", "MiB")
SOFT = Resource("soft", hard=False)
HELD = Resource("held", held_until_end=True)


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """Compile the kernel of the local search, once and for all questions."""
    crowd = fleet([host(h, 90) for h in "abcdefgh"], [guest(f"g{i}", "a") for i in range(200)])
    moorage.solve(crowd, effort=0.02)


def asked(fleet: Fleet, goal: str = "balance", **more: Any) -> Decision | MoorageError:
    """Return the answer or the typed error, which has to come in time and to be printable."""
    options = {"shape": {"memory": 1}} if goal == "free-slots" else {}
    began = time.process_time()
    try:
        decision = moorage.solve(fleet, goal, **{"effort": 0.1, "options": options, **more})
    except MoorageError as error:
        return error
    finally:
        assert time.process_time() - began < MOST_CPU_S
    json.dumps(decision.to_dict(), allow_nan=False)
    assert not decision.is_refused
    return decision


def answered(fleet: Fleet, goal: str = "balance", **more: Any) -> Decision:
    """Return the answer, which there has to be."""
    found = asked(fleet, goal, **more)
    assert isinstance(found, Decision), found
    return found


def crowd(count: int, *rules: Rule, hosts: str = "abc", room: int = 2000) -> Fleet:
    """So many guests of one MiB on the first of some hosts."""
    guests = [guest(f"g{i}", hosts[0]) for i in range(count)]
    return fleet([host(h, room) for h in hosts], guests, *rules)


# --- fleets ------------------------------------------------------------------------------------

DEGENERATE: Mapping[str, Fleet] = {
    "nothing": fleet([], []),
    "no hosts": fleet([], [guest("g")]),
    "no guests": fleet([host("a")], []),
    "one of each": fleet([host("a")], [guest("g", "a")]),
    "one of each, apart": fleet([host("a")], [guest("g")]),
    "no room for one": fleet([host("a", 0)], [guest("g", "a")]),
    "no room for any": crowd(4, room=0),
    "nothing taken": fleet([host("a", 0), host("b", 0)], [guest("g", "a", 0), guest("h", None, 0)]),
    "one larger than all": fleet([host("a"), host("b")], [guest("g", "a", 99), guest("h", "a")]),
    "all down": fleet([host(h, state=HostState.DOWN) for h in "ab"], [guest("g", "a")]),
    "all in maintenance": fleet(
        [host(h, state=HostState.MAINTENANCE) for h in "ab"], [guest("g", "a"), guest("h")]
    ),
    "all pinned to one that is full": fleet(
        [host("a", 3), host("b", 99)],
        [guest(f"g{i}", "b") for i in range(10)],
        Pin(name="pin", guests=tuple(f"g{i}" for i in range(10)), hosts=("a",)),
    ),
    "the same rule many times": crowd(6, *[Apart(name="same", guests=("g0", "g1"))] * 50),
}


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_fleets_are_answered(name: str, goal: str) -> None:
    """Whatever the goal there is an answer that breaks nothing further, or a typed error."""
    asked(DEGENERATE[name], goal)


@pytest.mark.parametrize("state", [HostState.DOWN, HostState.MAINTENANCE])
def test_where_every_host_is_closed_everybody_stays(state: HostState) -> None:
    """Nobody moves where there is nowhere to go, and the answer says that it is no good one."""
    closed = fleet([host(h, state=state) for h in "ab"], [guest("g", "a"), guest("h", "b")])
    decision = answered(closed)
    assert decision.target.status in (Status.CONFLICT, Status.INFEASIBLE)
    assert not decision.target.moves


def test_a_host_that_cannot_hold_all_who_are_pinned_to_it_holds_some() -> None:
    """As many as fit go where they are pinned to, and the others stay."""
    decision = answered(DEGENERATE["all pinned to one that is full"])
    assert decision.target.status in (Status.CONFLICT, Status.INFEASIBLE)
    assert len(decision.target.moves) == 3


def test_contradictory_rules_leave_the_rest_balanced() -> None:
    """Two guests under a contradiction are a conflict; the others are spread all the same."""
    rules = (
        Apart(name="never", guests=("g0", "g1")),
        Together(name="both", guests=("g0", "g1")),
    )
    size = 4096
    guests = [guest(f"g{i}", "a", size) for i in range(8)]
    decision = answered(fleet([host(h, 8 * size) for h in "ab"], guests, *rules))
    assert decision.target.status is Status.CONFLICT
    ends = [decision.target.placements[f"g{i}"] for i in range(8)]
    assert 3 <= ends.count("a") <= 5


@pytest.mark.parametrize(
    "rule",
    [
        Apart(name="r", guests=THOUSAND),
        Apart(name="r", guests=THOUSAND, at_most=400),
        Apart(name="r", guests=THOUSAND, strength=Strength.SHOULD),
        Together(name="r", guests=THOUSAND),
        Near(name="r", guests=THOUSAND[:500], to=THOUSAND[500:]),
        Split(name="r", groups=(THOUSAND[:500], THOUSAND[500:])),
        Pin(name="r", guests=THOUSAND, hosts=("b", "c")),
    ],
    ids=["apart", "at most", "should", "together", "near", "split", "pin"],
)
@pytest.mark.parametrize("goal", ["balance", "few-moves"])
def test_a_rule_of_a_thousand_guests_is_answered_in_time(rule: Rule, goal: str) -> None:
    """A thousand guests under one rule take seconds, whether or not it can hold."""
    answered(crowd(1000, rule), goal)


def test_a_thousand_rules_on_one_guest_are_answered_in_time() -> None:
    """Bans of one guest from one host, and pins that contradict each other."""
    bans = [Ban(name=f"r{i}", guests=("g0",), hosts=("a",)) for i in range(1000)]
    assert answered(crowd(6, *bans)).target.placements["g0"] in ("b", "c")
    pins = [Pin(name=f"r{i}", guests=("g0",), hosts=("bc"[i % 2],)) for i in range(1000)]
    assert answered(crowd(6, *pins)).target.status is Status.CONFLICT


# --- amounts -----------------------------------------------------------------------------------


def large(amount: int) -> Iterator[tuple[str, Fleet]]:
    """Fleets with one number that is as large as *amount*."""
    guests = [guest(f"g{i}", "a") for i in range(3)]
    plain = [host(h) for h in "ab"]
    for resource in (CPU_RESOURCE, DISK, SOFT, HELD):
        more = {resource.id: amount}
        rich = [host(h, more=more) for h in "ab"]
        needy = [guest(f"g{i}", "a", more=more) for i in range(3)]
        yield f"{resource.id} of hosts", fleet(rich, guests, resources=(resource,))
        yield f"{resource.id} of all", fleet(rich, needy, resources=(resource,))
    pool = Resource("disk:pool", "MiB", shared_total=amount)
    yield "a pool", fleet(plain, [guest("g", "a", more={pool.id: 1})], resources=(pool,))
    stored = guest("s", "a", more={DISK.id: amount}, stopped=True)
    taking = guest("g", "a", more={DISK.id: 1})
    yield "what is stored", fleet(plain, [taking, stored], resources=(DISK,))
    yield "memory of hosts", fleet([host(h, amount) for h in "ab"], guests)
    yield "memory of all", fleet([host(h, amount) for h in "ab"], [guest("g", "a", amount)])
    ratio = FrozenMap({"memory": amount})
    yield "overcommit", fleet([host(h, overcommit_permille=ratio) for h in "ab"], guests)
    yield "reserve", fleet([host(h, reserve=ratio) for h in "ab"], guests)
    gpus = FrozenMap({"gpu": amount})
    greedy = [guest(f"g{i}", "a", devices=gpus) for i in range(3)]
    yield "devices", fleet([host(h, devices=gpus) for h in "ab"], greedy)
    yield "devices that lack", fleet(plain, greedy)
    yield "cores", fleet([host(h, cores=amount) for h in "ab"], [guest("g", "a", vcpus=amount)])
    load = Load(cpu_millicores=amount, memory_mib=amount)
    yield "load", fleet(plain, [guest("g", "a", load=load), guest("h", "a")])
    yield "price of a move", fleet(plain, [guest("g", "a", move_price=amount)])


def limiting(amount: int) -> Iterator[tuple[str, Fleet]]:
    """Fleets with a rule that has a number as large as *amount*."""
    both, wish = ("g0", "g1"), Strength.SHOULD
    for rule in (
        Apart(name="weight", guests=both, strength=wish, weight=amount),
        Apart(name="at most", guests=both, at_most=amount),
        Apart(name="skew", guests=both, max_skew=amount, min_domains=amount),
        GuestCount(name="count", hosts=("a",), at_most=amount),
        GroupCapacity(name="sum", hosts=("a",), resource="memory", at_most=amount),
        GroupCapacity(
            name="dear sum",
            hosts=("a",),
            resource="memory",
            at_most=0,
            strength=wish,
            weight=amount,
        ),
        Prefer(name="liked", guests=both, hosts=FrozenMap({"a": -amount, "b": amount})),
        Prefer(name="must", guests=both, hosts=FrozenMap({"b": amount}), strength=Strength.MUST),
    ):
        yield rule.name, crowd(3, rule, hosts="ab", room=9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("power", [31, 40, 44, 45, 60, 61, 62, 63, 64, 100])
def test_large_numbers_are_counted_or_refused(power: int, goal: str) -> None:
    """Nothing overflows: amounts up to 2^40 are answered, and what is refused is too large."""
    for most, fleets in ((40, large(2**power)), (31, limiting(2**power))):
        for name, each in fleets:
            found = asked(each, goal)
            if isinstance(found, MoorageError):
                assert isinstance(found, TooLarge), (name, found)
                assert found.place is not None
                assert power > most, (name, found)


def test_a_model_beyond_64_bits_is_left_to_other_engines() -> None:
    """Loads in parts of ten thousand are too large for the exact engine, which then gives up."""
    guests = [guest(f"g{i}", "ab"[i % 2], (i + 1) * 2**37) for i in range(6)]
    large = fleet([host("a", 2**42), host("b", 0)], guests)
    assert answered(large, "proxlb", options={"balanciness": 5}).target.proved_by is None


def test_slots_without_number_are_counted_in_time() -> None:
    """A hundred million slots: better by one at a time would take longer than anyone waits."""
    hosts = [host("h0", 94_371_840), host("h1", 104_857_600), host("h2", 104_857_600)]
    guests = [guest("g0", "h2", 12_582_912), guest("g1", "h1", 62_914_560)]
    guests.append(guest("g2", None, 104_857_600))
    rules = (
        Split(name="split", groups=(("g2",), ("g1", "g0")), strength=Strength.SHOULD),
        Ban(name="ban", guests=("g0", "g2"), hosts=("h1",)),
    )
    found = answered(fleet(hosts, guests, *rules), "free-slots", effort=1)
    assert found.target.status is Status.OPTIMAL


def test_many_slots_on_many_hosts_take_no_longer_than_their_effort() -> None:
    """Where a shape is next to nothing, no proof goes from slot to slot."""
    rooms = [30_720] * 16 + [61_440, 61_440, 92_160, 92_160]
    hosts = [host(f"h{i}", room) for i, room in enumerate(rooms)]
    hosts.append(host("old", 300_000, state=HostState.DRAINING))
    sizes = (24_576, 24_576, 25_600, 23_552, 30_720, 27_648, 29_696, 18_432)
    guests = [guest(f"g{i}", "old", size) for i, size in enumerate(sizes)]
    guests.append(guest("stays", "h3", 22_528))
    assert answered(fleet(hosts, guests), "free-slots", effort=1).target.deterministic


def test_hosts_whose_room_is_too_much_together_are_refused() -> None:
    """Sums over hosts that would leave 64 bits never make a proof."""
    rich = [host(f"h{i}", 2**60) for i in range(4)]
    with pytest.raises(TooLarge) as refused:
        moorage.solve(fleet(rich, [guest("g", "h0")]))
    assert refused.value.place == "hosts"


def test_a_point_weighs_no_more_than_limits_reckon_with() -> None:
    """What repairs count by is what amounts are held to."""
    assert COLLISION <= POINT


def test_what_rules_limit_of_soft_resources_weighs_by_the_largest_guest() -> None:
    """A guest too many is about a collision, whatever its resource is measured in."""
    much = [guest("g", "a", more={SOFT.id: 2**30}), guest("h", "a", more={SOFT.id: 2**29})]
    problem = compile_fleet(fleet([host("a")], much, resources=(SOFT,)))
    assert problem.unit(SOFT.id) == 1
    assert problem.unit("memory") == COLLISION


# --- wishes ------------------------------------------------------------------------------------


def uneven() -> Fleet:
    """Too large for presolve and for the exact engine alone."""
    return fleet([host(h, 90) for h in "abcdefgh"], [guest(f"g{i}", "a") for i in range(200)])


@pytest.mark.parametrize(
    "wish",
    [
        *({name: value} for name in ("time_s", "effort") for value in (math.nan, math.inf, -1.0)),
        *({"seed": seed} for seed in (-1, 2**31, 2**70)),
        *({"workers": workers} for workers in (0, 10**9)),
        *({name: -1} for name in ("max_moves", "max_memory_mib")),
    ],
    ids=str,
)
def test_limits_beyond_sense_are_bad_input(wish: dict[str, Any]) -> None:
    """No limit that isn't a positive finite number, no seed or workers out of range."""
    with pytest.raises(BadInput) as refused:
        moorage.solve(uneven(), **wish)
    assert refused.value.place == next(iter(wish))


@pytest.mark.parametrize(
    "wish",
    [
        {"time_s": 0.001},
        {"time_s": 1e-9},
        {"effort": 1e-9},
        {"time_s": 1e300, "effort": 0.05},
        {"seed": 0},
        {"seed": 2**31 - 1},
        {"max_moves": 2**70},
        {"max_memory_mib": 2**70},
        {"max_moves": 0},
    ],
    ids=str,
)
def test_limits_at_the_edge_of_sense_are_kept(wish: dict[str, Any]) -> None:
    """Next to no time or effort still gives a sound answer; huge budgets are none."""
    decision = answered(uneven(), **{"effort": 0.05, **wish})
    assert decision.target.status is not Status.CONFLICT
    assert wish.get("max_moves") != 0 or not decision.target.moves


SENSELESS = (math.nan, math.inf, -math.inf, -1, 2**64, 10**400, 1e300, "x", True, [[1]], {"a": 1})


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("value", SENSELESS, ids=lambda value: str(value)[:12])
def test_senseless_options_are_bad_input(goal: str, value: Any) -> None:
    """Each option of each goal takes what is in its range, and refuses all else by its place."""
    two = fleet([host(h) for h in "ab"], [guest("g", "a"), guest("h", "a")])
    for name in GOALS[goal].options:
        for given in (value, {"memory": value}, [value]):
            found = asked(two, goal, options={name: given})
            if isinstance(found, MoorageError):
                assert isinstance(found, BadInput)
                assert found.place is not None
                assert found.place.startswith("goal")
