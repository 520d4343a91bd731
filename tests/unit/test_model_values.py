# SPDX-License-Identifier: Apache-2.0
"""The values that fleets are made of: maps, amounts, names, links, reasons."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.model.errors import BadInput, MoorageError, Stale, UnknownFormat, VerificationFailed
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.hosts import Host
from moorage.model.natural import natural_key
from moorage.model.reasons import SENTENCES, Reason, apart, no_capacity, sentence, together
from moorage.model.resources import Resource, disk, format_amount, format_amounts
from moorage.model.topology import Link


def in_order(*names: str) -> list[str]:
    return sorted(names, key=natural_key)


# --- maps --------------------------------------------------------------------------------------


CHANGES: dict[str, Callable[[FrozenMap[str, int]], object]] = {
    "set": lambda m: m.__setitem__("a", 2),
    "delete": lambda m: m.__delitem__("a"),
    "update": lambda m: m.update(a=2),
    "setdefault": lambda m: m.setdefault("b", 2),
    "pop": lambda m: m.pop("a"),
    "popitem": lambda m: m.popitem(),
    "clear": lambda m: m.clear(),
    "or": lambda m: m.__ior__({"b": 2}),
}


@pytest.mark.parametrize("way", CHANGES)
def test_a_frozen_map_never_changes(way: str) -> None:
    """Every way in which a dict is changed is refused."""
    values = FrozenMap(a=1)
    with pytest.raises(TypeError, match="can't be changed"):
        CHANGES[way](values)
    assert values == {"a": 1}


def test_frozen_maps_are_equal_by_content() -> None:
    """The order in which a map was filled matters neither for equality nor for hash and text."""
    one, other = FrozenMap([("a", 1), ("b", 2)]), FrozenMap([("b", 2), ("a", 1)])
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other) == "{'a': 1, 'b': 2}"


def test_a_changed_copy_leaves_the_original() -> None:
    """Laying items over a map makes a new one."""
    old = FrozenMap(a=1, b=2)
    assert old.with_items({"b": 3}) == {"a": 1, "b": 3}
    assert old == {"a": 1, "b": 2}
    assert isinstance(old.with_items({}), FrozenMap)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_copy_is_frozen_too(copied: Callable[[object], object]) -> None:
    """Copies and pickles of a map are maps that can't be changed."""
    again = copied(FrozenMap(a=1))
    assert again == {"a": 1}
    assert isinstance(again, FrozenMap)


# --- names -------------------------------------------------------------------------------------


def test_numbers_in_names_are_counted() -> None:
    """pve2 stands before pve10, and rack 2 of zone 10 after rack 10 of zone 2."""
    assert in_order("pve10", "pve2", "pve1") == ["pve1", "pve2", "pve10"]
    assert in_order("z10r2", "z2r10", "z2r9") == ["z2r9", "z2r10", "z10r2"]
    assert in_order("b", "", "a", "1") == ["", "1", "a", "b"]


@given(st.lists(st.text(), unique=True), st.integers(0, 99))
def test_the_order_of_names_is_total(names: list[str], seed: int) -> None:
    """Any names have one order, however they come: different names have different keys."""
    mixed = random.Random(seed).sample(names, len(names))
    assert in_order(*names) == in_order(*mixed)
    assert len({natural_key(name) for name in names}) == len(names)


def test_digits_of_other_scripts_are_letters() -> None:
    """Only 0 to 9 are counted; other digits and superscripts don't stop the sorting."""
    assert set(in_order("a\u00b2", "a\u0663", "a3")) == {"a\u00b2", "a\u0663", "a3"}


# --- amounts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [
        (0, "MiB", "0 MiB"),
        (1023, "MiB", "1023 MiB"),
        (1024, "MiB", "1 GiB"),
        (1536, "MiB", "1.5 GiB"),
        (6 * 1024 * 1024, "MiB", "6 TiB"),
        (1000, "millicores", "1 core"),
        (2500, "millicores", "2.5 cores"),
        (0, "millicores", "0 cores"),
        (7, "units", "7 units"),
    ],
)
def test_amounts_are_shown_with_their_units(amount: int, unit: str, text: str) -> None:
    """People read gibibytes and cores, and other units as they are called."""
    assert format_amount(amount, unit) == text


