# SPDX-License-Identifier: Apache-2.0
"""Instances of BtrPlace: what each part of the JSON becomes."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from moorage.formats import btrplace
from moorage.formats.tree import from_value, parse
from moorage.model import (
    BadInput,
    Dirtying,
    Fleet,
    GoalChoice,
    HostState,
    Link,
    MoorageError,
    Resource,
    Rule,
    When,
)
from moorage.rules.apart import Apart
from moorage.rules.ban import Ban
from moorage.rules.dedicated import Dedicated
from moorage.rules.group_capacity import GroupCapacity
from moorage.rules.guest_count import GuestCount
from moorage.rules.host_count import HostCount
from moorage.rules.pin import Pin
from moorage.rules.quarantine import Quarantine
from moorage.rules.split import Split
from moorage.rules.stay import Stay
from moorage.rules.together import Together
from moorage.verifying import broken_now, verify

# Nodes 0 and 1 are on, 2 is off. VMs 0 and 1 run on node 0, 2 on node 1, 3 sleeps there, 4 waits.
MAPPING: dict[str, Any] = {
    "onlineNodes": {
        "0": {"runningVMs": [0, 1], "sleepingVMs": []},
        "1": {"runningVMs": [2], "sleepingVMs": [3]},
    },
    "offlineNodes": [2],
    "readyVMs": [4],
}
CPU: dict[str, Any] = {
    "id": "shareableResource",
    "rcId": "cpu",
    "defCapacity": 8,
    "defConsumption": 1,
    "nodes": {"0": 16},
    "vms": {"0": 4},
}


def instance(
    *constraints: dict[str, Any],
    views: tuple[dict[str, Any], ...] = (CPU,),
    vms: dict[str, Any] | None = None,
    nodes: dict[str, Any] | None = None,
    mapping: dict[str, Any] | None = None,
    **top: Any,
) -> dict[str, Any]:
    """Return an instance as plain values."""
    attributes = {"vms": vms or {}, "nodes": nodes or {}}
    model = {"mapping": mapping or MAPPING, "attributes": attributes, "views": list(views)}
    return {"model": model, "constraints": list(constraints), **top}


def read(*constraints: dict[str, Any], **parts: Any) -> Fleet:
    """Read an instance with these parts."""
    return btrplace.read(from_value(instance(*constraints, **parts), name="x.json"))


def rules(*constraints: dict[str, Any]) -> tuple[Rule, ...]:
    """Return the rules that constraints become, without any warning."""
    fleet = read(*constraints)
    assert fleet.warnings == ()
    return fleet.rules


# --- the mapping -------------------------------------------------------------------------------


def test_elements_are_called_after_their_numbers() -> None:
    """Node 3 is node3 and VM 7 is vm7."""
    fleet = read()
    assert sorted(fleet.hosts) == ["node0", "node1", "node2"]
    assert sorted(fleet.guests) == ["vm0", "vm1", "vm2", "vm3", "vm4"]


def test_guests_are_where_they_run() -> None:
    """Those that run are there; one asleep is stopped on its host, one ready is stopped nowhere."""
    guests = read().guests
    assert {g.id: (g.host, g.stopped) for g in guests.values()} == {
        "vm0": ("node0", False),
        "vm1": ("node0", False),
        "vm2": ("node1", False),
        "vm3": ("node1", True),
        "vm4": (None, True),
    }


@pytest.mark.parametrize("offline", [[2], {"2": {}}])
def test_an_offline_node_is_down_and_keeps_its_capacity(offline: Any) -> None:
    """New files list offline nodes, old ones map them; both are down and have what they have."""
    fleet = read({"id": "offline", "node": 2}, mapping={**MAPPING, "offlineNodes": offline})
    assert fleet.hosts["node2"].state is HostState.DOWN
    assert fleet.hosts["node2"].capacity == {"cpu": 8}
    assert fleet.warnings == ()


def test_a_model_alone_is_read_too() -> None:
    """A document that begins with the mapping has no constraints."""
    fleet = btrplace.read(from_value(instance()["model"]))
    assert (len(fleet.hosts), fleet.rules, fleet.goal) == (3, (), None)


# --- views and attributes ----------------------------------------------------------------------


def test_a_resource_keeps_its_name_and_has_units() -> None:
    """Amounts are listed for some elements and by default for the others."""
    fleet = read()
    assert fleet.resources == {"cpu": Resource("cpu", "units")}
    assert [fleet.hosts[h].capacity["cpu"] for h in ("node0", "node1")] == [16, 8]
    assert [fleet.guests[g].demand["cpu"] for g in ("vm0", "vm1")] == [4, 1]


def test_names_of_elements_are_shown() -> None:
    """The naming views give hosts and guests a name beside their number."""
    nodes = {"id": "ns", "type": "node", "map": {"@N1": 1}}
    vms = {"id": "ns", "type": "vm", "map": {"db": 2}}
    fleet = read(views=(nodes, vms))
    assert (fleet.hosts["node1"].name, fleet.hosts["node0"].name) == ("@N1", "")
    assert fleet.guests["vm2"].name == "db"


def test_what_memory_does_while_it_is_copied() -> None:
    """MB become MiB, seconds milliseconds; what is missing has the original's defaults."""
    full = {"memUsed": 800, "hotDirtySize": 50, "hotDirtyDuration": 1.5, "coldDirtyRate": 2}
    guests = read(vms={"0": full, "1": {"memUsed": 100}, "2": {"migrate": 27}}).guests
    assert guests["vm0"].load.memory_mib == 800
    assert guests["vm0"].dirtying == Dirtying(50, 1500, 2048)
    assert guests["vm1"].dirtying == Dirtying(5, 2000, 0)
    assert (guests["vm2"].dirtying, guests["vm2"].move_duration_s) == (None, 27)


