# SPDX-License-Identifier: Apache-2.0
"""Scenarios of proxlb-solver: what each field becomes."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from moorage.formats import proxlb
from moorage.formats.tree import YAML_1_1, from_value, parse
from moorage.model import (
    BadInput,
    Fleet,
    GuestKind,
    Host,
    HostState,
    MoorageError,
    Pressure,
    Rule,
    Strength,
)
from moorage.rules.apart import Apart
from moorage.rules.drain import Drain
from moorage.rules.pin import Pin
from moorage.rules.stay import Stay
from moorage.rules.together import Together
from moorage.verifying import broken_now

TWO_NODES = """
nodes:
  n1: {cpu_total: 8, memory_total_gb: 64}
  n2: {cpu_total: 8, memory_total_gb: 64}
"""
THREE_GUESTS = """
vms:
  a: {node: n1, cpu: 2, memory_gb: 4}
  b: {node: n1, cpu: 2, memory_gb: 4}
  c: {node: n2, cpu: 2, memory_gb: 4}
"""
CLUSTER = TWO_NODES + THREE_GUESTS


def read(text: str, name: str = "lab.yaml") -> Fleet:
    """Read a scenario as YAML 1.1."""
    return proxlb.read(parse(dedent(text), name=name, yaml_version=YAML_1_1))


def host(**fields: Any) -> Host:
    """Return the host of a scenario with one node that has these fields."""
    given = {"cpu_total": 8, "memory_total_gb": 64} | fields
    return proxlb.read(from_value({"nodes": {"n1": given}})).hosts["n1"]


def rules_of(constraints: str, cluster: str = CLUSTER) -> tuple[Rule, ...]:
    """Return the rules of a small cluster with these constraints."""
    return read(cluster + "constraints:\n" + constraints).rules


# --- the file ----------------------------------------------------------------------------------


def test_an_empty_scenario_is_a_fleet_of_nothing() -> None:
    """Every section may be left out; the name is the file's then."""
    fleet = read("name:\n", name="/tmp/labs/quiet.yaml.gz")
    assert (fleet.hosts, fleet.guests, fleet.rules, fleet.name) == ({}, {}, (), "quiet")
    assert fleet.goal is not None
    assert (fleet.goal.name, fleet.goal.options) == ("proxlb", {})
    assert fleet.warnings == ()


def test_name_description_and_expectations_are_kept() -> None:
    """What people and tests read in a scenario stands in the name and the notes."""
    fleet = read(
        """
        name: Lab 1
        description: two nodes
        expect:
          {feasible: true, constraints_satisfied: false, spread_improved: true, node_empty: n1,
           max_migrations: 2, placements: {a: n1, b: == a}, path_feasible: false}
        """
    )
    assert fleet.name == "Lab 1"
    assert fleet.notes["description"] == "two nodes"
    assert fleet.notes["expect"] == {
        "feasible": True,
        "constraints_satisfied": False,
        "spread_improved": True,
        "node_empty": "n1",
        "max_migrations": 2,
        "placements": {"a": "n1", "b": "== a"},
        "path_feasible": False,
    }


def test_unknown_keys_are_named_and_ignored() -> None:
    """A key that the original ignores is ignored too, with its place and a guess."""
    fleet = read("nodes:\n  n1: {cpu_total: 8, memory_total_gb: 64, maintenence: true}\n")
    assert fleet.hosts["n1"].state is HostState.ACTIVE
    assert fleet.warnings == (
        "lab.yaml:2:43: unknown key 'maintenence' in n1 is ignored; did you mean maintenance?",
    )


def test_many_warnings_of_a_kind_are_counted() -> None:
    """The first three of a kind are shown; of the others the number is told."""
    keys = "".join(f"k{number}: 1\n" for number in range(10))
    *shown, rest = read(keys).warnings
    assert len(shown) == 3
    assert rest == "unknown keys: 7 more"


# --- balancing ---------------------------------------------------------------------------------


def test_options_of_the_goal_are_kept_as_they_are() -> None:
    """Only what the file says is stored, so that the goal can hold its own defaults."""
    weights = {f"w_{r}_{k}": 3 for r in ("cpu", "mem", "io") for k in ("usage", "psi")}
    weights |= {"w_global_mem": 1, "w_global_cpu": 2, "w_global_io": 0}
    given: dict[str, Any] = {"method": "global_smart", "mode": "psi", "balanciness": 5}
    given |= {"memory_threshold": 80, "cpu_threshold": 75.5, "disk_threshold": None}
    given |= {"w_balance": 7, "w_stickiness": 0, **weights}
    goal = proxlb.read(from_value({"balancing": given})).goal
    assert goal is not None
    assert goal.options == {key: value for key, value in given.items() if value is not None}


