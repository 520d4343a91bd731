# SPDX-License-Identifier: Apache-2.0
"""A simulation in a file: saved in one piece or not at all, and checked when it is read.

The fleet itself is not in the file. A generated one is made again from its name and seed; one
that was read has to be given. Its version tells whether it is still the same.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from moorage.drivers.simulator.faults import check_names, read_faults, write_faults
from moorage.drivers.simulator.fleets import build
from moorage.drivers.simulator.records import read_record, unfolded
from moorage.drivers.simulator.state import State, World
from moorage.drivers.simulator.tasks import Task
from moorage.model.errors import BadInput, NotFound, Stale, TooLarge
from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap

SCHEMA = "moorage/sim/v1"
LARGEST_BYTES = 64 * 1024 * 1024
_KEYS = ("schema", "fleet", "seed", "now_s", "moved", "running", "ended", "faults")
_FLEET_KEYS = ("name", "seed", "version")


def state_to_dict(state: State) -> dict[str, Any]:
    """Return *state* as a document of plain values."""
    world = state.world
    return {
        "schema": SCHEMA,
        "fleet": {"name": world.name, "seed": world.seed, "version": world.fleet.version},
        "seed": state.seed,
        "now_s": state.now_s,
        "moved": {guest: state.moved[guest] for guest in sorted(state.moved)},
        "running": [unfolded(task) for task in state.running],
        "ended": [unfolded(task) for task in state.ended.values()],
        "faults": write_faults(state.faults),
    }


def state_from_dict(document: object, fleet: Fleet | None = None, place: str = "state") -> State:
    """Read what `state_to_dict` wrote.

    A simulation that wasn't generated needs the *fleet* that it began with.
    """
    if not isinstance(document, Mapping):
        raise BadInput("has to be a mapping", place=place)
    if document.get("schema") != SCHEMA:
        hint = f"this version reads {SCHEMA}"
        raise BadInput(f"unknown schema {document.get('schema')!r}", place=place, hint=hint)
    _same_keys(document, _KEYS, place)
    world = _world(document["fleet"], fleet, f"{place}.fleet")
    running, ended = (_tasks(world.fleet, document, k, place) for k in ("running", "ended"))
    _check_tasks(running, ended, place)
    faults = read_faults(document["faults"], f"{place}.faults")
    check_names(faults, world.fleet)
    return State(
        world=world,
        seed=_number(document["seed"], f"{place}.seed"),
        now_s=_number(document["now_s"], f"{place}.now_s"),
        moved=_moved(world.fleet, document["moved"], f"{place}.moved"),
        running=running,
        ended=FrozenMap({task.id: task for task in ended}),
        faults=faults,
    )


def save_state(state: State, path: Path) -> None:
    """Write *state* to *path*: a reader finds the old file or the new one, never a half."""
    text = json.dumps(state_to_dict(state), indent=1) + "\n"
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load_state(path: Path, fleet: Fleet | None = None) -> State:
    """Read the state that `save_state` wrote to *path*."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise TooLarge(f"larger than {LARGEST_BYTES // 1024**2} MiB", place=str(path))
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFound("there is no such file", place=str(path)) from None
    except OSError as error:
        raise BadInput(f"can't be read: {error.strerror}", place=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not JSON: {error}", place=str(path)) from None
    return state_from_dict(document, fleet, str(path))


def _same_keys(row: Mapping[str, Any], keys: Iterable[str], place: str) -> None:
    for key in row:
        if key not in keys:
            raise BadInput(f"unknown key {key!r}", place=place, hint=f"keys: {', '.join(keys)}")
    for key in keys:
        if key not in row:
            raise BadInput(f"{key} is missing", place=place)


def _number(value: object, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadInput("has to be a whole number, 0 or more", place=place)
    return value


def _world(row: object, fleet: Fleet | None, place: str) -> World:
    if not isinstance(row, Mapping):
        raise BadInput("has to be a mapping", place=place)
    _same_keys(row, _FLEET_KEYS, place)
    seed = _number(row["seed"], f"{place}.seed")
    if fleet is not None:
        world = World(fleet=fleet, seed=seed)
    elif isinstance(row["name"], str) and row["name"]:
        world = build(row["name"], seed)
    else:
        hint = "give the fleet that the simulation began with"
        raise BadInput(
            "the fleet wasn't generated, so it can't be made again", place=place, hint=hint
        )
    if world.fleet.version != row["version"]:
        raise Stale("the fleet is not the one that the simulation began with", place=place)
    return world


def _moved(fleet: Fleet, row: object, place: str) -> FrozenMap[str, str]:
    if not isinstance(row, Mapping):
        raise BadInput("has to be a mapping", place=place)
    for guest, host in row.items():
        _known(fleet, guest, host, f"{place}.{guest}")
    return FrozenMap(row)


def _known(fleet: Fleet, guest: object, host: object, place: str) -> None:
    if guest not in fleet.guests:
        raise BadInput(f"unknown guest {guest!r}", place=place)
    if host is not None and not (isinstance(host, str) and host in fleet.hosts):
        raise BadInput(f"unknown host {host!r}", place=place)


def _tasks(fleet: Fleet, document: Mapping[str, Any], key: str, place: str) -> tuple[Task, ...]:
    rows = document[key]
    if not isinstance(rows, list):
        raise BadInput("has to be a list", place=f"{place}.{key}")
    tasks = tuple(read_record(Task, row, f"{place}.{key}[{i}]") for i, row in enumerate(rows))
    for i, task in enumerate(tasks):
        for host in (task.source, task.target):
            _known(fleet, task.guest, host, f"{place}.{key}[{i}]")
    return tasks


def _check_tasks(running: tuple[Task, ...], ended: tuple[Task, ...], place: str) -> None:
    """Hold what every state holds: nothing moves twice at once, and the ended has ended."""
    ids = [task.id for task in (*running, *ended)]
    if len(set(ids)) < len(ids):
        raise BadInput("two tasks have the same id", place=place)
    if len({task.guest for task in running}) < len(running):
        raise BadInput("a guest is moved twice at once", place=f"{place}.running")
    if any(task.state.is_final or not task.stages for task in running):
        raise BadInput("a task that has ended runs", place=f"{place}.running")
    if any(not task.state.is_final for task in ended):
        raise BadInput("a task that runs has ended", place=f"{place}.ended")
