# SPDX-License-Identifier: Apache-2.0
"""The placement rules of a microVM platform: what is hard, what is soft, and who is eligible.

Nodes are hosts, instances are guests of kind microvm. The document's numbers are kept: 64 MiB
of overhead for each instance, CPU that is oversubscribed and never refused, local volumes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest, GuestKind, Volume
from moorage.model.hosts import Health, Host, HostState, Verdict
from moorage.model.reasons import Reason
from moorage.model.resources import Resource
from moorage.model.rule import Rule, Strength
from moorage.rules.apart import Apart
from moorage.rules.health import HealthGate
from moorage.rules.quota import Quota
from moorage.verifying import broken_now, collisions_of, is_refused, verify
from tests.tiny import plan, step

VMM_OVERHEAD_MIB = 64
PHYSICAL_MIB, RESERVED_MIB = 4096, 1024
ALLOCATABLE_MIB = PHYSICAL_MIB - RESERVED_MIB
RESOURCES = FrozenMap(
    {
        "memory": Resource("memory", "MiB"),
        "cpu": Resource("cpu", "millicores", hard=False),
        "disk:scratch": Resource("disk:scratch", "MiB"),
    }
)
HEARTBEAT = HealthGate(name="heartbeat", max_heartbeat_age_s=30)


def node(name: str, **fields: Any) -> Host:
    """A node of 4 GiB of which 1 GiB is the host's own, and 4 cores that are given out fourfold."""
    host = Host(
        name,
        capacity=FrozenMap({"memory": PHYSICAL_MIB, "cpu": 4_000, "disk:scratch": 40_960}),
        reserve=FrozenMap(memory=RESERVED_MIB),
        overcommit_permille=FrozenMap(cpu=4_000),
    )
    return replace(host, **fields)


def instance(name: str, memory: int = 512, on: str | None = None, **fields: Any) -> Guest:
    """An instance with a memory cap, half a core and 4 GiB of ephemeral disk."""
    demand = FrozenMap({"memory": memory, "cpu": 500, "disk:scratch": 4_096})
    guest = Guest(name, kind=GuestKind.MICROVM, host=on, demand=demand)
    return replace(guest, **fields)


def platform(
    nodes: list[Host], instances: list[Guest], *rules: Rule, volumes: tuple[Volume, ...] = ()
) -> Fleet:
    return Fleet(
        hosts=FrozenMap({n.id: n for n in nodes}),
        guests=FrozenMap({i.id: i for i in instances}),
        rules=rules,
        resources=RESOURCES,
        volumes=FrozenMap({v.id: v for v in volumes}),
        overhead=FrozenMap({GuestKind.MICROVM: FrozenMap(memory=VMM_OVERHEAD_MIB)}),
    )


def codes(fleet: Fleet, placement: dict[str, str | None]) -> list[str]:
    """The codes of what is newly wrong with a placement."""
    return [v.breach.code for v in verify(fleet, placement) if not v.pre_existing]


# --- memory: a hard cap ------------------------------------------------------------------------


def test_memory_is_a_hard_cap() -> None:
    """An instance that doesn't fit into what is allocatable is refused for memory."""
    fleet = platform([node("n1")], [instance("i1", 2048, "n1"), instance("i2", 1024)])
    assert codes(fleet, {"i2": "n1"}) == [Reason.NO_CAPACITY_MEMORY]


def test_allocatable_is_physical_without_what_is_reserved() -> None:
    """The host's own gibibyte is given to nobody."""
    fleet = platform([node("n1")], [instance("i1", PHYSICAL_MIB - VMM_OVERHEAD_MIB)])
    (found,) = [v for v in verify(fleet, {"i1": "n1"}) if not v.pre_existing]
    assert found.breach.text == "n1: memory 4 GiB taken, 3 GiB usable"


@pytest.mark.parametrize("count", [1, 2, 6])
def test_each_instance_costs_its_overhead(count: int) -> None:
    """Exactly full with the overhead of each instance is allowed; one MiB more is refused."""
    cap = ALLOCATABLE_MIB // count - VMM_OVERHEAD_MIB
    full = [instance(f"i{n}", cap) for n in range(count)]
    everybody: dict[str, str | None] = {i.id: "n1" for i in full}
    assert codes(platform([node("n1")], full), everybody) == []
    over = [instance("i0", cap + 1), *full[1:]]
    assert codes(platform([node("n1")], over), everybody) == [Reason.NO_CAPACITY_MEMORY]


def test_an_instance_that_has_stopped_holds_no_memory() -> None:
    """Instances in their terminal state count for nothing but the disk they left behind."""
    gone = instance("i1", 2900, "n1", stopped=True)
    assert codes(platform([node("n1")], [gone, instance("i2", 2900)]), {"i2": "n1"}) == []


def test_scratch_disk_is_hard_too() -> None:
    """A node without enough disk for scratch takes no instance."""
    small = node("n1", capacity=FrozenMap({"memory": PHYSICAL_MIB, "disk:scratch": 4_095}))
    assert codes(platform([small], [instance("i1")]), {"i1": "n1"}) == [Reason.NO_CAPACITY_DISK]