@pytest.mark.parametrize(
    ("written", "permille"),
    [(None, 2000), (1, 1000), (2.0, 2000), (1.1, 1100), (2.3, 2300), (1.0019, 1001), (0, 0)],
)
def test_overcommit_of_cpu_is_exact(written: float | None, permille: int) -> None:
    """The ratio is cut to permille without an error of floating point; 2 is the default."""
    document = {
        "balancing": {"cpu_overcommit": written},
        "nodes": {"n1": {"cpu_total": 8, "memory_total_gb": 64}},
    }
    [node] = proxlb.read(from_value(document)).hosts.values()
    assert node.overcommit_permille == {"cpu": permille}
    assert node.usable("cpu") == 8 * permille
    assert node.usable("memory") == 64 * 1024


@pytest.mark.parametrize(
    ("section", "at_once", "into_host"),
    [
        ("", None, 1),
        ("{max_parallel_migrations: null}", None, 1),
        ("{max_parallel_migrations: 3, max_node_inflow: 2}", 3, 2),
        ("{max_node_inflow: 0}", None, None),
    ],
)
def test_limits_of_moves(section: str, at_once: int | None, into_host: int | None) -> None:
    """Moves at once are unlimited by default, moves into one node are one at a time."""
    limits = read(f"balancing: {section}\n").limits
    assert (limits.at_once, limits.into_host) == (at_once, into_host)


@pytest.mark.parametrize(
    ("section", "warning"),
    [
        ("{method: memroy}", "unknown method 'memroy': the original then balances disk"),
        ("{mode: speed}", "unknown mode 'speed' is read as 'used'"),
        ("{max_parallel_migrations: 0}", "max_parallel_migrations is 0, which is read as no limit"),
    ],
)
def test_odd_options_are_accepted_with_a_warning(section: str, warning: str) -> None:
    """What the original silently takes for something else is taken so and said."""
    [line] = read(f"balancing: {section}\n").warnings
    assert line.endswith(warning)


# --- nodes -------------------------------------------------------------------------------------


def test_a_node_has_room_in_whole_units() -> None:
    """GB are GiB and become MiB, cores become millicores, pools become resources."""
    node = host(cpu_total=4, memory_total_gb=1.5, storage_free={"local": 10, "ceph": 0.5})
    assert node.capacity == {"cpu": 4000, "memory": 1536, "disk:local": 10240, "disk:ceph": 512}


def test_a_fraction_of_a_mib_is_cut_off() -> None:
    """Amounts are cut to whole MiB from their text, so that 0.3 GB is 307 MiB."""
    assert host(memory_total_gb=0.3).capacity["memory"] == 307


def test_what_a_node_keeps_for_itself() -> None:
    """The reserve is taken off before anything else is counted; zeros are left out."""
    node = host(reserve={"cpu": 2, "memory_gb": 4, "storage_gb": {"local": 1}})
    assert node.reserve == {"cpu": 2000, "memory": 4096, "disk:local": 1024}
    assert node.usable("cpu") == 6000 * 2
    assert host(reserve={"cpu": 0}).reserve == {}


def test_maintenance_and_pressure_of_a_node() -> None:
    """Maintenance is a state; pressures in percent become basis points."""
    node = host(maintenance=True, cpu_pressure=20.0, memory_pressure=0.25, io_pressure=3)
    assert node.state is HostState.MAINTENANCE
    assert node.pressure == Pressure(cpu_bp=2000, memory_bp=25, io_bp=300)


# --- vms ---------------------------------------------------------------------------------------


def test_a_guest_with_every_field() -> None:
    """Demand, load, pressure, priority, kind and tags of a guest."""
    guest = read(
        TWO_NODES
        + """
vms:
  web: {node: n2, cpu: 4, memory_gb: 2.5, cpu_usage: 1.25, cpu_pressure: 1.5, memory_pressure: 2,
        io_pressure: 0.01, disks: {local: 8}, priority: 5, type: ct, tags: [prod, 7]}
"""
    ).guests["web"]
    assert guest.host == "n2"
    assert guest.demand == {"cpu": 4000, "memory": 2560, "disk:local": 8192}
    assert guest.load.cpu_millicores == 1250
    assert guest.load.pressure == Pressure(cpu_bp=150, memory_bp=200, io_bp=1)
    assert (guest.priority, guest.kind, guest.tags) == (5, GuestKind.CONTAINER, ("prod", "7"))