def test_other_attributes_are_counted_in_one_warning() -> None:
    """However many elements have them, they are named once with their numbers."""
    vms = {str(vm): {"template": "small", "migrate": 3} for vm in range(5)}
    fleet = read({"id": "offline", "node": 2}, vms=vms, nodes={"0": {"rack": 7}})
    assert fleet.warnings == (
        "attributes without a meaning here are skipped: of nodes rack (1); of vms template (5)",
    )


def test_unknown_views_and_keys_are_named() -> None:
    """What no version of the original writes is skipped with a warning."""
    odd = {"id": "offline", "node": 2, "colour": "red"}
    fleet = read(odd, views=({"id": "power"},), version=3)
    assert fleet.warnings == (
        "x.json: model.views[0]: a view of the unknown kind 'power' is skipped",
        "unknown keys are skipped: of the instance version (1); of constraints colour (1)",
    )


# --- the network -------------------------------------------------------------------------------

FOUR_NODES = {
    "onlineNodes": {str(n): {"runningVMs": [], "sleepingVMs": []} for n in range(4)},
    "offlineNodes": [],
    "readyVMs": [],
}


def cable(number: int, switch: int, kind: str, end: int, capacity: int = 1000) -> dict[str, Any]:
    """Return a cable from a switch to something."""
    element = {"type": kind, "id": end}
    return {"id": number, "capacity": capacity, "switch": switch, "physicalElement": element}


