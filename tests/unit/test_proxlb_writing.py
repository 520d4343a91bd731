# SPDX-License-Identifier: Apache-2.0
"""Fleets written as scenarios: nothing is lost, or it is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.formats import proxlb
from moorage.formats.tree import YAML_1_1, YAML_1_2, from_value, parse
from moorage.model import (
    BalancePrice,
    Dirtying,
    Fleet,
    FrozenMap,
    GoalChoice,
    Guest,
    GuestKind,
    Health,
    Host,
    HostState,
    Link,
    Load,
    MoveLimits,
    Prices,
    Resource,
    Rule,
    Strength,
    Unsupported,
    Verdict,
    Volume,
    When,
)
from moorage.rules.apart import Apart
from moorage.rules.drain import Drain
from moorage.rules.near import Near
from moorage.rules.pin import Pin
from moorage.rules.stay import Stay
from moorage.rules.together import Together

EVERYTHING: dict[str, Any] = {
    "name": "yes",
    "description": "Two nodes: one of them full.\n",
    "balancing": {
        "method": "memory_smart",
        "mode": "used",
        "balanciness": 4,
        "cpu_overcommit": 1.5,
        "memory_threshold": 80.5,
        "w_stickiness": 0,
        "max_parallel_migrations": 2,
        "max_node_inflow": 0,
    },
    "nodes": {
        "on": {
            "cpu_total": 16,
            "memory_total_gb": 64.5,
            "cpu_pressure": 20.25,
            "storage_free": {"local": 100, "my pool": 0.5},
            "reserve": {"cpu": 1, "memory_gb": 2, "storage_gb": {"local": 3}},
        },
        "101": {"cpu_total": 8, "memory_total_gb": 32, "maintenance": True, "io_pressure": 1},
        "n3": {"cpu_total": 8, "memory_total_gb": 32},
    },
    "vms": {
        "a": {"node": "on", "cpu": 4, "memory_gb": 0.5, "cpu_usage": 0.1, "disks": {"local": 8}},
        "b": {"node": "on", "cpu": 4, "memory_gb": 1, "priority": 9, "type": "ct"},
        "0x10": {"node": "101", "cpu": 1, "memory_gb": 1, "memory_pressure": 3.5},
        "d: e": {"node": "n3", "cpu": 1, "memory_gb": 1, "tags": ["plb_affinity_x", "plb_pin_n3"]},
        "é#": {"node": "n3", "cpu": 1, "memory_gb": 1, "tags": ["plb_affinity_x", "prod", "1"]},
    },
    "constraints": {
        "affinity": [{"name": "pair", "vms": ["b", "a"], "hard": False}, {"vms": ["a", "d: e"]}],
        "anti_affinity": [{"name": "pair", "vms": ["a", "0x10", "é#"], "origin": "pve"}],
        "pin": [{"vm": "a", "nodes": ["n3", "on"]}, {"vm": "b", "nodes": ["on"], "name": "null"}],
        "ignore": ["0x10"],
    },
    "evacuate_node": "101",
    "expect": {"feasible": True, "max_migrations": 3, "placements": {"a": "on", "b": "== a"}},
}


def everything() -> Fleet:
    """Return a fleet that uses every field of the format."""
    return proxlb.read(from_value(EVERYTHING))


def reread(text: str, version: tuple[int, int] = YAML_1_1) -> Fleet:
    """Read what was written."""
    return proxlb.read(parse(text, name="written.yaml", yaml_version=version))


@pytest.mark.parametrize("version", [YAML_1_1, YAML_1_2])
def test_a_scenario_written_and_read_is_the_same_fleet(version: tuple[int, int]) -> None:
    """Every field survives, whichever version of YAML the reader takes it for."""
    fleet = everything()
    again = reread(proxlb.write(fleet), version)
    assert again == fleet
    assert again.version == fleet.version
    assert again.warnings == ()


def test_what_is_written_is_a_fixpoint() -> None:
    """Writing what was written and read gives the same bytes."""
    text = proxlb.write(everything())
    assert proxlb.write(reread(text)) == text


def test_a_small_scenario_reads_well() -> None:
    """One line for each node, guest and rule; defaults are left out."""
    fleet = reread(
        """
        name: lab
        description: A long description that does not fit into one line of ninety characters, and so is folded.
        balancing: {method: memory}
        nodes: {n1: {cpu_total: 8, memory_total_gb: 64}, n2: {cpu_total: 8, memory_total_gb: 64}}
        vms: {a: {node: n1, cpu: 2, memory_gb: 4.5}, b: {node: n2, cpu: 2, memory_gb: 4}}
        constraints: {affinity: [{name: pair, vms: [a, b]}], ignore: [a]}
        """  # noqa: E501 - the length is what is tested
    )
    assert proxlb.write(fleet) == (
        "name: lab\n"
        "description: >-\n"
        "  A long description that does not fit into one line of ninety characters, and so is\n"
        "  folded.\n"
        "balancing:\n"
        "  method: memory\n"
        "  cpu_overcommit: 2\n"
        "nodes:\n"
        "  n1: {cpu_total: 8, memory_total_gb: 64}\n"
        "  n2: {cpu_total: 8, memory_total_gb: 64}\n"
        "vms:\n"
        "  a: {node: n1, cpu: 2, memory_gb: 4.5}\n"
        "  b: {node: n2, cpu: 2, memory_gb: 4}\n"
        "constraints:\n"
        "  affinity:\n"
        "    - {name: pair, vms: [a, b]}\n"
        "  ignore: [a]\n"
    )


@given(
    st.text(
        st.characters(exclude_categories=["Cs"]) | st.sampled_from(list(" \n:#-'\"{}[],&*!|>%@`")),
        min_size=1,
        max_size=120,
    )
)
def test_any_text_survives(text: str) -> None:
    """Names and descriptions may hold any characters: both versions read them back."""
    fleet = Fleet(name=text, notes=FrozenMap({"description": text}), limits=MoveLimits(None, 1))
    for version in (YAML_1_1, YAML_1_2):
        again = reread(proxlb.write(fleet), version)
        assert (again.name, again.notes["description"]) == (text, text)


@given(st.integers(0, 10**12))
def test_any_amount_of_memory_survives(mib: int) -> None:
    """GB with a fraction stand for whole MiB exactly."""
    host = Host("n1", capacity=FrozenMap({"memory": mib}))
    fleet = Fleet(hosts=FrozenMap({"n1": host}))
    assert reread(proxlb.write(fleet)).hosts["n1"].capacity["memory"] == mib


# --- what has no words -------------------------------------------------------------------------

HOST = Host("n1", FrozenMap({"memory": 1024, "cpu": 8000}))
GUEST = Guest("a", host="n1", demand=FrozenMap({"memory": 1024, "cpu": 1000}))


def fleet_of(host: Host = HOST, guest: Guest = GUEST, **fields: Any) -> Fleet:
    """Return a fleet of two hosts and a guest."""
    hosts = FrozenMap({"n1": host, "n2": replace(HOST, id="n2")})
    return Fleet(hosts=hosts, guests=FrozenMap({"a": guest}), **fields)


def resources(*extra: Resource) -> FrozenMap[str, Resource]:
    """Return the standard resources and others."""
    return Fleet().resources.with_items((r.id, r) for r in extra)


@pytest.mark.parametrize(
    ("fleet", "named"),
    [
        (fleet_of(replace(HOST, labels=FrozenMap({"rack": "r1"}))), "host n1: labels"),
        (fleet_of(replace(HOST, state=HostState.DOWN)), "host n1: state down"),
        (fleet_of(replace(HOST, verdict=Verdict(Health.CRITICAL))), "host n1: verdict"),
        (fleet_of(replace(HOST, cores=8)), "host n1: cores"),
        (fleet_of(replace(HOST, bandwidth_mbps=1000)), "host n1: bandwidth mbps"),
        (fleet_of(replace(HOST, devices=FrozenMap({"gpu": 1}))), "host n1: devices"),
        (
            fleet_of(replace(HOST, overcommit_permille=FrozenMap({"memory": 1500}))),
            "host n1: overcommit of anything but CPU",
        ),
        (
            fleet_of(replace(HOST, overcommit_permille=FrozenMap({"cpu": 1500}))),
            "hosts of which CPU is overcommitted differently",
        ),
        (fleet_of(replace(HOST, capacity=FrozenMap({"cpu": 1500}))), "host n1: 1500 millicores"),
        (fleet_of(guest=replace(GUEST, host=None)), "guest a, which has no host"),
        (fleet_of(guest=replace(GUEST, stopped=True)), "guest a: stopped"),
        (fleet_of(guest=replace(GUEST, kind=GuestKind.MICROVM)), "guest a: kind microvm"),
        (fleet_of(guest=replace(GUEST, dirtying=Dirtying())), "guest a: dirtying"),
        (fleet_of(guest=replace(GUEST, lock="backup")), "guest a: lock"),
        (fleet_of(guest=replace(GUEST, load=Load(memory_mib=1))), "guest a: load: memory mib"),
        (fleet_of(volumes=FrozenMap({"v": Volume("v")})), "the fleet: volumes"),
        (fleet_of(links=(Link("l", 1, ((), ())),)), "the fleet: links"),
        (fleet_of(prices=Prices((BalancePrice("cpu", "memory", 1, 1),))), "the fleet: prices"),
        (fleet_of(limits=MoveLimits(out_of_host=1)), "limits: out of host"),
        (fleet_of(goal=GoalChoice("pack")), "goal pack"),
        (
            fleet_of(goal=GoalChoice("proxlb", FrozenMap({"speed": 9}))),
            "option speed of the goal",
        ),
        (fleet_of(notes=FrozenMap({"owner": "me"})), "note owner"),
        (fleet_of(notes=FrozenMap({"expect": FrozenMap({"luck": 1})})), "note expect"),
        (fleet_of(resources=resources(Resource("gpu"))), "resource gpu"),
        (fleet_of(resources=resources(Resource("disk:x", "MiB", 5))), "resource disk:x"),
        (fleet_of(guest=replace(GUEST, tags=("plb_pin_n1",))), "a tag that is not a rule"),
    ],
)
def test_what_has_no_words_is_refused_by_name(fleet: Fleet, named: str) -> None:
    """A fleet that a scenario can't express is not written, and the error says why."""
    with pytest.raises(Unsupported) as refused:
        proxlb.write(fleet)
    assert named in refused.value.message


