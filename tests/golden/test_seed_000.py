# SPDX-License-Identifier: Apache-2.0
"""The high-availability bin-packing document, each example in the version that is right.

The cluster is the document's: fourteen hosts of 32 GiB and 48 cores in three racks.
"""

from __future__ import annotations

import pytest

from moorage.model import (
    BadInput,
    Fleet,
    FrozenMap,
    Guest,
    Health,
    Host,
    Verdict,
    natural_key,
)
from moorage.model.rule import Rule
from moorage.rules.apart import Apart
from moorage.rules.conflicts import find_conflicts
from moorage.rules.health import HealthGate
from moorage.verifying import broken_now, is_refused, verify

RACKS = {"rack_a": (1, 2, 3), "rack_b": (4, 5, 6), "rack_c": tuple(range(7, 15))}
RACK_OF = {f"pve{n}": rack for rack, numbers in RACKS.items() for n in numbers}
NOMINAL = Verdict(Health.NOMINAL)
STEAL_15 = Verdict(Health.DEGRADED, ("cpu_steal 15.0 > 10",))
STEAL_45 = Verdict(Health.CRITICAL, ("cpu_steal 45.0 > 40",))

HOST_APART = Apart(name="db-hosts", guests=("db-primary", "db-replica"))
RACK_APART = Apart(name="db-racks", guests=("db-primary", "db-replica"), domain="rack")


def host(name: str, verdict: Verdict | None = NOMINAL) -> Host:
    labels = FrozenMap({"rack": RACK_OF[name]} if name in RACK_OF else {})
    capacity = FrozenMap(memory=32_768, cpu=48_000)
    return Host(name, capacity=capacity, labels=labels, verdict=verdict)


def guest(name: str, memory: int, cpu: int, on: str | None = None) -> Guest:
    return Guest(name, host=on, demand=FrozenMap(memory=memory, cpu=cpu))


def fleet(hosts: list[Host], guests: list[Guest], *rules: Rule) -> Fleet:
    return Fleet(
        hosts=FrozenMap({h.id: h for h in hosts}),
        guests=FrozenMap({g.id: g for g in guests}),
        rules=rules,
    )


def three_guests(**on: str) -> list[Guest]:
    return [
        guest("db-primary", 4096, 2000, on.get("primary")),
        guest("db-replica", 4096, 2000, on.get("replica")),
        guest("svc-api", 2048, 1000, on.get("api")),
    ]


def four_hosts() -> list[Host]:
    return [host("pve1"), host("pve2"), host("pve3", STEAL_15), host("pve4")]


def codes(fleet: Fleet, document: dict[str, object]) -> list[tuple[str, str]]:
    return [(v.breach.rule, v.breach.code) for v in verify(fleet, document)]


def test_the_printed_placement_breaks_the_rack_rule() -> None:
    """The placement that the document prints puts both replicas into rack A and is refused."""
    cluster = fleet(four_hosts(), three_guests(), HOST_APART, RACK_APART)
    printed = {"db-primary": "pve1", "db-replica": "pve2", "svc-api": "pve4"}
    found = verify(cluster, printed)
    assert [(v.breach.rule, v.breach.code) for v in found] == [("db-racks", "apart_rack")]
    assert found[0].breach.text == "db-primary, db-replica share rack rack_a; at most 1 may"


def test_the_right_placement_holds() -> None:
    """With a replica in rack B the host rule, the rack rule and the health gate all hold."""
    cluster = fleet(four_hosts(), three_guests(), HOST_APART, RACK_APART)
    assert verify(cluster, {"db-primary": "pve1", "db-replica": "pve4", "svc-api": "pve1"}) == []


def test_a_degraded_host_takes_nobody() -> None:
    """A host with 15 % of stolen CPU is degraded, and a guest placed there is refused."""
    cluster = fleet(four_hosts(), three_guests())
    found = verify(cluster, {"db-primary": "pve3", "db-replica": "pve1", "svc-api": "pve1"})
    assert [v.breach.code for v in found] == ["health_degraded"]
    assert found[0].breach.text == (
        "db-primary is on pve3, whose health is degraded (cpu_steal 15.0 > 10)"
    )


def test_one_rack_for_two_replicas_is_a_conflict() -> None:
    """Two replicas that need two racks in a fleet of one rack are a conflict by name."""
    cluster = fleet([host(f"pve{n}") for n in (1, 2, 3)], three_guests()[:2], RACK_APART)
    (conflict,) = find_conflicts(cluster)
    assert conflict.rules == ("db-racks",)
    assert conflict.code == "apart_rack"
    assert conflict.text == (
        "db-racks keeps 2 guests apart (db-primary, db-replica) but there is only 1 rack"
    )