def test_a_node_that_reports_no_capacity_takes_nobody() -> None:
    """A node must report allocatable capacity: one that reports none has none."""
    silent = node("n1", capacity=FrozenMap())
    assert Reason.NO_CAPACITY_MEMORY in codes(platform([silent], [instance("i1")]), {"i1": "n1"})


# --- CPU: soft ---------------------------------------------------------------------------------


def test_cpu_is_never_a_reason_to_refuse() -> None:
    """However far beyond four times its cores a node is asked, it is not refused for CPU."""
    greedy = [instance(f"i{n}", 64, demand=FrozenMap(memory=64, cpu=64_000)) for n in range(20)]
    fleet = platform([node("n1")], greedy)
    assert codes(fleet, {i.id: "n1" for i in greedy}) == []


# --- volumes -----------------------------------------------------------------------------------


def test_an_instance_runs_where_its_volume_lives() -> None:
    """The home node of the volume is the only one that will do."""
    fleet = platform(
        [node("n1"), node("n2")],
        [instance("db", volumes=("data",))],
        volumes=(Volume("data", home="n1"),),
    )
    assert codes(fleet, {"db": "n1"}) == []
    assert codes(fleet, {"db": "n2"}) == [Reason.VOLUME_LOCALITY_NO_NODE]


def test_all_volumes_of_an_instance_share_a_home() -> None:
    """An attachment set with two homes leaves no node at all."""
    fleet = platform(
        [node("n1"), node("n2")],
        [instance("db", volumes=("data", "log"))],
        volumes=(Volume("data", home="n1"), Volume("log", home="n2")),
    )
    for name in ("n1", "n2"):
        assert codes(fleet, {"db": name}) == [Reason.VOLUME_LOCALITY_NO_NODE]


def test_a_volume_has_one_writer() -> None:
    """No second running instance attaches a volume, on its home node or anywhere."""
    fleet = platform(
        [node("n1")],
        [instance("db", on="n1", volumes=("data",)), instance("db2", volumes=("data",))],
        volumes=(Volume("data", home="n1"),),
    )
    assert codes(fleet, {"db2": "n1"}) == [Reason.VOLUME_IN_USE]


def test_a_volume_is_free_when_its_writer_has_stopped() -> None:
    """A stopped instance uses no volume."""
    fleet = platform(
        [node("n1")],
        [
            instance("db", on="n1", volumes=("data",), stopped=True),
            instance("db2", volumes=("data",)),
        ],
        volumes=(Volume("data", home="n1"),),
    )
    assert codes(fleet, {"db2": "n1"}) == []


def test_a_process_with_a_volume_has_one_replica() -> None:
    """Two replicas that attach the same volume are refused together, wherever they go."""
    replicas = [instance(f"db{n}", volumes=("data",)) for n in range(2)]
    fleet = platform([node("n1")], replicas, volumes=(Volume("data", home="n1"),))
    assert codes(fleet, {"db0": "n1", "db1": "n1"}) == [Reason.VOLUME_IN_USE]


# --- eligibility of nodes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (HostState.MAINTENANCE, Reason.MAINTENANCE),
        (HostState.DRAINING, Reason.DRAINING),
        (HostState.DISABLED, Reason.HOST_DISABLED),
        (HostState.DEGRADED, Reason.HEALTH_DEGRADED),
        (HostState.DOWN, Reason.HOST_UNREACHABLE),
    ],
)
def test_only_active_nodes_are_eligible(state: HostState, code: Reason) -> None:
    """A node in any state but active takes no new instance, each for its own reason."""
    assert codes(platform([node("n1", state=state)], [instance("i1")]), {"i1": "n1"}) == [code]
    active = platform([node("n1")], [instance("i1")])
    assert codes(active, {"i1": "n1"}) == []


def test_every_state_is_told_apart() -> None:
    """There is no state of nodes that the rules above forget."""
    assert len(HostState) == 6


def test_a_node_that_was_not_heard_of_is_not_eligible() -> None:
    """A heartbeat of 30 s is fresh enough, one of 31 s isn't."""
    nodes = [node("n1", heartbeat_age_s=30), node("n2", heartbeat_age_s=31)]
    fleet = platform(nodes, [instance("i1")], HEARTBEAT)
    assert codes(fleet, {"i1": "n1"}) == []
    assert codes(fleet, {"i1": "n2"}) == [Reason.HEALTH_UNKNOWN]


def test_silence_moves_nobody() -> None:
    """Instances on a node that was not heard of stay: an outage of telemetry empties no node."""
    lost = platform([node("n1", heartbeat_age_s=9_999)], [instance("i1", on="n1")], HEARTBEAT)
    assert broken_now(lost) == []


@pytest.mark.parametrize(
    "override",
    [
        HealthGate(name="override", exempt=("n1",)),
        HealthGate(name="override", admit=(Health.NOMINAL, Health.DEGRADED)),
    ],
    ids=["exempt", "admit"],
)
def test_an_operator_may_override_degraded(override: HealthGate) -> None:
    """A degraded node is ineligible unless an operator says otherwise of it, or of all."""
    degraded = node("n1", state=HostState.DEGRADED)
    assert codes(platform([degraded], [instance("i1")]), {"i1": "n1"}) == [Reason.HEALTH_DEGRADED]
    assert codes(platform([degraded], [instance("i1")], override), {"i1": "n1"}) == []