@given(st.integers(0, 10**12))
def test_rounding_is_within_a_percent(amount: int) -> None:
    """A shown amount is never more than a percent away from the true one."""
    number, step = format_amount(amount, "MiB").split()
    shown = float(number) * 1024 ** ("MiB", "GiB", "TiB", "PiB").index(step)
    assert abs(shown - amount) <= amount / 100


def test_amounts_side_by_side_look_different() -> None:
    """What is one MiB too much is shown to the MiB; what differs more is shown for people."""
    assert format_amounts("MiB", 32_768, 32_768) == ["32 GiB", "32 GiB"]
    assert format_amounts("MiB", 32_769, 32_768) == ["32769 MiB", "32768 MiB"]
    assert format_amounts("MiB", 40_960, 32_768) == ["40 GiB", "32 GiB"]
    assert format_amounts("millicores", 1500, 1000) == ["1.5 cores", "1 core"]


def test_pools_are_resources() -> None:
    """A pool's resource is told by its name, and gives the pool's name back."""
    assert Resource(disk("fast")).pool == "fast"
    assert Resource(disk("fast")).is_disk
    assert not Resource("diskette").is_disk


@pytest.mark.parametrize(
    ("capacity", "reserve", "permille", "usable"),
    [
        (10, 0, 1000, 10),
        (10, 4, 1000, 6),
        (10, 4, 1500, 9),
        (10, 3, 333, 2),
        (10, 12, 1000, 0),
        (10, 12, 4000, 0),
        (0, 0, 4000, 0),
    ],
)
def test_usable_is_what_remains_times_overcommit(
    capacity: int, reserve: int, permille: int, usable: int
) -> None:
    """(capacity - reserve) x overcommit, in whole units, and never below zero."""
    host = Host(
        "a",
        capacity=FrozenMap(memory=capacity),
        reserve=FrozenMap(memory=reserve),
        overcommit_permille=FrozenMap(memory=permille),
    )
    assert host.usable("memory") == usable
    assert host.usable("other") == 0


# --- links -------------------------------------------------------------------------------------


def test_a_link_is_crossed_from_side_to_side() -> None:
    """Hosts on different sides cross it; on the same side, or on none, they don't."""
    link = Link("core", 1000, (("a", "b"), ("c",), ("d",)))
    assert link.crossed_by("a", "c")
    assert link.crossed_by("c", "d")
    assert not link.crossed_by("a", "b")
    assert not link.crossed_by("a", "elsewhere")
    assert not link.crossed_by("elsewhere", "nowhere")


# --- reasons and errors ------------------------------------------------------------------------


def test_every_reason_has_its_sentence() -> None:
    """Each code can be said in general, those with a name in them too."""
    for reason in Reason:
        assert sentence(reason)
    assert set(SENTENCES) >= set(Reason)
    assert sentence(no_capacity("gpu")) == "the host has not enough of the resource left"
    assert sentence(apart("rack")) == "too many guests of one group share the domain"
    assert sentence(together("zone")) == "guests that belong together are in different domains"
    with pytest.raises(KeyError):
        sentence("bad luck")


def test_every_pool_has_the_code_of_disks() -> None:
    """A full pool is no_capacity_disk whatever its name is."""
    assert no_capacity("disk:fast") == no_capacity("disk:slow") == Reason.NO_CAPACITY_DISK
    assert no_capacity("memory") == Reason.NO_CAPACITY_MEMORY


def test_an_error_says_where() -> None:
    """The place stands before the message, and nothing stands there when it isn't known."""
    assert str(BadInput("too short", place="fleet.yaml:3:7")) == "fleet.yaml:3:7: too short"
    assert str(BadInput("too short")) == "too short"


@pytest.mark.parametrize(
    ("error", "code"), [(BadInput, 65), (UnknownFormat, 65), (VerificationFailed, 9), (Stale, 5)]
)
def test_errors_have_the_exit_codes_of_the_contract(error: type[MoorageError], code: int) -> None:
    """Each kind of error exits as scripts expect it to."""
    assert error.exit_code == code
    assert issubclass(error, MoorageError)


def test_an_empty_map_is_empty() -> None:
    """The map that is everybody's default holds nothing, for good."""
    assert EMPTY == {}