def test_all_hosts_critical_is_never_silent() -> None:
    """When no host is healthy the new guest's trouble is said, with the rule that causes it."""
    hosts = [host(f"pve{n}", STEAL_45) for n in (1, 2, 3)]
    (conflict,) = find_conflicts(fleet(hosts, [guest("db-primary", 4096, 2000)]))
    assert (conflict.code, conflict.rules) == ("no_nodes_active", ("health",))
    assert "cpu_steal 45.0 > 40" in conflict.text


@pytest.mark.parametrize("health", [Health.UNKNOWN, Health.PARTITIONED, Health.CRITICAL])
def test_anything_but_nominal_keeps_new_guests_out(health: Health) -> None:
    """Only a nominal host admits guests: unknown and partitioned ones are closed as well."""
    cluster = fleet([host("pve1", Verdict(health))], [guest("new", 1024, 1000)])
    assert [v.breach.code for v in verify(cluster, {"new": "pve1"})] == [f"health_{health}"]


def test_an_unmonitored_host_has_no_gate() -> None:
    """A fleet that nobody monitors has no verdicts, and its hosts admit guests."""
    cluster = fleet([host("pve1", None)], [guest("new", 1024, 1000)])
    assert verify(cluster, {"new": "pve1"}) == []


@pytest.mark.parametrize("health", [Health.DEGRADED, Health.CRITICAL, Health.UNKNOWN])
def test_residents_of_an_unwell_host_may_stay(health: Health) -> None:
    """Admitting and draining are two things: an outage of telemetry empties no host."""
    cluster = fleet([host("pve1", Verdict(health))], [guest("old", 1024, 1000, "pve1")])
    assert broken_now(cluster) == []
    assert find_conflicts(cluster) == []


def test_draining_critical_hosts_is_a_policy() -> None:
    """A gate that says so makes residents leave critical hosts, and no others."""
    gate = HealthGate(name="evacuate", drain=(Health.CRITICAL,))
    hosts = [host("pve1", STEAL_45), host("pve2", STEAL_15), host("pve4")]
    guests = [guest("a", 1024, 1000, "pve1"), guest("b", 1024, 1000, "pve2")]
    broken = broken_now(fleet(hosts, guests, gate))
    assert [(v.breach.rule, v.breach.host) for v in broken] == [("evacuate", "pve1")]


def test_the_degraded_boundary_is_the_one_that_gates() -> None:
    """Turning critical hosts into degraded ones admits nobody: admitting degraded ones does."""
    new = [guest("new", 1024, 1000)]
    degraded = [host("pve1", STEAL_15)]
    assert is_refused(verify(fleet(degraded, new), {"new": "pve1"}))
    gate = HealthGate(name="emergency", admit=(Health.NOMINAL, Health.DEGRADED))
    assert verify(fleet(degraded, new, gate), {"new": "pve1"}) == []


def test_a_guest_larger_than_any_host_fits_nowhere() -> None:
    """A guest that is too large is refused on every host, with the figures."""
    cluster = fleet(four_hosts(), [guest("huge", 65_536, 1000)])
    for name in ("pve1", "pve2", "pve4"):
        (violation,) = verify(cluster, {"huge": name})
        assert violation.breach.text == f"{name}: memory 64 GiB taken, 32 GiB usable"


def test_a_pair_with_itself_is_refused() -> None:
    """A guest can't be kept apart from itself: the rule is refused when it is made."""
    with pytest.raises(ValueError, match="db-primary is named twice"):
        Apart(name="odd", guests=("db-primary", "db-primary"))


def test_a_guest_that_does_not_exist_is_refused() -> None:
    """A target that names a guest the fleet hasn't is refused, and not skipped."""
    with pytest.raises(BadInput, match="unknown guest 'db-tertiary'"):
        verify(fleet(four_hosts(), three_guests()), {"db-tertiary": "pve1"})


def test_moves_and_first_placements_share_a_plan() -> None:
    """A plan with a move and a placement from nowhere is replayed like any other."""
    cluster = fleet(four_hosts(), three_guests(primary="pve1", replica="pve4"), RACK_APART)
    steps = [
        step(0, 0, 60, ("db-primary", "pve1", "pve2")),
        step(1, 0, 5, ("svc-api", None, "pve1"), kind="place"),
    ]
    assert verify(cluster, {"feasible": True, "steps": steps}) == []


