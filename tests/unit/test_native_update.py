# SPDX-License-Identifier: Apache-2.0
"""A fleet written over a text: only the lines that differ change."""

from __future__ import annotations

from dataclasses import replace
from difflib import ndiff
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from moorage.formats import write as write_as
from moorage.formats.native import read, update, write
from moorage.formats.tree import parse
from moorage.model import BadInput, Fleet, FrozenMap, Guest, Host, HostState, Rule
from moorage.rules.apart import Apart
from moorage.rules.stay import Stay
from tests.strategies import fleets

COMMENTED = """\
# The fleet in the cellar.
pools:
    ceph: {shared: true, capacity: "10 TiB"}   # three disks

defaults: {host: {memory: 128 GiB, overcommit: {cpu: 4}}}

hosts:
    # the old one
    pve1:  {labels: {rack: 'a'}, cpu: 16}
    pve2:
        cpu: 0x10       # hexadecimal, because we can
        state: "active"
        labels:
            rack: b     # by the door

guests:
    db-1: {host: pve1, memory: 8192, cpu: 500m, tags: [ db ]}
    # the spare
    db-2: {host: pve2, memory: 8 GiB, cpu: 0.5,
           tags: [db]}

rules:
    - apart: {guests: {tag: db}}  # never together
    - apart:
        guests: [db-1, db-2]
        domain: rack
    # keep this one last
    - drain: {hosts: [pve2]}
# the end
"""


def read_text(text: str) -> Fleet:
    """Read a native text."""
    return read(parse(text, name="f"))


def difference(before: str, after: str) -> list[str]:
    """Return the lines that went and came, without what stayed."""
    lines = ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "-+"]


def changed(fleet: Fleet, host: str, **fields: Any) -> Fleet:
    """Return a fleet with one host changed."""
    return fleet.changed(hosts=fleet.hosts.with_items({host: replace(fleet.hosts[host], **fields)}))


def without(fleet: Fleet, *rules: int) -> tuple[Rule, ...]:
    """Return the rules of a fleet but those."""
    return tuple(rule for i, rule in enumerate(fleet.rules) if i not in rules)


def test_what_says_the_same_is_kept_byte_for_byte() -> None:
    """A text that reads to an equal fleet comes back as it is."""
    assert update(COMMENTED, read_text(COMMENTED)) == COMMENTED
    assert write_as(read_text(COMMENTED), "native", base=COMMENTED) == COMMENTED


def test_a_state_and_a_rule_change_their_own_lines() -> None:
    """A host's new state and a new rule leave every other line as it is."""
    fleet = changed(read_text(COMMENTED), "pve2", state=HostState.MAINTENANCE)
    fleet = fleet.changed(rules=(*fleet.rules, Stay(name="calm", guests=("db-1",))))
    assert difference(COMMENTED, update(COMMENTED, fleet)) == [
        '-         state: "active"',
        "+         state: maintenance",
        "+     - stay: {name: calm, guests: [db-1]}",
    ]


@pytest.mark.parametrize(
    ("host", "fields", "lines"),
    [
        ("pve2", {"labels": FrozenMap({"rack": "c"})},
         ["-             rack: b     # by the door", "+             rack: c     # by the door"]),
        ("pve2", {"labels": FrozenMap({"rack": "b", "zone": "z1"})},
         ["+             zone: z1"]),
        ("pve2", {"labels": FrozenMap()},
         ["-         labels:", "-             rack: b     # by the door"]),
        ("pve1", {"cores": 8, "tags": ("old",)},
         ["-     pve1:  {labels: {rack: 'a'}, cpu: 16}",
          "+     pve1:  {labels: {rack: 'a'}, cpu: 16, cores: 8, tags: [old]}"]),
        ("pve1", {"overcommit_permille": FrozenMap()},
         ["-     pve1:  {labels: {rack: 'a'}, cpu: 16}",
          "+     pve1:  {labels: {rack: 'a'}, cpu: 16, overcommit: null}"]),
        ("pve1", {"labels": FrozenMap()},
         ["-     pve1:  {labels: {rack: 'a'}, cpu: 16}", "+     pve1:  {cpu: 16}"]),
        ("pve1", {"overcommit_permille": FrozenMap({"cpu": 2000})},
         ["-     pve1:  {labels: {rack: 'a'}, cpu: 16}",
          "+     pve1:  {labels: {rack: 'a'}, cpu: 16, overcommit: {cpu: 2}}"]),
    ],
)  # fmt: skip
def test_keys_are_changed_where_they_stand(
    host: str, fields: dict[str, Any], lines: list[str]
) -> None:
    """A key is changed, added or taken away in the style of the entry, defaults considered."""
    fleet = changed(read_text(COMMENTED), host, **fields)
    text = update(COMMENTED, fleet)
    assert difference(COMMENTED, text) == lines
    assert read_text(text) == fleet


