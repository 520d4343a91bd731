# SPDX-License-Identifier: Apache-2.0
"""Host bars: they fit, they show trouble first, and they read without colour."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from moorage.cli.bars import host_bars
from moorage.cli.gauges import Gauge, Heat, gauges_of
from moorage.cli.heat import hot_spots
from moorage.model import CPU, MEMORY, Fleet, FrozenMap, Guest, Host, Load, Resource
from moorage.sources import open_source
from tests.sim.small import fleet, guest

NAMES = ("homelab", "cluster", "cloud")


def drawn(shown: Fleet, width: int = 80, top: int | None = None) -> list[str]:
    """The lines as plain text."""
    return [line.plain for line in host_bars(shown, width, top=top)]


@pytest.fixture(params=["C", "C.UTF-8"])
def locale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A locale in which only ASCII may be drawn, and one in which all may."""
    for name in ("LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", request.param)
    return str(request.param)


@pytest.mark.parametrize("width", [80, 100, 132])
@pytest.mark.parametrize("name", NAMES)
def test_lines_fit_the_terminal(locale: str, name: str, width: int) -> None:
    """No line is wider than the terminal, and in the C locale all are ASCII."""
    lines = drawn(open_source(f"sim:{name}"), width, top=20)
    assert max(map(cell_len, lines)) <= width
    assert locale != "C" or all(line.isascii() for line in lines)


def test_long_names_are_shortened(locale: str) -> None:
    """A host with a name longer than its column still fits into 80 columns."""
    del locale
    host = Host(
        "hypervisor-in-the-third-row-of-the-basement.example.org", FrozenMap({MEMORY: 9999})
    )
    lines = drawn(Fleet(hosts=FrozenMap({host.id: host})))
    assert max(map(cell_len, lines)) <= 80
    assert "hypervisor" in lines[1]
    assert host.id not in lines[1]


def test_the_hottest_host_is_marked_once() -> None:
    """Of the hot hosts one is the hottest, and calm hosts carry no mark."""
    lines = drawn(open_source("sim:cloud"))
    assert sum("hottest" in line for line in lines) == 1
    assert sum(line.endswith(" hot") for line in lines) == 2


def test_hosts_stand_in_natural_order() -> None:
    """All hosts are shown, pve2 before pve10."""
    names = [line.split()[0 if line[0] == " " else 1] for line in drawn(open_source("sim:cluster"))]
    assert names[1:] == [f"pve{n}" for n in range(1, 15)]


def test_of_many_hosts_troubled_and_hot_ones_come_first() -> None:
    """With a limit the worst are shown, and the last line counts all others by their heat."""
    lines = drawn(open_source("sim:cloud"), top=8)
    assert len(lines) == 1 + 8 + 1
    assert all(
        any(word in "".join(lines[1:9]) for line in lines) for word in ("hottest", "degraded")
    )
    assert "and 92 more: " in lines[-1]


def test_bars_are_as_long_as_what_is_taken() -> None:
    """A half-full host has a half-full bar."""
    shown = fleet(guest("g", memory_gib=8))
    first = next(line for line in drawn(shown) if "8/16" in line)
    bar = first.split()[1]
    filled = [mark for mark in bar if mark in "━╸#"]
    assert len(filled) in (len(bar) // 2, len(bar) // 2 + 1)


@pytest.mark.parametrize(
    ("permille", "heat"),
    [(0, Heat.CALM), (699, Heat.CALM), (700, Heat.WARM), (899, Heat.WARM), (900, Heat.HOT)],
)
def test_heat_has_its_limits(permille: int, heat: Heat) -> None:
    """Warm from 70 %, hot from 90 %."""
    assert Gauge("", "", "", permille).heat is heat


def test_a_bit_over_is_not_shown_as_full() -> None:
    """What is over its limit is shown as more than 100 %."""
    assert Gauge("", "", "", 1_001).percent == 101
    assert Gauge("", "", "", 1_000).percent == 100
    assert Gauge("", "", "", 999).percent == 99


def test_cpu_is_what_was_given_where_nobody_measured() -> None:
    """Without measurements the gauge of CPU shows what was given out, and says so."""
    plain = gauges_of(fleet(guest("g")))["a"]
    assert [g.title for g in plain] == ["memory taken", "cpu taken"]
    busy = guest("g", load=Load(cpu_millicores=4_000))
    measured = gauges_of(fleet(busy))["a"]
    assert measured[1].title == "cpu used"
    assert measured[1].permille == 500


def test_other_resources_are_drawn_where_there_is_no_memory() -> None:
    """A fleet with resources of its own shows the first two of them."""
    resources = FrozenMap({r: Resource(r) for r in ("r1", "r2", "r3")})
    there = Host("h", FrozenMap({"r1": 10, "r2": 20, "r3": 30}))
    held = Guest("g", host="h", demand=FrozenMap({"r1": 10}))
    odd = Fleet(FrozenMap({"h": there}), FrozenMap({"g": held}), resources=resources)
    assert [g.title for g in gauges_of(odd)["h"]] == ["r1 taken", "r2 taken"]
    assert "10/10" in drawn(odd)[1]


def test_an_empty_fleet_can_be_drawn() -> None:
    """No hosts, a heading and nothing else."""
    assert len(drawn(Fleet())) == 1


def test_hot_spots_name_the_host_and_the_busiest() -> None:
    """The sentence holds the figures of the host and the guests that use most."""
    (sentence,) = hot_spots(open_source("sim:homelab"))
    assert "is hot" in sentence
    assert "frigate" in sentence
    assert CPU in sentence
