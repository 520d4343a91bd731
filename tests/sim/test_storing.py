# SPDX-License-Identifier: Apache-2.0
"""A simulation in a file: it goes on as if it had never been away."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.drivers.base import Refused
from moorage.drivers.simulator import (
    Effect,
    Fault,
    HostDies,
    MoveFault,
    RandomFaults,
    Simulator,
    begin,
    load_state,
    open_simulator,
    save_state,
    state_from_dict,
    state_to_dict,
)
from moorage.model import Action, BadInput, MoorageError, NotFound, Stale, TooLarge
from tests.sim.small import fleet, guest

if TYPE_CHECKING:
    from pathlib import Path


def busy() -> Simulator:
    """A homelab in which something was moved, something fails and something is on its way."""
    faults: list[Fault] = [
        MoveFault(Effect.FAIL, guest="nextcloud", at_percent=30),
        HostDies("nuc2", at_s=4_000, back_at_s=5_000),
        RandomFaults(100),
    ]
    sim = Simulator(open_simulator("sim:homelab").state, seed=9, faults=faults)
    for name, target, wait_s in (("unifi", "nuc2", 200), ("nextcloud", "tower", 70)):
        sim.start(Action(name, sim.state.host_of(name), target))
        sim.advance(wait_s)
    sim.start(Action("k3s-2", sim.state.host_of("k3s-2"), "nuc2"))
    sim.advance(20)
    return sim


def _goes_on(sim: Simulator) -> list[object]:
    """What a simulation does in the next two hours, and what it looks like."""
    told: list[object] = []
    for name, target in (("frigate", "tower"), ("paperless", "tower"), ("win11", "nuc2")):
        try:
            told.append(sim.start(Action(name, sim.state.host_of(name), target)))
        except Refused as refused:
            told.append(str(refused))
        sim.advance(2_400)
        told.append(sim.snapshot())
    return [*told, sim.state]


def test_a_saved_simulation_continues_identically(tmp_path: Path) -> None:
    """What comes after a save and a load is what comes without them."""
    file = tmp_path / "state.json"
    save_state(busy().state, file)
    loaded = load_state(file)
    assert loaded == busy().state
    assert _goes_on(Simulator(loaded)) == _goes_on(busy())


def test_the_same_seed_gives_the_same_outcomes() -> None:
    """Two runs of the same story end the same."""
    assert _goes_on(busy()) == _goes_on(busy())


def test_a_document_is_plain_json() -> None:
    """The state goes through JSON unchanged, and carries its schema."""
    document = state_to_dict(busy().state)
    assert document["schema"] == "moorage/sim/v1"
    assert json.loads(json.dumps(document)) == document


def test_a_fleet_that_was_read_has_to_be_given() -> None:
    """Without its fleet such a state can't be read; with it, it can; with another, it is stale."""
    first = fleet(guest("g"))
    document = state_to_dict(begin(first))
    with pytest.raises(BadInput, match="the fleet wasn't generated"):
        state_from_dict(document)
    assert state_from_dict(document, first) == begin(first)
    with pytest.raises(Stale):
        state_from_dict(document, fleet(guest("g", memory_gib=5)))


def test_a_generated_fleet_that_has_changed_is_stale() -> None:
    """A state whose fleet is made differently today is not continued."""
    document = state_to_dict(open_simulator("sim:homelab").state)
    document["fleet"]["version"] = "0" * 16
    with pytest.raises(Stale):
        state_from_dict(document)


def test_a_save_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full the file is as it was, and nothing else lies about."""
    file = tmp_path / "state.json"
    save_state(busy().state, file)
    before = file.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_state(open_simulator("sim:homelab").state, file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"", BadInput), (b"{", BadInput), (b"\xff", BadInput), (b"[" * 100_000, BadInput),
     (b"[]", BadInput), (b"{}", BadInput)],
)  # fmt: skip
def test_a_broken_file_is_refused(
    tmp_path: Path, content: bytes, error: type[MoorageError]
) -> None:
    """What isn't a state is bad input, with the file's name."""
    file = tmp_path / "state.json"
    file.write_bytes(content)
    with pytest.raises(error) as caught:
        load_state(file)
    assert str(file) in (caught.value.place or "")


def test_a_missing_file_and_a_huge_one_are_told_apart(tmp_path: Path) -> None:
    """No file is not found; one larger than any state is too large, unread."""
    file = tmp_path / "state.json"
    with pytest.raises(NotFound):
        load_state(file)
    with file.open("wb") as opened:
        opened.truncate(1 << 30)
    with pytest.raises(TooLarge):
        load_state(file)


DOCUMENT = state_to_dict(busy().state)

WRONG: dict[str, tuple[tuple[Any, ...], Any]] = {
    "an unknown key": (("spice",), 1),
    "another schema": (("schema",), "moorage/sim/v2"),
    "time before time": (("now_s",), -1),
    "a fraction of a second": (("now_s",), 1.5),
    "a guest nobody knows": (("moved", "ghost"), "tower"),
    "a host nobody knows": (("moved", "unifi"), "attic"),
    "a host that is none": (("moved", "unifi"), ["tower"]),
    "a task of nobody": (("running", 0, "guest"), "ghost"),
    "a task to nowhere": (("running", 0, "target"), "attic"),
    "a task that runs and has ended": (("running", 0, "state"), "done"),
    "a task without stages": (("running", 0, "stages"), []),
    "a phase nobody knows": (("running", 0, "stages", 0, "phase"), "beam"),
    "a negative rest": (("running", 0, "stages", 0, "left_kib"), -1),
    "a task that is none": (("ended", 0), 7),
    "a fault nobody knows": (("faults", 0), {"explode": {}}),
    "a fault of nobody": (("faults", 0), {"host_dies": {"host": "attic", "at_s": 1}}),
    "a fleet nobody knows": (("fleet", "name"), "castle"),
    "a seed that is none": (("fleet", "seed"), "one"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_state_is_refused(case: str) -> None:
    """Each value that can't be is refused with a typed error and its place."""
    path, value = WRONG[case]
    document = copy.deepcopy(DOCUMENT)
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises((BadInput, NotFound)):
        state_from_dict(document)


@pytest.mark.parametrize("key", DOCUMENT)
def test_every_part_of_a_state_is_needed(key: str) -> None:
    """A document that lacks one of its parts is refused."""
    document = {k: v for k, v in DOCUMENT.items() if k != key}
    with pytest.raises(BadInput):
        state_from_dict(document)


def test_two_tasks_of_one_name_are_refused() -> None:
    """A task that runs twice, or runs and has ended, is no state."""
    document = copy.deepcopy(DOCUMENT)
    document["ended"].append(document["ended"][0])
    with pytest.raises(BadInput, match="same id"):
        state_from_dict(document)


SPOTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)


@given(data=st.data())
def test_a_mutated_state_is_read_or_refused(data: st.DataObject) -> None:
    """Whatever value is put wherever, there is a state, or a typed error; never another one."""
    document = copy.deepcopy(DOCUMENT)
    inner: Any = document
    while True:
        key = data.draw(
            st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner)))
        )
        if not inner[key] or not isinstance(inner[key], dict | list) or data.draw(st.booleans()):
            break
        inner = inner[key]
    inner[key] = data.draw(SPOTS)
    with suppress(MoorageError):
        state_from_dict(document)