def network(*cables: dict[str, Any], limit: int = -1, **more: Any) -> Fleet:
    """Read four nodes, two on each of two switches, and these cables."""
    own = [cable(n, n // 2, "node", n, 1000 * (n + 1)) for n in range(4)]
    switches = [{"id": 0, "capacity": limit}, {"id": 1, "capacity": -1}, {"id": 2, "capacity": -1}]
    view = {"id": "net", "switches": switches, "links": [*own, *cables], **more}
    return read(views=(view,), mapping=FOUR_NODES)


def test_a_cable_between_switches_is_a_link_with_two_sides() -> None:
    """Moves between hosts on different sides cross it; a host's own cable is its bandwidth."""
    fleet = network(cable(4, 0, "switch", 1, 500), routing={"type": "default"})
    assert fleet.links == (Link("link4", 500, (("node0", "node1"), ("node2", "node3"))),)
    assert [h.bandwidth_mbps for h in fleet.hosts.values()] == [1000, 2000, 3000, 4000]
    assert fleet.warnings == ()


def test_a_blocking_switch_is_a_link_with_a_side_for_each_port() -> None:
    """All that goes through it shares its capacity, in both directions together."""
    fleet = network(cable(4, 0, "switch", 1), limit=700)
    switch = fleet.links[1]
    sides = (("node0",), ("node1",), ("node2", "node3"))
    assert switch == Link("switch0", 700, sides, duplex=False)


def test_cables_in_a_ring_are_skipped_and_named() -> None:
    """A cable that moves can go round separates no hosts."""
    ring = (cable(4, 0, "switch", 1), cable(5, 1, "switch", 2), cable(6, 2, "switch", 0))
    fleet = network(*ring)
    assert fleet.links == ()
    assert fleet.warnings == ("cables that moves can go round are skipped: link4, link5, link6",)


def test_routes_given_by_hand_are_skipped_and_said() -> None:
    """The cables decide where a move goes."""
    fleet = network(routing={"type": "static", "routes": []})
    assert fleet.warnings == (
        "x.json: model.views[0].routing: routes given by hand are skipped; cables decide",
    )


# --- constraints that are rules ----------------------------------------------------------------


@pytest.mark.parametrize(("continuous", "when"), [(True, When.ALWAYS), (False, When.AT_END)])
@pytest.mark.parametrize(
    ("constraint", "rule"),
    [
        ({"id": "spread", "vms": [0, 2]}, Apart(name="spread-1", guests=("vm0", "vm2"))),
        ({"id": "gather", "vms": [0, 2]}, Together(name="gather-1", guests=("vm0", "vm2"))),
        ({"id": "lonely", "vms": [0, 1]}, Dedicated(name="lonely-1", guests=("vm0", "vm1"))),
        (
            {"id": "split", "parts": [[0, 1], [2]]},
            Split(name="split-1", groups=(("vm0", "vm1"), ("vm2",))),
        ),
        (
            {"id": "among", "vms": [0, 1], "parts": [[0], [1, 2]]},
            Together(name="among-1", guests=("vm0", "vm1"), parts=(("node0",), ("node1", "node2"))),
        ),
        (
            {"id": "fence", "vm": 0, "nodes": [1, 0]},
            Pin(name="fence-1", guests=("vm0",), hosts=("node1", "node0")),
        ),
        (
            {"id": "ban", "vm": 0, "nodes": [1]},
            Ban(name="ban-1", guests=("vm0",), hosts=("node1",)),
        ),
        (
            {"id": "resourceCapacity", "rc": "cpu", "nodes": [0, 1], "amount": 9},
            GroupCapacity(
                name="resourceCapacity-1", hosts=("node0", "node1"), resource="cpu", at_most=9
            ),
        ),
        (
            {"id": "runningCapacity", "nodes": [0, 1], "amount": 9},
            GuestCount(name="runningCapacity-1", hosts=("node0", "node1"), at_most=9),
        ),
        (
            {"id": "maxOnline", "nodes": [0, 1], "amount": 1},
            HostCount(name="maxOnline-1", hosts=("node0", "node1"), at_most=1),
        ),
    ],
    ids=lambda value: value.get("id") if isinstance(value, dict) else "",
)
def test_constraints_become_rules(
    constraint: dict[str, Any], rule: Rule, continuous: bool, when: When
) -> None:
    """A continuous constraint holds at every instant, a discrete one at the end."""
    fleet = read({**constraint, "continuous": continuous}, {"id": "offline", "node": 2})
    [found] = fleet.rules
    assert found.when is when
    assert repr(found) == repr(rule).replace("when=None", f"when={when!r}")
    assert fleet.warnings == ()


OFF: dict[str, Any] = {"id": "offline", "node": 2}


def test_root_and_quarantine_have_no_other_time() -> None:
    """Both forbid moves, at every instant."""
    assert rules({"id": "root", "vm": 0}, {"id": "quarantine", "node": 1}, OFF) == (
        Stay(name="root-1", guests=("vm0",)),
        Quarantine(name="quarantine-1", hosts=("node1",)),
    )


def test_old_files_have_other_words() -> None:
    """rcId, vms of a fence, and limits for single nodes are understood as well."""
    found = rules(
        {"id": "fence", "vms": [0, 1], "nodes": [1]},
        {"id": "singleResourceCapacity", "rcId": "cpu", "nodes": [0, 1], "amount": 9},
        {"id": "singleRunningCapacity", "nodes": [0, 1], "amount": 9},
        {"id": "cumulatedRunningCapacity", "nodes": [0], "amount": 9},
        OFF,
    )
    assert [r.name for r in found] == [
        "fence-1",
        "singleResourceCapacity-1.1",
        "singleResourceCapacity-1.2",
        "singleRunningCapacity-1",
        "cumulatedRunningCapacity-1",
    ]
    assert [getattr(r, "each", None) for r in found] == [None, None, None, True, False]


def test_names_count_by_kind() -> None:
    """The second spread is spread-2, whatever stands between."""
    found = rules(
        {"id": "spread", "vms": [0, 2]},
        {"id": "root", "vm": 0},
        {"id": "spread", "vms": [1, 2]},
        OFF,
    )
    assert [r.name for r in found] == ["spread-1", "root-1", "spread-2"]


def test_sets_hold_each_element_once() -> None:
    """A VM that a list names twice is one VM."""
    [rule] = rules({"id": "spread", "vms": [0, 0, 2]}, OFF)
    assert rule == Apart(name="spread-1", guests=("vm0", "vm2"), when=When.AT_END)


def test_split_among_puts_groups_into_different_parts() -> None:
    """Each group of guests is in one group of hosts, and no two share one."""
    parts = {"vParts": [[0], [2]], "pParts": [[0], [1, 2]]}
    fleet = read({"id": "splitAmong", **parts, "continuous": False}, OFF)
    assert broken_now(fleet) == []
    for target, broken in (
        ({"vm0": "node1", "vm2": "node0"}, set()),
        ({"vm0": "node1", "vm2": "node1"}, {"splitAmong-1"}),
    ):
        assert {v.breach.rule for v in verify(fleet, target)} == broken


def test_among_without_parts_allows_no_host() -> None:
    """No groups of hosts at all hold nobody, instead of everybody."""
    fleet = read({"id": "among", "vms": [0], "parts": []}, OFF)
    assert [v.breach.rule for v in broken_now(fleet)] == ["among-1"]


# --- constraints that change what there is -----------------------------------------------------


def test_preserve_is_the_demand_from_now_on() -> None:
    """The amount stands instead of the consumption, from the start; of several, the most."""
    fleet = read(
        {"id": "preserve", "vm": 0, "rc": "cpu", "amount": 2},
        {"id": "preserve", "vm": 1, "rc": "cpu", "amount": 6},
        {"id": "preserve", "vm": 1, "rc": "cpu", "amount": 5},
    )
    assert [fleet.guests[g].demand["cpu"] for g in ("vm0", "vm1", "vm2")] == [2, 6, 1]


def test_overbooking_is_overcommit() -> None:
    """The ratio is cut to permille; of several for one node the least counts."""
    fleet = read(
        {"id": "overbook", "node": 0, "rc": "cpu", "ratio": 1.5, "continuous": True},
        {"id": "overbook", "node": 0, "rc": "cpu", "ratio": 1.25, "continuous": True},
    )
    assert fleet.hosts["node0"].overcommit_permille == {"cpu": 1250}
    assert fleet.hosts["node1"].overcommit_permille == {}


def test_a_node_to_switch_off_is_in_maintenance() -> None:
    """It has to be empty at the end, and nobody enters it."""
    fleet = read({"id": "offline", "node": 1}, OFF)
    assert fleet.hosts["node1"].state is HostState.MAINTENANCE
    assert fleet.warnings == ()


def test_a_ready_vm_that_must_run_waits_for_a_host() -> None:
    """It is not stopped, and has no host yet."""
    guest = read({"id": "running", "vm": 4}, OFF).guests["vm4"]
    assert (guest.stopped, guest.host) == (False, None)


@pytest.mark.parametrize(
    ("constraints", "warning"),
    [
        ([], "hosts that may be started stay down: node2"),
        ([{"id": "online", "node": 2}], "hosts that should be started stay down: node2"),
        (
            [{"id": "online", "node": 1}, {"id": "offline", "node": 1}],
            "hosts that should be on and off are in maintenance: node1",
        ),
        (
            [{"id": "ready", "vm": 0}, {"id": "sleeping", "vm": 1}, {"id": "killed", "vm": 2}],
            "guests that should be stopped keep running: vm0, vm1, vm2",
        ),
        ([{"id": "running", "vm": 3}], "sleeping guests that should run are placed anew: vm3"),
        (
            [{"id": "running", "vm": 4}, {"id": "killed", "vm": 4}],
            "guests that should run and be stopped will run: vm4",
        ),
        (
            [{"id": "seq", "vms": [0, 1]}, {"id": "seq", "vms": [1, 2]}],
            "seq (2 constraints): skipped; only capacity and rules put moves in order",
        ),
        (
            [{"id": "Precedence", "vm1": 0, "vm2": 1}],
            "precedence (1 constraint): skipped; only capacity and rules put moves in order",
        ),
        ([{"id": "sing"}], "sing (1 constraint): skipped, because the kind is unknown"),
    ],
)
def test_what_moorage_does_not_bring_about_is_said(
    constraints: list[dict[str, Any]], warning: str
) -> None:
    """Hosts are not started, guests not stopped, moves not put in a wished order."""
    assert warning in read(*constraints).warnings


def test_states_that_are_as_asked_need_no_word() -> None:
    """What runs and must run, is off and must be off, is as it should be."""
    states = [{"id": "running", "vm": 0}, {"id": "online", "node": 0}, {"id": "ready", "vm": 4}]
    assert read(*states, {"id": "sleeping", "vm": 3}, OFF).warnings == ()


@pytest.mark.parametrize("objective", ["minimizeMTTR", "minimizeMigrations"])
def test_the_objective_is_few_moves(objective: str) -> None:
    """All objectives of the original ask for few and short moves; which one it was is noted."""
    fleet = read(objective={"id": objective})
    assert fleet.goal == GoalChoice("few-moves")
    assert fleet.notes == {"objective": objective}


def test_an_unknown_objective_is_said() -> None:
    """It is read as few moves, with a warning."""
    fleet = read(OFF, objective={"id": "maximizeFun"})
    assert fleet.goal == GoalChoice("few-moves")
    assert "the unknown objective 'maximizeFun' is read as few moves" in fleet.warnings[0]


# --- what is no instance -----------------------------------------------------------------------


def spoilt(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """Return an instance with another value at *path*."""
    document = deepcopy(instance({"id": "spread", "vms": [0, 2]}))
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


MODEL, VIEW, ROW = ("model",), ("model", "views", 0), ("constraints", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("model",), None, "model is missing"),
        ((*MODEL, "mapping"), [], "mapping has to be a mapping, not a list"),
        ((*MODEL, "mapping", "readyVMs"), {}, "readyVMs has to be a list, not a mapping"),
        ((*MODEL, "mapping", "readyVMs"), [0], "vm 0 stands in the mapping twice"),
        ((*MODEL, "mapping", "readyVMs"), [-1], "-1 is no number of a vm"),
        ((*MODEL, "mapping", "readyVMs"), [True], "True is no number of a vm"),
        ((*MODEL, "mapping", "readyVMs"), [2**40], "1099511627776 is no number of a vm"),
        ((*MODEL, "mapping", "offlineNodes"), [0], "node 0 stands in the mapping twice"),
        ((*MODEL, "mapping", "onlineNodes", "n"), {}, "the key 'n' is no number of a node"),
        ((*MODEL, "mapping", "onlineNodes", "0"), 3, "0 has to be a mapping, not a whole number"),
        ((*VIEW, "id"), None, "id is missing in entry 1 of views"),
        ((*VIEW, "rcId"), None, "rcId is missing in entry 1 of views"),
        ((*VIEW, "rcId"), "", "a name can't be empty"),
        ((*VIEW, "nodes", "9"), 3, "node 9 is not in the mapping"),
        ((*VIEW, "nodes", "0"), -3, "0 is -3, but has to be from 0"),
        ((*VIEW, "nodes", "0"), "3", "0 has to be a whole number, not text"),
        ((*VIEW, "defCapacity"), -1, "defCapacity is -1, but has to be from 0"),
        ((*MODEL, "views"), [CPU, CPU], "a second view of the resource 'cpu'"),
        ((*MODEL, "attributes", "vms"), {"9": {}}, "vm 9 is not in the mapping"),
        ((*MODEL, "attributes", "vms"), {"0": {"memUsed": "9"}}, "memUsed has to be a number"),
        ((*ROW, "id"), 3.5, "id has to be a name, not a number"),
        ((*ROW, "vms"), 3, "vms has to be a list, not a whole number"),
        ((*ROW, "vms"), [0, 9], "vm 9 is not in the mapping"),
        ((*ROW, "vms"), [0, None], "entry 2 of vms has to be the number of a vm, not empty"),
        ((*ROW, "vms"), [0, True], "entry 2 of vms has to be the number of a vm, not true or"),
        ((*ROW, "continuous"), 1, "continuous has to be true or false, not a whole number"),
    ],
)
def test_what_is_wrong_is_refused(path: tuple[str | int, ...], value: Any, message: str) -> None:
    """A wrong type, a missing key, an element that isn't there: the place and a sentence."""
    document = spoilt(path, value)
    with pytest.raises(BadInput) as refused:
        btrplace.read(from_value(document, name="x.json"))
    assert refused.value.message.startswith(message)
    assert (refused.value.place or "").startswith("x.json")


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ({"id": "split", "parts": [[0, 1], [1]]}, "vm1 stands in two sets of parts"),
        ({"id": "split"}, "parts is missing in entry 1 of constraints"),
        (
            {"id": "splitAmong", "vParts": [[0]], "pParts": [[0], [0]]},
            "node0 stands in two sets of pParts",
        ),
        ({"id": "fence", "nodes": [0]}, "vm is missing in entry 1 of constraints"),
        ({"id": "preserve", "vm": 0, "rc": "gpu", "amount": 1}, "no view has the resource 'gpu'"),
        ({"id": "preserve", "vm": 0, "rc": "cpu"}, "amount is missing in entry 1"),
        ({"id": "overbook", "node": 0, "rc": "cpu", "ratio": -1}, "ratio is -1, but has to be"),
        ({"id": "online", "node": 7}, "node 7 is not in the mapping"),
    ],
)
def test_wrong_constraints_are_refused(constraint: dict[str, Any], message: str) -> None:
    """A constraint about what isn't there, or without what it needs, is refused."""
    with pytest.raises(BadInput) as refused:
        read(constraint)
    assert refused.value.message.startswith(message)