def test_a_guest_with_the_least() -> None:
    """The load is all its vCPUs and the priority is 2 where nothing else is said."""
    guest = read(CLUSTER).guests["a"]
    assert (guest.load.cpu_millicores, guest.priority, guest.kind) == (2000, 2, GuestKind.VM)
    assert guest.vcpus is None


def test_resources_name_every_pool() -> None:
    """A pool of a guest is a resource too, though no node has any of it."""
    fleet = read(TWO_NODES + "vms: {a: {node: n1, cpu: 1, memory_gb: 1, disks: {nfs: 1}}}\n")
    assert [(r.id, r.unit) for r in fleet.resources.values()] == [
        ("memory", "MiB"),
        ("cpu", "millicores"),
        ("disk:nfs", "MiB"),
    ]
    assert [v.breach.code for v in broken_now(fleet)] == ["no_capacity_disk"]


def test_a_guest_wider_than_its_node_is_said() -> None:
    """The original allows more vCPUs than cores, which a hypervisor refuses: a warning."""
    wide = """
vms:
  big: {node: n1, cpu: 9, memory_gb: 1}
  box: {node: n1, cpu: 9, memory_gb: 1, type: ct}
"""
    [warning] = read(TWO_NODES + wide).warnings
    assert warning.endswith(
        "big has 9 vCPUs and its node n1 8 cores, which Proxmox refuses to start"
    )


def test_an_unknown_type_is_a_vm() -> None:
    """The type has no effect in the original: any word is accepted, with a warning."""
    fleet = read(TWO_NODES + "vms: {a: {node: n1, cpu: 1, memory_gb: 1, type: lxc}}\n")
    assert fleet.guests["a"].kind is GuestKind.VM
    assert fleet.warnings[0].endswith("unknown type 'lxc' is read as vm")


def test_names_that_look_like_numbers_or_truth_values() -> None:
    """A plain 0101, 12 or on in YAML 1.1 names the node or guest that is written alike."""
    fleet = read(
        """
        nodes: {0101: {cpu_total: 1, memory_total_gb: 1}, on: {cpu_total: 1, memory_total_gb: 1}}
        vms: {7: {node: 0101, cpu: 1, memory_gb: 1}, 8: {node: on, cpu: 1, memory_gb: 1}}
        constraints: {anti_affinity: [{vms: [7, "8"]}], pin: [{vm: 7, nodes: [65, On]}]}
        """
    )
    assert {g.id: g.host for g in fleet.guests.values()} == {"7": "0101", "8": "on"}
    apart, pin = fleet.rules
    assert isinstance(apart, Apart)
    assert isinstance(pin, Pin)
    assert (apart.guests, pin.hosts) == (("7", "8"), ("0101", "on"))


# --- rules -------------------------------------------------------------------------------------


def test_affinity_is_together_at_the_end() -> None:
    """A hard affinity of ProxLB itself may be split on the way."""
    [rule] = rules_of("  affinity: [{name: pair, vms: [a, b]}]\n")
    assert rule == Together(name="pair", guests=("a", "b"), origin="plb")
    assert not rule.holds_always


def test_affinity_that_proxmox_enforces_holds_always() -> None:
    """Proxmox moves its own affinity groups as one."""
    [rule] = rules_of("  affinity: [{name: pair, vms: [a, b], origin: pve}]\n")
    assert rule.holds_always


def test_anti_affinity_is_apart_always() -> None:
    """Hard anti-affinity may not break on the way either."""
    [rule] = rules_of("  anti_affinity: [{name: db, vms: [a, c], hard: true}]\n")
    assert rule == Apart(name="db", guests=("a", "c"), origin="plb")
    assert rule.holds_always


def test_soft_rules_are_wishes() -> None:
    """hard: false makes a should-rule."""
    rules = rules_of(
        "  affinity: [{vms: [a, b], hard: false}]\n  anti_affinity: [{vms: [a, c], hard: no}]\n"
    )
    assert [r.strength for r in rules] == [Strength.SHOULD, Strength.SHOULD]


def test_rules_without_a_name_get_one() -> None:
    """Names are made of kind and position; a second one of a name gets a number."""
    rules = rules_of(
        """
  affinity: [{vms: [a, b]}, {name: x, vms: [a, b]}]
  anti_affinity: [{name: x, vms: [a, c]}, {name: x, vms: [b, c]}]
  pin: [{vm: a, nodes: [n1]}, {vm: b, nodes: [n1], name: mine}]
"""
    )
    assert [r.name for r in rules] == ["affinity-1", "x", "x (2)", "x (3)", "pin-1", "mine"]