def test_hosts_stand_in_natural_order() -> None:
    """People count pve2 before pve10."""
    names = sorted(RACK_OF, key=natural_key)
    assert names == [f"pve{n}" for n in range(1, 15)]


def test_a_host_without_a_rack_does_not_escape_the_rack_rule() -> None:
    """A host in no rack is named on load, and replicas on it are refused."""
    hosts = [host("pve1"), host("pve4"), host("stray")]
    cluster = fleet(hosts, three_guests()[:2], RACK_APART)
    (warning,) = find_conflicts(cluster)
    assert (warning.fatal, warning.hosts) == (False, ("stray",))
    assert codes(cluster, {"db-primary": "stray", "db-replica": "stray"}) == [
        ("db-racks", "apart_rack")
    ]


def test_a_replica_group_is_one_rule() -> None:
    """Three replicas and three racks fit; a fourth replica is more than there are racks."""
    cluster = [host(name) for name in RACK_OF]
    names = tuple(f"db-{n}" for n in range(4))
    guests = [guest(name, 1024, 1000) for name in names]
    three = Apart(name="db", guests=names[:3], domain="rack")
    four = Apart(name="db", guests=names, domain="rack")
    assert find_conflicts(fleet(cluster, guests, three)) == []
    (conflict,) = find_conflicts(fleet(cluster, guests, four))
    assert conflict.text.endswith("but there are only 3 racks")


def test_a_rack_without_healthy_hosts_is_no_rack() -> None:
    """Three replicas in three racks of which one is unwell are a conflict with the gate named."""
    hosts = [host(n, STEAL_45 if RACK_OF[n] == "rack_b" else NOMINAL) for n in RACK_OF]
    names = ("db-0", "db-1", "db-2")
    guests = [guest(name, 1024, 1000) for name in names]
    (conflict,) = find_conflicts(
        fleet(hosts, guests, Apart(name="db", guests=names, domain="rack"))
    )
    assert conflict.rules == ("db", "health")
    assert "may only be in 2 racks (rack_a, rack_c)" in conflict.text


def step(
    index: int,
    start_s: int,
    end_s: int,
    move: tuple[str, str | None, str],
    *,
    after: tuple[int, ...] = (),
    kind: str = "migrate",
) -> dict[str, object]:
    who, source, target = move
    action = {"guest": who, "source": source, "target": target, "kind": kind}
    times = {"index": index, "start_s": start_s, "end_s": end_s, "depends_on": list(after)}
    return {**times, "actions": [action]}


def test_filling_targets_in_order_of_hosts_is_unsafe() -> None:
    """The document's order brings the primary to the replica's host before that one has left."""
    cluster = fleet(
        [host(f"pve{n}") for n in (1, 2, 3, 4)],
        three_guests(primary="pve3", replica="pve1"),
        HOST_APART,
    )
    by_target = [
        step(0, 0, 60, ("db-primary", "pve3", "pve1")),
        step(1, 60, 120, ("db-replica", "pve1", "pve4")),
    ]
    found = verify(cluster, {"feasible": True, "steps": by_target})
    apart = [v for v in found if v.breach.rule == "db-hosts"]
    assert [(v.at_s, v.breach.host) for v in apart] == [(0, "pve1")]


def test_leaving_before_arriving_is_safe() -> None:
    """The same moves in the order of their dependency keep the rule at every instant."""
    cluster = fleet(
        [host(f"pve{n}") for n in (1, 2, 3, 4)],
        three_guests(primary="pve3", replica="pve1", api="pve2"),
        HOST_APART,
    )
    in_order = [
        step(0, 0, 60, ("db-replica", "pve1", "pve4")),
        step(1, 60, 120, ("db-primary", "pve3", "pve1"), after=(0,)),
    ]
    assert verify(cluster, {"feasible": True, "steps": in_order}) == []


def test_guests_of_hosts_outside_the_fleet_are_orphans() -> None:
    """A guest whose host is not among the hosts is reported, and counts as placed nowhere."""
    cluster = fleet([host("pve1"), host("pve4")], three_guests(primary="pve3", replica="pve1"))
    assert cluster.orphans == ("db-primary",)
    waiting = [v.breach for v in broken_now(cluster) if v.breach.code == "not_placed"]
    assert waiting[0].guests == ("db-primary", "svc-api")


def test_an_unchanged_placement_is_verified() -> None:
    """Doing nothing in a fleet that is well breaks nothing."""
    cluster = fleet(
        four_hosts(), three_guests(primary="pve1", replica="pve4", api="pve2"), RACK_APART
    )
    assert verify(cluster, dict(cluster.placement)) == []