def test_a_node_whose_network_is_degraded_is_not_eligible() -> None:
    """What telemetry says of the overlay is a verdict, and gates like a state."""
    lossy = node("n1", verdict=Verdict(Health.DEGRADED, ("overlay loss 12 % > 5",)))
    (found,) = [
        v for v in verify(platform([lossy], [instance("i1")]), {"i1": "n1"}) if not v.pre_existing
    ]
    assert found.breach.text == "i1 is on n1, whose health is degraded (overlay loss 12 % > 5)"


# --- draining ----------------------------------------------------------------------------------


def test_a_draining_node_receives_nothing_on_the_way() -> None:
    """Not even parking on a draining node is allowed."""
    nodes = [node("n1"), node("n2", state=HostState.DRAINING), node("n3")]
    fleet = platform(nodes, [instance("i1", on="n1")])
    parked = plan(step(0, 5, ("i1", "n1", "n2")), step(5, 9, ("i1", "n2", "n3")))
    assert [(v.at_s, v.breach.code) for v in verify(fleet, parked)] == [(0, Reason.DRAINING)]


def test_a_draining_node_has_to_be_emptied() -> None:
    """An instance that stays is named and refuses nothing; one that was moved off is done."""
    nodes = [node("n1", state=HostState.DRAINING), node("n2")]
    fleet = platform(nodes, [instance("i1", on="n1"), instance("i2", on="n1")])
    (left,) = verify(fleet, plan(step(0, 5, ("i1", "n1", "n2"))))
    assert (left.breach.code, left.breach.guests) == (Reason.DRAINING, ("i2",))
    assert not is_refused([left])
    both = plan(step(0, 5, ("i1", "n1", "n2"), ("i2", "n1", "n2")))
    assert verify(fleet, both) == []


def test_an_instance_with_a_local_volume_can_not_be_drained() -> None:
    """Its volume holds it: moving it is refused for locality, and staying names the drain."""
    fleet = platform(
        [node("n1", state=HostState.DRAINING), node("n2")],
        [instance("db", on="n1", volumes=("data",))],
        volumes=(Volume("data", home="n1"),),
    )
    assert codes(fleet, {"db": "n2"}) == [Reason.VOLUME_LOCALITY_NO_NODE]
    assert [v.breach.code for v in verify(fleet, {})] == [Reason.DRAINING]


# --- soft rules, and quotas --------------------------------------------------------------------


def test_spread_is_a_wish() -> None:
    """Replicas on one node cost, each pair of them, and are never refused."""
    replicas = [instance(f"web{n}") for n in range(3)]
    spread = Apart(name="spread", guests=tuple(r.id for r in replicas), strength=Strength.SHOULD)
    fleet = platform([node("n1"), node("n2"), node("n3")], replicas, spread)
    packed: dict[str, str | None] = dict.fromkeys(spread.guests, "n1")
    assert codes(fleet, packed) == []
    costs = [breach.amount for _, breach in collisions_of(fleet, packed)]
    assert costs == [3]
    assert collisions_of(fleet, {"web0": "n1", "web1": "n2", "web2": "n3"}) == []


def test_a_project_has_a_quota() -> None:
    """What a project takes over all nodes is bounded, overhead included."""
    quota = Quota(name="free tier", project="p", limits=FrozenMap(memory=1024))
    mine = [instance(f"i{n}", 448, project="p") for n in range(3)]
    fleet = platform([node("n1"), node("n2")], mine, quota)
    assert codes(fleet, {"i0": "n1", "i1": "n2"}) == []
    assert codes(fleet, {"i0": "n1", "i1": "n2", "i2": "n2"}) == [Reason.QUOTA]


# --- determinism -------------------------------------------------------------------------------

TROUBLE = """
import json, random
from moorage.verifying import verify
from tests.oracle.random_fleets import random_case
from tests.oracle.random_plans import random_plan_case

said = []
for seed in range(60):
    fleet, plan = random_plan_case(random.Random(seed))
    said.append([fleet.version, [v.to_dict() for v in verify(fleet, plan)]])
    fleet, placement = random_case(random.Random(seed))
    said.append([fleet.version, [v.to_dict() for v in verify(fleet, placement)]])
print(json.dumps(said))
"""


def test_the_same_input_gives_the_same_output(plain_environment: dict[str, str]) -> None:
    """Versions, violations, their order and their texts don't depend on how Python hashes."""
    outputs = set()
    for seed in ("0", "1", "4711"):
        process = subprocess.run(
            [sys.executable, "-c", TROUBLE],
            cwd=Path(__file__).parent.parent.parent,
            env=plain_environment | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        outputs.add(process.stdout)
    assert len(outputs) == 1
    assert sum(len(violations) for _, violations in json.loads(outputs.pop())) > 500
