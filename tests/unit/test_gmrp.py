# SPDX-License-Identifier: Apache-2.0
"""The texts of the machine reassignment challenge: what each number becomes."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from moorage.formats import gmrp
from moorage.model import (
    BadInput,
    BalancePrice,
    Fleet,
    FrozenMap,
    GoalChoice,
    Guest,
    HostState,
    MoorageError,
    NotFound,
    PairPrices,
    Resource,
    Rule,
    TooLarge,
    Unsupported,
    When,
)
from moorage.rules.apart import Apart
from moorage.rules.near import Near
from moorage.rules.pin import Pin
from moorage.verifying import broken_now

if TYPE_CHECKING:
    from pathlib import Path

# Two resources, the second transient; three machines; four services, of which the first has two
# processes, must be spread and needs the third, and the last has none; three processes.
MODEL = """\
2
0 100
1 10
3
0 0  30 400  16 80   0 1 4
0 1  10 240   8 160  1 0 4
1 1  15 100  12 80   4 3 0
4
2 1 2
1 0
0 0
0 2 0 0
3
0  12 10  1000
0  10 20   100
2   6 200    1
1
0 1 20
10
1 10 100
"""
ASSIGNMENT = "0 1 0\n"
NOTHING = "0 0 0 0 0 0 0 0"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Read a model and an assignment given as texts."""

    def read_texts(model: str = MODEL, assignment: str = ASSIGNMENT) -> Fleet:
        (tmp_path / "model.txt").write_text(model)
        (tmp_path / "assignment.txt").write_text(assignment)
        return gmrp.read(tmp_path / "model.txt", tmp_path / "assignment.txt")

    return read_texts


def test_resources_have_prices_and_may_be_transient(read: Any) -> None:
    """The load cost is a resource's price; a transient one stays held until the end."""
    assert read().resources == {
        "r0": Resource("r0", price=100),
        "r1": Resource("r1", price=10, held_until_end=True),
    }


def test_machines_are_hosts(read: Any) -> None:
    """Capacities, safety capacities as thresholds, neighborhood and location as labels."""
    hosts = read().hosts
    assert list(hosts) == ["m0", "m1", "m2"]
    assert hosts["m1"].capacity == {"r0": 10, "r1": 240}
    assert hosts["m1"].thresholds == {"r0": 8, "r1": 160}
    assert hosts["m1"].labels == {"neighborhood": "0", "location": "1"}


def test_processes_are_guests(read: Any) -> None:
    """Requirements, service, move cost, and the machine of the assignment."""
    fleet = read()
    assert fleet.guests["p2"] == Guest(
        "p2", host="m0", demand=FrozenMap({"r0": 6, "r1": 200}), group="s2", move_price=1
    )
    assert fleet.placement == {"p0": "m0", "p1": "m1", "p2": "m0"}


def test_services_are_rules_at_the_end(read: Any) -> None:
    """Conflict, spread and dependencies must hold at the end; spreads of 0 and 1 ask nothing."""
    end: Any = {"when": When.AT_END}
    assert read().rules == (
        Apart(name="conflict-s0", guests=("p0", "p1"), **end),
        Apart(
            name="spread-s0",
            guests=("p0", "p1"),
            domain="location",
            min_domains=2,
            when=When.AT_END,
        ),
        Near(name="near-s0-s2", guests=("p0", "p1"), to=("p2",), domain="neighborhood", **end),
        Near(name="near-s3-s0", guests=(), to=("p0", "p1"), domain="neighborhood", **end),
        Near(name="near-s3-s0 (2)", guests=(), to=("p0", "p1"), domain="neighborhood", **end),
    )


def test_prices_are_the_costs(read: Any) -> None:
    """Balance costs, weights in their order, and the whole matrix of machine moves."""
    prices = read().prices
    assert prices.balance == (BalancePrice("r0", "r1", 20, 10),)
    assert (prices.guest_weight, prices.group_weight, prices.pair_weight) == (1, 10, 100)
    matrix = ((0, 1, 4), (1, 0, 4), (4, 3, 0))
    assert prices.between == PairPrices(("m0", "m1", "m2"), matrix)


def test_the_goal_is_the_challenge_itself(read: Any) -> None:
    """A format with an objective of its own asks for that one; nothing was skipped."""
    fleet = read()
    assert fleet.goal == GoalChoice("gmrp")
    assert fleet.warnings == ()
    assert fleet.source.endswith("assignment.txt")