def test_a_pin_keeps_the_order_of_its_nodes() -> None:
    """The order of the list is an order of liking; several pins of a guest all bind."""
    first, second = rules_of("  pin: [{vm: a, nodes: [n2, n1]}, {vm: a, nodes: [n1]}]\n")
    assert first == Pin(name="pin-1", guests=("a",), hosts=("n2", "n1"), origin="plb")
    assert second == Pin(name="pin-2", guests=("a",), hosts=("n1",), origin="plb")


def test_a_pin_to_nothing_stays() -> None:
    """Unknown nodes are dropped and named; a pin without any left holds its guest nowhere."""
    fleet = read(CLUSTER + "constraints: {pin: [{vm: a, nodes: [ghost]}]}\n")
    assert fleet.rules == (Pin(name="pin-1", guests=("a",), origin="plb", hosts=()),)
    assert fleet.warnings[0].endswith("unknown node 'ghost' in a rule is skipped")


def test_ignored_guests_stay() -> None:
    """Both forms of the list make one rule."""
    [rule] = rules_of("  ignore: [a, {vm: c}]\n")
    assert rule == Stay(name="ignore", guests=("a", "c"))


def test_a_node_to_evacuate_is_drained() -> None:
    """evacuate_node empties a node that stays in service."""
    fleet = read(CLUSTER + "evacuate_node: n1\n")
    assert fleet.rules == (Drain(name="evacuate", hosts=("n1",)),)
    assert fleet.hosts["n1"].state is HostState.ACTIVE


@pytest.mark.parametrize("name", ["", "n" * 1001], ids=["empty", "endless"])
@pytest.mark.parametrize(
    "text",
    [
        "nodes: {%s: {cpu_total: 8, memory_total_gb: 64}}\n",
        "nodes: {n: {cpu_total: 8, memory_total_gb: 64, storage_free: {%s: 1}}}\n",
        CLUSTER.replace("  a:", "  %s:"),
    ],
    ids=["node", "pool", "vm"],
)
def test_what_has_no_name_in_a_native_file_has_none_here(text: str, name: str) -> None:
    """Names that couldn't be written as native are refused, instead of unreadable files made."""
    with pytest.raises(BadInput, match=r"name (can't be empty|is too long)"):
        read(text % f'"{name}"')


@pytest.mark.parametrize(
    ("constraints", "kind"),
    [
        ("  affinity: [{name: one, vms: [a, ghost]}]\n", "unknown guest 'ghost'"),
        ("  affinity: [{name: one, vms: [a]}]\n", "'one' has fewer than two known guests"),
        ("  anti_affinity: [{name: dup, vms: [a, a]}]\n", "'a' is listed twice"),
        ("  pin: [{vm: ghost, nodes: [n1]}]\n", "unknown guest 'ghost'"),
        ("  ignore: [ghost]\n", "unknown guest 'ghost'"),
    ],
)
def test_rules_about_nobody_are_skipped_and_named(constraints: str, kind: str) -> None:
    """What the original silently skips is skipped with a warning."""
    fleet = read(CLUSTER + "constraints:\n" + constraints)
    assert fleet.rules == ()
    assert any(kind in warning for warning in fleet.warnings)


def test_other_things_that_have_no_effect() -> None:
    """A pin that is not strict, and an unknown node to evacuate, are said to be so."""
    fleet = read(
        CLUSTER + "evacuate_node: n9\nconstraints: {pin: [{vm: a, nodes: [n1], strict: false}]}\n"
    )
    assert [w.partition(": ")[2] for w in fleet.warnings] == [
        "evacuate_node names the unknown node 'n9' and is skipped",
        "strict: false has no effect; every pin is hard, as in the original",
    ]


# --- tags --------------------------------------------------------------------------------------


def tagged(**tags: list[str]) -> Fleet:
    """Return a fleet of guests that carry these tags."""
    nodes = {name: {"cpu_total": 8, "memory_total_gb": 64} for name in ("n1", "n2", "n3")}
    vms = {g: {"node": "n1", "cpu": 1, "memory_gb": 1, "tags": t} for g, t in tags.items()}
    return proxlb.read(from_value({"nodes": nodes, "vms": vms}))


def test_tags_make_groups() -> None:
    """Guests with the same affinity tag form one rule with the tag's name."""
    fleet = tagged(
        b=["plb_affinity_web", "plb_anti_affinity_db"],
        a=["plb_affinity_web", "prod"],
        c=["plb_anti_affinity_db"],
    )
    assert fleet.rules == (
        Together(name="plb_affinity_web", guests=("a", "b"), origin="plb"),
        Apart(name="plb_anti_affinity_db", guests=("b", "c"), origin="plb"),
    )
    assert fleet.warnings == ()


