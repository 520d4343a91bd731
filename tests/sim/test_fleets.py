# SPDX-License-Identifier: Apache-2.0
"""The fleets that are made up: the same for the same seed, in trouble, and with a way out."""

from __future__ import annotations

import pytest

from moorage.drivers.simulator import NAMES, Simulator, begin, build, open_simulator, read_address
from moorage.drivers.simulator.state import State
from moorage.model import (
    CPU,
    MEMORY,
    BadInput,
    Fleet,
    Health,
    HostState,
    NotFound,
    View,
)
from moorage.rules.registry import rules_of
from moorage.verifying import broken_now, check, collisions_of, verify

SEEDS = range(1, 13)
NAMED = [(name, seed) for name in NAMES for seed in (SEEDS if name != "cloud" else SEEDS[:4])]


def seen(name: str, seed: int = 1) -> Fleet:
    """A fleet as it is at its beginning."""
    return Simulator(State(build(name, seed))).snapshot()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_fleet(name: str) -> None:
    """A fleet made twice from its name and seed has the same version, load included."""
    build.cache_clear()
    first = seen(name, 7)
    build.cache_clear()
    assert first == seen(name, 7)
    assert first.version == seen(name, 7).version


@pytest.mark.parametrize("name", NAMES)
def test_different_seeds_give_different_fleets(name: str) -> None:
    """No two of twelve seeds give the same fleet."""
    assert len({seen(name, seed).version for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize(("name", "seed"), NAMED)
def test_a_placement_without_any_violation_exists(name: str, seed: int) -> None:
    """The hidden good placement is accepted by the verifier, with nothing left broken."""
    assert verify(seen(name, seed), dict(build(name, seed).good)) == []


@pytest.mark.parametrize(("name", "seed"), NAMED)
def test_no_host_begins_over_its_capacity(name: str, seed: int) -> None:
    """The disturbance stays within what hosts can hold: no capacity rule is broken."""
    codes = {v.breach.code for v in broken_now(seen(name, seed))}
    assert not any(code.startswith("no_capacity") for code in codes)


@pytest.mark.parametrize(("name", "seed"), NAMED)
def test_something_is_broken_and_somebody_is_hot(name: str, seed: int) -> None:
    """Each fleet begins with a few broken rules, an apart rule among them, and a hot host."""
    fleet = seen(name, seed)
    broken = broken_now(fleet)
    assert 1 <= len(broken) <= 8
    assert any(v.breach.code.startswith("apart_") for v in broken)
    assert max(host.pressure.cpu_bp for host in fleet.hosts.values()) > 200


@pytest.mark.parametrize(("name", "seed"), NAMED)
def test_rules_do_not_contradict_each_other(name: str, seed: int) -> None:
    """No conflict between the rules of a fleet can be seen without solving."""
    assert check(seen(name, seed)).conflicts == ()


@pytest.mark.parametrize("name", NAMES)
def test_guests_name_known_rules_and_hosts(name: str) -> None:
    """Every name in a rule, a placement and a profile is one of the fleet's."""
    world = build(name, 1)
    fleet = world.fleet
    for rule in rules_of(fleet):
        assert set(rule.guests_named(fleet) or ()) <= set(fleet.guests)
        assert set(getattr(rule, "hosts", ())) <= set(fleet.hosts)
    assert set(world.good) == set(fleet.guests) == set(world.profiles)
    assert {g.host for g in fleet.guests.values()} <= set(fleet.hosts)


def test_the_cluster_is_the_one_of_the_document() -> None:
    """Fourteen hosts in three racks of 3, 3 and 8; 50 guests; pve3 degraded by its steal."""
    fleet = seen("cluster")
    racks = {r: [h for h, v in fleet.domain_of("rack").items() if v == f"rack_{r}"] for r in "abc"}
    assert racks["a"] == ["pve1", "pve2", "pve3"]
    assert racks["b"] == ["pve4", "pve5", "pve6"]
    assert racks["c"] == [f"pve{n}" for n in range(7, 15)]
    assert len(fleet.guests) == 50
    verdict = fleet.hosts["pve3"].verdict
    assert verdict is not None
    assert verdict.health is Health.DEGRADED
    assert verdict.findings == ("cpu_steal 15.0 %, more than 10.0 %",)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cluster_is_two_thirds_full_and_drains_a_host(seed: int) -> None:
    """About 65 % of the memory is taken, and the host to be emptied has residents."""
    fleet = seen("cluster", seed)
    view = View(fleet, fleet.placement, at_end=True)
    taken = sum(view.load(h, MEMORY) for h in fleet.hosts)
    usable = sum(h.usable(MEMORY) for h in fleet.hosts.values())
    assert 600 <= taken * 1000 // usable <= 700
    (draining,) = [h.id for h in fleet.hosts.values() if h.state is HostState.DRAINING]
    assert fleet.residents[draining]


def test_the_cloud_is_large_and_overcommitted() -> None:
    """A hundred hosts in five zones hold 1,500 guests of many projects, GPUs among them."""
    fleet = seen("cloud")
    assert (len(fleet.hosts), len(fleet.guests)) == (100, 1_500)
    assert len(set(fleet.domain_of("zone").values())) == 5
    assert len({g.project for g in fleet.guests.values()}) == 20
    assert sum(bool(h.devices) for h in fleet.hosts.values()) == 5
    assert sum(bool(g.devices) for g in fleet.guests.values()) == 12
    given = sum(g.demand[CPU] for g in fleet.guests.values())
    assert given > sum(h.capacity[CPU] for h in fleet.hosts.values())


def test_the_homelab_is_small_and_mixed() -> None:
    """Three hosts with virtual machines and containers, on local disks and a shared pool."""
    fleet = seen("homelab")
    assert len(fleet.hosts) == 3
    assert {g.kind.value for g in fleet.guests.values()} == {"vm", "ct"}
    pools = {r for g in fleet.guests.values() for r in g.demand if r.startswith("disk:")}
    assert {fleet.resources[p].shared_total is None for p in pools} == {True, False}
    assert collisions_of(fleet)


def test_an_address_names_seed_and_instant() -> None:
    """`sim:NAME?seed=N&at=SECONDS` is read, and written back the same."""
    address = read_address("sim:cluster?seed=7&at=3600")
    assert (address.name, address.seed, address.at_s) == ("cluster", 7, 3_600)
    assert str(address) == "sim:cluster?seed=7&at=3600"
    assert str(read_address("sim:homelab")) == "sim:homelab"
    assert begin(address).now_s == 3_600
    assert open_simulator(str(address)).snapshot().source == str(address)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("sim:cluster?sed=7", "unknown option 'sed'"),
        ("sim:cluster?seed=seven", "seed has to be a whole number"),
        ("sim:cluster?at=-1", "at has to be a whole number"),
        ("sim:cluster?at=1.5", "at has to be a whole number"),
        ("sim:cluster?seed=1&seed=2", "given twice"),
        ("sim:cluster?seed=", "seed has to be a whole number"),
    ],
)
def test_a_wrong_option_is_refused(address: str, told: str) -> None:
    """Options that don't exist, aren't numbers or come twice are bad input."""
    with pytest.raises(BadInput, match=told):
        read_address(address)


def test_an_unknown_fleet_is_refused_with_the_known_ones() -> None:
    """A fleet that doesn't exist is not found, and the hint names those that do."""
    with pytest.raises(NotFound, match="no simulated fleet 'castle'") as caught:
        open_simulator("sim:castle")
    assert caught.value.hint == "fleets: homelab, cluster, cloud"