@pytest.mark.parametrize(
    ("cables", "message"),
    [
        ([cable(4, 9, "node", 0)], "there is no switch 9"),
        ([cable(4, 0, "node", 9)], "node 9 is not in the mapping"),
        ([cable(4, 0, "hub", 0)], "a cable leads to a node or a switch, not to 'hub'"),
        ([cable(0, 0, "switch", 1)], "a second cable is called link0"),
    ],
)
def test_wrong_cables_are_refused(cables: list[dict[str, Any]], message: str) -> None:
    """A cable has two ends that are there, and a number of its own."""
    with pytest.raises(BadInput) as refused:
        network(*cables)
    assert refused.value.message.startswith(message)


def test_the_place_is_line_and_column() -> None:
    """In a text, an error says where."""
    text = json.dumps(spoilt((*ROW, "vms"), [0, 9]), indent=1)
    line = next(i for i, row in enumerate(text.splitlines(), 1) if row.strip() == "9")
    with pytest.raises(BadInput) as refused:
        btrplace.read(parse(text, name="x.json"))
    assert refused.value.place == f"x.json:{line}:5"


@pytest.mark.parametrize("damage", ["", "0", "9", "-", '"', "[]", "{}", "null", "true", "1.5", ","])
def test_damaged_files_raise_only_typed_errors(damage: str) -> None:
    """Wherever an instance is damaged, it is read or refused, never crashed on."""
    rows = [
        {"id": "preserve", "vm": 0, "rc": "cpu", "amount": 1},
        {"id": "maxOnline", "nodes": [0], "amount": 1},
    ]
    text = json.dumps(instance(*rows, vms={"0": {"memUsed": 1}}))
    for at in range(0, len(text), 7):
        try:
            btrplace.read(parse(text[:at] + damage + text[at + 2 :], name="x.json"))
        except MoorageError:
            continue
