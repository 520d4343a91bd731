# SPDX-License-Identifier: Apache-2.0
"""Real files of other tools, where they lie beside the repository: each reads, and truly."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import moorage.formats
from moorage.formats import gmrp, native, proxlb
from moorage.formats.tree import YAML_1_1, parse
from moorage.model import Fleet
from moorage.verifying import broken_now, verify

CASES = Path(__file__).parents[3] / "shared" / "cases"
LARGE = ("128x3000", "300x10000")
HUGE = "300x10000"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"there are no files in {CASES}")


def files(*patterns: str) -> list[Path]:
    """Return the files that there are, in order."""
    return sorted(path for pattern in patterns for path in CASES.glob(pattern) if path.is_file())


SCENARIOS = files("proxlb/**/*.yaml", "proxlb-scale/*")
SMALL_SCENARIOS = [path for path in SCENARIOS if not any(size in path.name for size in LARGE)]
INSTANCES = files("btrplace/*")
MODELS = files("gmrp/model_*")


def name_of(path: Path) -> str:
    """Return what a case is called."""
    return str(path.relative_to(CASES))


def marked(paths: list[Path]) -> list[object]:
    """Return the cases; of the hugest only reading is tested each time."""
    soak = pytest.mark.soak
    return [pytest.param(p, id=name_of(p), marks=[soak] if HUGE in p.name else []) for p in paths]


@cache
def load(path: Path) -> Fleet:
    """Read a case once."""
    return moorage.formats.read(path)


def load_model(path: Path) -> Fleet:
    """Read a model with its assignment."""
    return gmrp.read(path, path.with_name(path.name.replace("model_", "assignment_")))


def content(path: Path) -> bytes:
    """Return what is in a file."""
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def from_text(text: str, path: Path) -> Fleet:
    """Read a scenario that was written."""
    return proxlb.read(parse(text, name=path.name, yaml_version=YAML_1_1))


# --- proxlb ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCENARIOS, ids=name_of)
def test_scenarios_are_read_without_a_warning(path: Path) -> None:
    """Nothing in them is unknown, skipped or odd; every guest has its host."""
    fleet = load(path)
    assert fleet.warnings == ()
    assert fleet.hosts
    assert all(guest.host in fleet.hosts for guest in fleet.guests.values())


@pytest.mark.parametrize("path", marked(SCENARIOS))
def test_scenarios_written_and_read_are_equal(path: Path) -> None:
    """A scenario survives its own writer: the same fleet, to the last option."""
    fleet = load(path)
    again = from_text(proxlb.write(fleet), path)
    assert again == fleet
    assert again.version == fleet.version
    assert again.warnings == ()


@pytest.mark.parametrize("path", SMALL_SCENARIOS, ids=name_of)
def test_scenarios_give_the_same_verdicts_after_the_native_format(path: Path) -> None:
    """By way of the native format and back, any placement is judged as before."""
    fleet = load(path)
    ours = native.read(parse(native.write(fleet), name="native.yaml"))
    back = from_text(proxlb.write(ours), path)
    assert ours == back == fleet
    assert broken_now(ours) == broken_now(back) == broken_now(fleet)
    draw, hosts = random.Random(len(fleet.guests)), list(fleet.hosts)
    for _ in range(3):
        target = {guest: draw.choice(hosts) for guest in fleet.guests}
        assert verify(ours, target) == verify(back, target) == verify(fleet, target)


# --- BtrPlace ----------------------------------------------------------------------------------

OVER_LIMIT = {
    "min-migrations.json": 1,
    "issue-101.json.gz": 3,
    "issue-131-0.json.gz": 1,
    "issue-131-1.json.gz": 3,
    "issue-131-3.json.gz": 3,
    "li-r3-c0.json.gz": 3,
    "li-r6-c0.json.gz": 585,
}
TO_BE_PLACED = {"nr-r3-c33.json.gz": 753, "nr-r5-c0.json.gz": 1266}


@pytest.mark.parametrize("path", INSTANCES, ids=name_of)
def test_the_only_warning_of_instances_is_true(path: Path) -> None:
    """The one thing without a meaning is attributes, named with how often they come."""
    attributes = json.loads(content(path))["model"]["attributes"]
    meant = {"memUsed", "hotDirtySize", "hotDirtyDuration", "coldDirtyRate", "migrate"}
    told = []
    for section, known in (("nodes", set()), ("vms", meant)):
        counts = Counter(key for each in attributes[section].values() for key in each)
        listed = [f"{key} ({counts[key]})" for key in sorted(counts.keys() - known)]
        told += [f"of {section} {', '.join(listed)}"] if listed else []
    line = f"attributes without a meaning here are skipped: {'; '.join(told)}"
    assert load(path).warnings == ((line,) if told else ())


@pytest.mark.parametrize("path", INSTANCES, ids=name_of)
def test_instances_have_the_faults_that_they_are_known_for(path: Path) -> None:
    """As many hosts are over a limit, or guests wait for a host, as their authors say."""
    broken = broken_now(load(path))
    over = {v.breach.host for v in broken if v.breach.host}
    waiting = [guest for v in broken if v.breach.code == "not_placed" for guest in v.breach.guests]
    if path.name in OVER_LIMIT:
        assert len(over) == OVER_LIMIT[path.name]
    assert len(waiting) == TO_BE_PLACED.get(path.name, 0)
    assert not {v.breach.code for v in broken} & {"apart_host", "together_part"}


@pytest.mark.parametrize("path", INSTANCES, ids=name_of)
def test_instances_hold_all_that_the_file_lists(path: Path) -> None:
    """Every node and VM is there, and as many rules as constraints that make one."""
    document = json.loads(content(path))
    mapping, fleet = document["model"]["mapping"], load(path)
    assert len(fleet.hosts) == len(mapping["onlineNodes"]) + len(mapping["offlineNodes"])
    running = sum(len(node["runningVMs"]) for node in mapping["onlineNodes"].values())
    placed = [g for g in fleet.guests.values() if g.host is not None]
    assert (len(placed), len(fleet.guests)) == (running, running + len(mapping["readyVMs"]))
    makes_rule = {"spread", "fence", "among", "resourceCapacity"}
    assert len(fleet.rules) == sum(c["id"] in makes_rule for c in document["constraints"])


# --- GMRP --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_models_survive_word_for_word(path: Path) -> None:
    """A model and its assignment are written with the same numbers in the same order."""
    fleet = load_model(path)
    assert fleet.warnings == ()
    assert gmrp.write_model(fleet).encode().split() == content(path).split()
    assignment = path.with_name(path.name.replace("model_", "assignment_"))
    assert gmrp.write_solution(fleet, {}).encode().split() == content(assignment).split()


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_the_first_assignment_breaks_nothing(path: Path) -> None:
    """Every instance of the challenge starts from a solution."""
    assert broken_now(load_model(path)) == []