def test_pin_tags_of_a_guest_are_a_union() -> None:
    """Two pin tags are two nodes to choose from; the original makes them a contradiction."""
    fleet = tagged(a=["plb_pin_n2", "plb_pin_n1", "plb_pin_n9"])
    assert fleet.rules == (Pin(name="plb_pin_a", guests=("a",), hosts=("n2", "n1"), origin="plb"),)
    [warning] = fleet.warnings
    assert warning.endswith("vms.a.tags: tag 'plb_pin_n9' names an unknown node and is skipped")


@pytest.mark.parametrize(
    ("tag", "warning"),
    [
        ("plb_ignore_me", "tag 'plb_ignore_me' of 'a' has no effect in a scenario"),
        ("plb_affinity_web", "only 'a' has the tag 'plb_affinity_web', which makes no rule"),
    ],
)
def test_tags_without_an_effect_are_named(tag: str, warning: str) -> None:
    """A tag that looks like a rule and makes none is said to make none."""
    fleet = tagged(a=[tag])
    assert fleet.rules == ()
    assert warning in fleet.warnings[0]
    assert fleet.guests["a"].tags == (tag,)


# --- what is no scenario -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("[1]\n", "1:1", "the document has to be a mapping, not a list"),
        ("nodes: 3\n", "1:8", "nodes has to be a mapping, not a whole number"),
        ("nodes: {n1: {memory_total_gb: 1}}\n", "1:13", "cpu_total is missing in n1"),
        ("nodes: {n1: {cpu_total: 1}}\n", "1:13", "memory_total_gb is missing in n1"),
        (
            "nodes: {n1: {cpu_total: many, memory_total_gb: 1}}\n",
            "1:25",
            "cpu_total has to be a whole number, not text",
        ),
        (
            "nodes: {n1: {cpu_total: 1.5, memory_total_gb: 1}}\n",
            "1:25",
            "cpu_total has to be a whole number, not 1.5",
        ),
        (
            "nodes: {n1: {cpu_total: 1, memory_total_gb: -1}}\n",
            "1:45",
            "memory_total_gb is -1, but has to be from 0 to 1000000000",
        ),
        (
            "nodes: {n1: {cpu_total: 1, memory_total_gb: 1e12}}\n",
            "1:45",
            "memory_total_gb has to be a number, not text",
        ),
        (
            "nodes: {n1: {cpu_total: yes, memory_total_gb: 1}}\n",
            "1:25",
            "cpu_total has to be a whole number, not true or false",
        ),
        (
            "nodes: {n1: {cpu_total: 1, memory_total_gb: 1, maintenance: 1}}\n",
            "1:61",
            "maintenance has to be true or false, not a whole number",
        ),
        ("vms: {a: {cpu: 1, memory_gb: 1}}\n", "1:10", "node is missing in a"),
        ("vms: {a: {node: n1, cpu: 1, memory_gb: 1}}\n", "1:17", "unknown node 'n1'"),
        ("balancing: {balanciness: 6}\n", "1:26", "balanciness is 6, but has to be from 1 to 5"),
        ("balancing: {w_balance: -1}\n", "1:24", "w_balance is -1, but has to be from 0"),
        ("constraints: {affinity: {}}\n", "1:25", "affinity has to be a list, not a mapping"),
        (
            "constraints: {affinity: [{vms: [[a], b]}]}\n",
            "1:33",
            "entry 1 of vms has to be a name, not a list",
        ),
        ("constraints: {pin: [{nodes: []}]}\n", "1:21", "vm is missing in entry 1 of pin"),
        ("constraints: {pin: [{vm: a}]}\n", "1:21", "nodes is missing in entry 1 of pin"),
        ("expect: {feasible: maybe}\n", "1:20", "feasible has to be true or false, not text"),
        ("evacuate_node: [n1]\n", "1:16", "evacuate_node has to be a name, not a list"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    """A wrong type, a missing key, an amount beyond all bounds: line, column and sentence."""
    with pytest.raises(BadInput) as refused:
        read(text)
    assert refused.value.place == f"lab.yaml:{place}"
    assert refused.value.message.startswith(message)


@pytest.mark.parametrize("damage", ["", "\x00", "{", "[", "- ", "1", "null", '"', "&a", "*a", ": "])
def test_damaged_files_raise_only_typed_errors(damage: str) -> None:
    """Wherever a scenario is damaged, it is read or refused, never crashed on."""
    text = CLUSTER + "constraints: {pin: [{vm: a, nodes: [n1]}], ignore: [a]}\n"
    for at in range(0, len(text), 5):
        try:
            read(text[:at] + damage + text[at + 3 :])
        except MoorageError:
            continue