def test_what_the_assignment_breaks_is_found(read: Any) -> None:
    """A service on one machine alone is in conflict, and not spread over two locations."""
    broken = broken_now(read(assignment="0 0 1\n"))
    assert sorted((v.breach.rule, v.breach.where) for v in broken) == [
        ("conflict-s0", "m0"),
        ("spread-s0", "spread"),
    ]


def test_white_space_is_free(read: Any) -> None:
    """Line ends are blanks like others; both files may be packed."""
    assert read(" ".join(MODEL.split()), "0\r\n1\n\n0") == read()


def test_packed_files_are_unpacked(read: Any, tmp_path: Path) -> None:
    """A .gz is read as it is."""
    paths = (tmp_path / "m.gz", tmp_path / "a.gz")
    for path, text in zip(paths, (MODEL, ASSIGNMENT), strict=True):
        path.write_bytes(gzip.compress(text.encode()))
    assert gmrp.read(*paths) == read()


def test_the_smallest_model(read: Any) -> None:
    """Of everything none at all is a fleet of nothing."""
    fleet = read(NOTHING, "")
    assert (fleet.hosts, fleet.guests, fleet.rules, fleet.resources) == ({}, {}, (), {})


# --- what is no model --------------------------------------------------------------------------


def changed(line: int, text: str) -> str:
    """Return the model with another text on a line, counted from 1."""
    lines = MODEL.splitlines()
    lines[line - 1] = text
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("model", "place", "message"),
    [
        ("", "1:1", "the text ends where the number of resources should follow"),
        (changed(2, "2 100"), "2:1", "whether a resource is transient is 2, but it has to be at"),
        (changed(2, "0 -5"), "2:3", "'-5' is no whole number"),
        (changed(2, "0 1.5"), "2:3", "'1.5' is no whole number"),
        (changed(2, "0 1_0"), "2:3", "'1_0' is no whole number"),
        (changed(2, "0 9223372036854775808"), "2:3", "'9223372036854775808' is no whole number"),
        (changed(2, f"0 {'9' * 9999}"), "2:3", "'99999999999999999999999999999…' is no whole"),
        (changed(9, "2 1 4"), "9:5", "a dependency of service 0 is 4, but it has to be at most 3"),
        (changed(14, "4 12 10 1"), "14:1", "the service of process 0 is 4, but it has to be at"),
        (changed(18, "0 2 20"), "18:3", "the second resource of a balance cost is 2, but it has"),
        (MODEL + "7\n", "21:1", "the text goes on after its last number"),
        (MODEL.rstrip()[:-4], "20:5", "the text ends where the weights of the move costs should"),
        ("0 0 0 1 0", "1:9", "the service of process 0 is 0, but there is none"),
    ],
)
def test_wrong_numbers_are_refused_with_their_place(
    read: Any, model: str, place: str, message: str
) -> None:
    """Too few, too many, out of range, no number at all: file, line, column and what it is."""
    with pytest.raises(BadInput) as refused:
        read(model)
    assert (refused.value.place or "").endswith(f"model.txt:{place}")
    assert refused.value.message.startswith(message)


@pytest.mark.parametrize(
    ("assignment", "place", "message"),
    [
        ("0 1\n", "2:1", "the text ends where the machine of process 2 should follow"),
        ("0 1 3\n", "1:5", "the machine of process 2 is 3, but it has to be at most 2"),
        ("0 1 0 0\n", "1:7", "the text goes on after its last number"),
    ],
)
def test_wrong_assignments_are_refused_with_their_place(
    read: Any, assignment: str, place: str, message: str
) -> None:
    """An assignment has one machine for each process, no less and no more."""
    with pytest.raises(BadInput) as refused:
        read(assignment=assignment)
    assert (refused.value.place or "").endswith(f"assignment.txt:{place}")
    assert refused.value.message.startswith(message)


@pytest.mark.parametrize(
    "counts", ["1001", "0 20001", "0 0 500001", "0 0 0 500001", "0 0 0 0 10001"]
)
def test_absurd_counts_are_refused_at_once(read: Any, counts: str) -> None:
    """A count far beyond the challenge's costs nothing, whatever follows."""
    with pytest.raises(TooLarge, match="at most"):
        read(counts)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    """The error names the file that is not there."""
    with pytest.raises(NotFound, match=r"nowhere\.txt"):
        gmrp.read(tmp_path / "nowhere.txt", tmp_path / "nowhere.txt")


@pytest.mark.parametrize("damage", ["", " ", "-", "x", "9", "99999999999", "\n", "\x00", "0 "])
def test_damaged_models_raise_only_typed_errors(read: Any, damage: str) -> None:
    """Wherever a model is damaged, it is read or refused, never crashed on."""
    for at in range(len(MODEL)):
        try:
            read(MODEL[:at] + damage + MODEL[at + 1 :])
        except MoorageError:
            continue


