# SPDX-License-Identifier: Apache-2.0
"""Native text of fleets: whatever a fleet holds is written so that it reads back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from moorage.formats.native import read, write
from moorage.formats.native.yaml_text import flow, key, render, scalar
from moorage.formats.tree import YAML_1_1, YAML_1_2, parse
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
    Load,
    PairPrices,
    Pressure,
    Prices,
    Resource,
    Unsupported,
    Verdict,
    disk,
)
from moorage.rules.stay import Stay
from tests.strategies import fleets

AMOUNTS = st.integers(0, 2**50)
NASTY = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["yes", "NO", "on", "y", "null", "~", "true", "1", "-1", "010", "0x1f", "1e3", "1_000", "1:30",
     ".inf", ".nan", "2001-01-01", "=", "<<", "- a", "a: b", "a:", "#a", "a #b", "&a", "*a", "!t",
     "%x", "@x", "`x", "?", "[a]", "{a}", "a,b", "'a'", '"', "\\", " a", "a ", "a\nb", "a\tb",
     "\x85", "\u2028", "\ufeff", "\x7f", "---", "...", "|", ">", "8 GiB", "é", "\U0001f600"]
)  # fmt: skip
NAMES = NASTY.filter(bool)


def maps(values: st.SearchStrategy[Any], keys: st.SearchStrategy[str] = NAMES) -> Any:
    """Draw a small frozen map."""
    return st.dictionaries(keys, values, max_size=3).map(FrozenMap)


def tuples(values: st.SearchStrategy[Any]) -> Any:
    """Draw a small tuple without repetitions."""
    return st.lists(values, max_size=3, unique=True).map(tuple)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | NASTY
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | maps(inner, NASTY),
    max_leaves=6,
)  # fmt: skip
PRESSURES = st.builds(Pressure, *[st.integers(0, 10_000)] * 3)
UNITS = st.sampled_from(["units", "seats", "MiB"])
OTHERS = st.builds(
    Resource,
    NAMES.filter(lambda name: not name.startswith("disk:") and name not in ("memory", "cpu")),
    UNITS,
    st.none() | AMOUNTS,
    st.booleans(),
    st.booleans(),
    AMOUNTS,
)
POOLS = st.builds(
    Resource, NAMES.map(disk), st.just("MiB"), st.none() | AMOUNTS, price=AMOUNTS
) | st.builds(Resource, NAMES.map(disk), st.just("blocks"))
STANDARD = st.builds(
    Resource, st.sampled_from(["memory", "cpu"]), st.sampled_from(["MiB", "millicores", "x"])
)
RESOURCES = st.lists(OTHERS | POOLS | STANDARD, max_size=4, unique_by=lambda r: r.id)


def hosts(name: str, resources: list[str]) -> st.SearchStrategy[Host]:
    """Draw a host with everything that a host may have."""
    amounts = maps(AMOUNTS, st.sampled_from(resources)) if resources else st.just(FrozenMap())
    findings = tuples(NASTY)
    return st.builds(
        Host,
        st.just(name),
        capacity=amounts,
        reserve=amounts,
        overcommit_permille=amounts,
        thresholds=amounts,
        labels=maps(NASTY),
        state=st.sampled_from(HostState),
        verdict=st.none() | st.builds(Verdict, st.sampled_from(Health), findings),
        heartbeat_age_s=st.none() | AMOUNTS,
        pressure=PRESSURES,
        devices=maps(AMOUNTS),
        cpu_features=tuples(NAMES),
        cores=st.none() | AMOUNTS,
        bandwidth_mbps=st.none() | AMOUNTS,
        tags=tuples(NAMES),
        name=NASTY,
    )


def guests(name: str, homes: list[str], resources: list[str]) -> st.SearchStrategy[Guest]:
    """Draw a guest with everything that a guest may have, volumes aside."""
    amounts = maps(AMOUNTS, st.sampled_from(resources)) if resources else st.just(FrozenMap())
    loads = st.builds(Load, st.none() | AMOUNTS, st.none() | AMOUNTS, PRESSURES)
    return st.builds(
        Guest,
        st.just(name),
        kind=st.sampled_from(GuestKind),
        host=st.none() | NAMES | st.sampled_from(homes),
        demand=amounts,
        stopped=st.booleans(),
        vcpus=st.none() | AMOUNTS,
        load=loads,
        priority=AMOUNTS,
        devices=maps(AMOUNTS),
        cpu_features=tuples(NAMES),
        dirtying=st.none() | st.builds(Dirtying, AMOUNTS, AMOUNTS, AMOUNTS),
        lock=st.none() | NAMES,
        tags=tuples(NAMES),
        project=st.none() | NAMES,
        group=st.none() | NAMES,
        move_price=AMOUNTS,
        move_duration_s=st.none() | AMOUNTS,
        name=NASTY,
    )


@st.composite
def full_fleets(draw: st.DrawFn) -> Fleet:
    """A fleet with everything that rules don't need: names, units, loads, prices, notes."""
    resources = {r.id: r for r in draw(RESOURCES)}
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    others = draw(st.lists(NAMES, max_size=3, unique=True))
    known = list(resources)
    balance = st.builds(BalancePrice, *[st.sampled_from(known)] * 2, AMOUNTS, AMOUNTS)
    matrix = tuple(tuple(draw(AMOUNTS) for _ in names) for _ in names)
    between = draw(st.none() | st.just(PairPrices(tuple(names), matrix)))
    return Fleet(
        hosts=FrozenMap({name: draw(hosts(name, known)) for name in names}),
        guests=FrozenMap({name: draw(guests(name, names, known)) for name in others}),
        rules=(Stay(name=draw(NASTY), guests=tuple(others)),) if others else (),
        resources=FrozenMap(resources),
        prices=Prices(draw(tuples(balance)) if known else (), 1, 0, 2, between),
        goal=draw(st.none() | st.builds(GoalChoice, NAMES, maps(PLAIN, NASTY))),
        name=draw(NASTY),
        notes=draw(maps(PLAIN, NASTY)),
    )