@pytest.mark.parametrize(
    "rule",
    [
        Apart(name="r", guests=("a",), domain="rack"),
        Apart(name="r", guests=("a",), at_most=2),
        Apart(name="r", guests=("a",), when=When.AT_END),
        Together(name="r", guests=("a",), when=When.ALWAYS),
        Together(name="r", guests=("a",), parts=(("n1",),)),
        Together(name="r", guests=("a",), strength=Strength.SHOULD, weight=5),
        Pin(name="r", guests=("a",), hosts=("n1",), strength=Strength.SHOULD),
        Stay(name="r", guests=("a",), strength=Strength.SHOULD),
        Drain(name="r", hosts=("n1", "n2")),
        Near(name="r", guests=("a",), to=("a",)),
    ],
    ids=repr,
)
def test_rules_without_words_are_refused_by_name(rule: Rule) -> None:
    """A rule of another kind, domain, time or weight is named in the error."""
    with pytest.raises(Unsupported, match=rf"rule r \({rule.kind}\)"):
        proxlb.write(fleet_of(rules=(rule,)))


def test_left_out_on_request_with_a_comment() -> None:
    """A lossy writer leaves it out, says so in comments, and what remains can be read."""
    fleet = fleet_of(
        replace(HOST, labels=FrozenMap({"rack": "r1"})),
        replace(GUEST, tags=("plb_pin_n1", "plb_affinity_x", "prod")),
        rules=(Near(name="close\n- not: yaml", guests=("a",), to=("a",)),),
    )
    text = proxlb.write(fleet, lossy=True)
    assert text.startswith("# Left out, because a proxlb scenario has no words for it:\n#   ")
    again = reread(text)
    assert again.rules == ()
    assert again.guests["a"].tags == ("plb_affinity_x", "prod")


def test_a_rule_for_several_guests_becomes_several_rows() -> None:
    """A pin of two guests is two pins; two lists of ignored guests are one."""
    hosts, guests = ("n2", "n1"), ("a", "b")
    both = FrozenMap({"a": GUEST, "b": replace(GUEST, id="b")})
    rules = (
        Pin(name="p", guests=guests, hosts=hosts),
        Stay(name="s", guests=("a",)),
        Stay(name="t", guests=("b", "a")),
    )
    again = reread(proxlb.write(fleet_of().changed(guests=both, rules=rules)))
    assert again.rules == (
        Pin(name="pin-1", guests=("a",), hosts=hosts, origin="plb"),
        Pin(name="pin-2", guests=("b",), hosts=hosts, origin="plb"),
        Stay(name="ignore", guests=guests),
    )