def test_numbers_survive_the_cutting_of_long_lines(read: Any) -> None:
    """A text is read in pieces, and no number is cut in two."""
    costs = " ".join(str(10**9 + i) for i in range(200))
    rows = "\n".join(f"0 0 {costs}" for _ in range(200))
    fleet = read(f"0 200 {rows} 0 0 0 0 0 0".replace("\n", " "), "")
    assert fleet.prices.between.matrix == ((*range(10**9, 10**9 + 200),),) * 200


# --- writing -----------------------------------------------------------------------------------


def test_a_model_written_is_the_same_text(read: Any) -> None:
    """Every number stands where it stood; only white space differs."""
    fleet = read()
    assert gmrp.write_model(fleet).split() == MODEL.split()
    assert read(gmrp.write_model(fleet)) == fleet
    assert gmrp.write(fleet) == gmrp.write_model(fleet)


def test_a_placement_is_one_line_of_machine_numbers(read: Any) -> None:
    """Guests that the placement doesn't name stay where they are."""
    assert gmrp.write_solution(read(), {"p1": "m2"}) == "0 2 0\n"


def test_machines_and_processes_are_in_natural_order(read: Any) -> None:
    """The tenth comes after the ninth, whatever the order in the fleet."""
    guests = {f"p{i}": Guest(f"p{i}", host="m0") for i in (10, 9, 2)}
    fleet = read().changed(guests=FrozenMap(guests))
    assert gmrp.write_solution(fleet, {"p9": "m1", "p10": "m2"}) == "0 1 2\n"


def test_a_guest_without_a_host_has_no_number(read: Any) -> None:
    """An assignment is complete, so a guest that found no host is refused by name."""
    with pytest.raises(Unsupported, match="p1"):
        gmrp.write_solution(read(), {"p1": None})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rules": ()}, "group s0, which no rule keeps apart"),
        ({"rules": (Pin(name="r", guests=("p0",), hosts=()),)}, "rule r (pin)"),
        ({"rules": (Apart(name="r", guests=("p0", "p2")),)}, "rule r (apart)"),
        ({"rules": (Near(name="r", guests=("p2",), to=("p2",), domain="rack"),)}, "rule r (near)"),
        ({"resources": FrozenMap({"r0": Resource("r0", hard=False)})}, "resource r0: hard"),
        ({"resources": FrozenMap({"r0": Resource("r0")})}, "a balance price of r0 to r1"),
        ({"goal": GoalChoice("pack")}, "goal pack"),
        ({"notes": FrozenMap({"gmrp": "none", "owner": "me"})}, "note owner"),
        ({"hosts": FrozenMap()}, "prices between hosts of which some are not in the fleet"),
    ],
)
def test_what_has_no_numbers_is_refused_by_name(
    read: Any, change: dict[str, Any], named: str
) -> None:
    """A fleet that a model can't express is not written, and the error says why."""
    with pytest.raises(Unsupported) as refused:
        gmrp.write_model(read().changed(**change))
    assert named in refused.value.message


def test_hosts_need_their_labels_and_usual_state(read: Any) -> None:
    """Neighborhoods are numbers in a model, and every machine is in service."""
    fleet = read()
    other = replace(fleet.hosts["m0"], labels=FrozenMap({"location": "x"}), state=HostState.DOWN)
    hosts = fleet.hosts.with_items({"m0": other})
    with pytest.raises(Unsupported, match="host m0: state"):
        gmrp.write_model(fleet.changed(hosts=hosts))
    hosts = fleet.hosts.with_items({"m0": replace(other, state=HostState.ACTIVE)})
    with pytest.raises(Unsupported, match="host m0 whose neighborhood is no number"):
        gmrp.write_model(fleet.changed(hosts=hosts))


def test_groups_with_any_name_become_services(read: Any) -> None:
    """Without the note of a model, groups are numbered in their order, loners come last."""
    fleet = read()
    groups = {"p0": "web", "p1": "web", "p2": None}
    guests = FrozenMap({g: replace(fleet.guests[g], group=group) for g, group in groups.items()})
    rules: tuple[Rule, ...] = (Apart(name="any", guests=("p1", "p0")),)
    again = read(gmrp.write_model(fleet.changed(guests=guests, rules=rules, notes=FrozenMap())))
    assert [g.group for g in again.guests.values()] == ["s0", "s0", "s1"]
    assert [r.name for r in again.rules] == ["conflict-s0"]