def test_entries_come_and_go_alone() -> None:
    """A guest that went takes its lines along, and a new one has its own."""
    fleet = read_text(COMMENTED)
    new = Guest("web", host="pve1", demand=FrozenMap({"memory": 512}))
    guests = FrozenMap({"db-1": fleet.guests["db-1"], "web": new})
    text = update(COMMENTED, fleet.changed(guests=guests, rules=without(fleet, 0, 1)))
    assert difference(COMMENTED, text) == [
        "+     web: {host: pve1, memory: 512 MiB}",
        "-     db-2: {host: pve2, memory: 8 GiB, cpu: 0.5,",
        "-            tags: [db]}",
        "-     - apart: {guests: {tag: db}}  # never together",
        "-     - apart:",
        "-         guests: [db-1, db-2]",
        "-         domain: rack",
    ]


def test_a_new_host_says_what_it_lacks_of_the_defaults() -> None:
    """Defaults that a new host doesn't have are taken away in its entry."""
    fleet = read_text(COMMENTED)
    room = FrozenMap({"cpu": 8000, "disk:ceph": 10 << 20})
    fleet = fleet.changed(hosts=fleet.hosts.with_items({"pve3": Host("pve3", room)}))
    text = update(COMMENTED, fleet)
    assert difference(COMMENTED, text) == [
        "+     pve3:",
        "+         cpu: 8",
        "+         memory: null",
        "+         overcommit: null",
    ]


def test_counted_names_are_written_out_when_they_would_change() -> None:
    """Where a rule goes from which others were numbered, they keep their names."""
    fleet = read_text(COMMENTED)
    assert [rule.name for rule in fleet.rules] == ["apart", "apart-2", "drain-2"]
    kept = fleet.changed(rules=without(fleet, 0))
    text = update(COMMENTED, kept)
    assert difference(COMMENTED, text) == [
        "-     - apart: {guests: {tag: db}}  # never together",
        "+         name: apart-2",
        "-     - drain: {hosts: [pve2]}",
        "+     - drain: {hosts: [pve2], name: drain-2}",
    ]
    assert read_text(text) == kept


def test_a_section_is_added_at_the_end() -> None:
    """What a text has no section for gets one below the others."""
    fleet = read_text(COMMENTED).changed(name="cellar", notes=FrozenMap({"ticket": 7}))
    assert (
        difference(COMMENTED, update(COMMENTED, fleet))
        == [
            "+ name: cellar",
            "+ notes: {ticket: 7}",
        ]
        or read_text(update(COMMENTED, fleet)) == fleet
    )


def test_line_ends_are_kept() -> None:
    """A text with the line ends of Windows keeps them, also in new lines."""
    text = COMMENTED.replace("\n", "\r\n")
    fleet = changed(read_text(text), "pve2", cores=8)
    updated = update(text, fleet)
    assert updated.replace("\r\n", "").count("\n") == 0
    assert difference(text, updated) == ["+         cores: 8"]


def test_what_others_share_is_left_alone() -> None:
    """A value behind an alias is written out where it differs; the anchor keeps its own."""
    text = "hosts:\n  a: &host {cpu: 8}\n  b: *host\n  c: {<<: *host, cores: 4}\n"
    fleet = changed(read_text(text), "b", cores=2)
    assert update(text, fleet) == text.replace("b: *host", "b: {cpu: 8, cores: 2}")
    fleet = changed(read_text(text), "c", capacity=FrozenMap({"cpu": 1000}))
    assert update(text, fleet) == text.replace("cores: 4}", "cores: 4, cpu: 1}")
    fleet = changed(read_text(text), "a", cores=2)
    assert read_text(update(text, fleet)) == fleet


def test_json_stays_json() -> None:
    """A JSON text that differs is written anew, as JSON."""
    fleet = read_text(COMMENTED)
    text = write(fleet, json=True)
    other = changed(fleet, "pve1", cores=8)
    assert update(text, fleet) == text
    assert update(text, other) == write(other, json=True)


def test_a_text_that_is_no_fleet_is_refused() -> None:
    """Nothing is written over what can't be read."""
    with pytest.raises(BadInput):
        update("hosts: [", Fleet())


@given(fleets(), fleets(), st.booleans())
def test_any_fleet_can_be_written_over_any_other(one: Fleet, other: Fleet, by_hand: bool) -> None:
    """The outcome always reads to the new fleet, however much differs."""
    for fleet in (one, other):
        for guest in fleet.guests.values():
            assume(len({fleet.volumes[v].home for v in guest.volumes} - {None}) < 2)
    text = write(one)
    if by_hand:
        text = "# by hand\n" + text.replace("\n", "  # why\n", 3)
    assert read_text(update(text, other)) == other


@given(fleets(), st.data())
def test_small_changes_touch_few_lines(fleet: Fleet, data: st.DataObject) -> None:
    """A change of one host and one new rule replaces one line and adds at most three."""
    for guest in fleet.guests.values():
        assume(len({fleet.volumes[v].home for v in guest.volumes} - {None}) < 2)
    host = data.draw(st.sampled_from(sorted(fleet.hosts)))
    assume(fleet.hosts[host].state is not HostState.DOWN and fleet.rules)
    rule = Apart(name="the new one", guests=tuple(fleet.guests))
    other = changed(fleet, host, state=HostState.DOWN)
    other = other.changed(rules=(*fleet.rules, rule))
    lines = difference(write(fleet), update(write(fleet), other))
    assert len([line for line in lines if line[0] == "-"]) <= 1
    assert len(lines) <= 4