def assert_reads_back(fleet: Fleet, *, json: bool) -> None:
    """Hold that a fleet is written to a text that reads to it and is written the same again."""
    text = write(fleet, json=json)
    found = read(parse(text, name="written"))
    assert found == fleet
    assert found.version == fleet.version
    assert write(found, json=json) == text


@pytest.mark.parametrize("json", [False, True], ids=["yaml", "json"])
@given(fleet=full_fleets())
def test_everything_in_a_fleet_is_written(json: bool, fleet: Fleet) -> None:
    """Whatever fleet there is, its text reads back to an equal one, and that to the same text."""
    assert_reads_back(fleet, json=json)


@pytest.mark.parametrize("json", [False, True], ids=["yaml", "json"])
@given(fleet=fleets(limits=True))
def test_rules_and_limits_are_written(json: bool, fleet: Fleet) -> None:
    """The same holds for fleets with rules of every kind, volumes, links and limits."""
    for guest in fleet.guests.values():
        assume(len({fleet.volumes[v].home for v in guest.volumes} - {None}) < 2)
    assert_reads_back(fleet, json=json)


@given(NASTY, st.sampled_from([YAML_1_1, YAML_1_2]))
def test_any_text_is_quoted_where_it_has_to_be(text: str, version: tuple[int, int]) -> None:
    """A text is read back by either version of YAML, as a value, in a list and as a key."""
    written = f"{key(text)}: {scalar(text)}\nx: {flow([text, {text: text}])}\n"
    assume(text != "x")
    found = parse(written, name="f", yaml_version=version).value
    assert found == {text: text, "x": [text, {text: text}]}


@given(st.dictionaries(NASTY, PLAIN, max_size=4), st.integers(0, 3))
def test_any_document_is_read_by_others_too(document: dict[str, Any], opened: int) -> None:
    """What is written is the same for a parser that shares nothing with ours."""
    from moorage.formats.native.frozen_values import thaw

    plain = thaw(document)
    assume(plain)
    text = render(plain, dict.fromkeys(plain, opened))
    assert YAML(typ="safe", pure=True).load(text) == plain


def test_a_fleet_is_readable() -> None:
    """Hosts have a line for each key, guests one line, and amounts their largest whole unit."""
    fleet = Fleet(
        hosts=FrozenMap({"pve1": Host("pve1", FrozenMap({"memory": 131072, "cpu": 32000}))}),
        guests=FrozenMap(
            {"web": Guest("web", host="pve1", demand=FrozenMap({"memory": 512, "cpu": 500}))}
        ),
        rules=(Stay(name="web stays", guests=("web",)),),
    )
    assert write(fleet) == (
        "schema: moorage/fleet/v1\n"
        "hosts:\n"
        "  pve1:\n"
        "    memory: 128 GiB\n"
        "    cpu: 32\n"
        "guests:\n"
        "  web: {host: pve1, memory: 512 MiB, cpu: 0.5}\n"
        "rules:\n"
        "  - stay: {name: web stays, guests: [web]}\n"
    )


def test_long_lists_are_wrapped() -> None:
    """No line grows without end, however many guests a rule names."""
    names = tuple(f"vm-{i:03}" for i in range(200))
    guests_ = FrozenMap({name: Guest(name) for name in names})
    text = write(Fleet(guests=guests_, rules=(Stay(name="all", guests=names),)))
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("fleet", "message"),
    [
        (Fleet(rules=(Stay(name="a", guests=()),) * 2), "2 rules are called a"),
        (Fleet(hosts=FrozenMap({"a": Host("a", FrozenMap({"x": 1}))})),
         "the fleet doesn't declare the resource x"),
        (Fleet(notes=FrozenMap({"a": float("nan")})), "nan can't be written"),
        (Fleet(notes=FrozenMap({"a": 1 << 64})), "the number 18446744073709551616 has more than"),
        (Fleet(name="\ud800"), "'\\ud800' is no text that can be written"),
        (Fleet(hosts=FrozenMap({"x" * 2000: Host("x" * 2000)})), "a name of 2000 characters can't"),
    ],
)  # fmt: skip
def test_what_no_document_can_say_is_refused(fleet: Fleet, message: str) -> None:
    """A fleet that could not be read back is not written."""
    with pytest.raises(Unsupported) as refused:
        write(fleet)
    assert refused.value.message.startswith(message)


def test_equal_fleets_are_equal_text() -> None:
    """What changes nothing in a fleet changes nothing in its text."""
    one = Fleet(hosts=FrozenMap({"a": Host("a")}), source="here", warnings=("odd",))
    assert write(one) == write(replace(one, source="there", warnings=()))
