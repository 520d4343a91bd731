# SPDX-License-Identifier: Apache-2.0
"""Feeds damaged documents to a reader, in a process with little memory.

    python -m tests.fuzz.readers FORMAT COUNT SEED

Prints what went wrong, one line each; nothing if every document was read or refused as it
should be: with a typed error, in less than a second.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from moorage import formats
from moorage.model.errors import MoorageError

MEMORY_BYTES = 256 * 2**20
CPU_S = 1.0

NATIVE = """\
schema: moorage/fleet/v1
defaults: {guest: {kind: vm}}
pools: {ceph: {shared: true, capacity: 1 TiB}}
hosts:
  pve1: {memory: 64 GiB, cpu: 16, labels: {rack: a}, storage: {local: 100 GiB}, state: active}
  pve2: &big {memory: 64 GiB, cpu: 16, labels: {rack: b}, health: nominal, overcommit: {cpu: 2}}
guests:
  db-1: {host: pve1, memory: 1.5 GiB, cpu: 500m, disks: {local: 10 GiB}, tags: [a, b]}
  db-2: {host: pve2, memory: 1 GiB, cpu: 0.5, load: {cpu: 0.2, pressure: {cpu: 12.5}}}
rules:
  - apart: {name: dbs, guests: [db-1, db-2], domain: rack, strength: should, weight: 3}
  - pin: {name: p, guests: [db-1], hosts: [pve1]}
  - headroom: {name: n+1, lose: 1}
limits: {at_once: 2}
"""
JSON = """\
{"schema": "moorage/fleet/v1",
 "hosts": {"a": {"memory": 8192, "cpu": 4}, "b": {"memory": "8 GiB", "cpu": "4000m"}},
 "guests": {"g": {"host": "a", "memory": 1024, "cpu": 1, "load": {"memory": 512}}},
 "rules": [{"ban": {"name": "x", "guests": ["g"], "hosts": ["b"]}}]}
"""
PROXLB = """\
name: "fuzz"
balancing: {method: memory, balanciness: 3, cpu_overcommit: 2.0, max_parallel_migrations: 2}
nodes:
  node-A: {cpu_total: 16, memory_total_gb: 64.5, storage_free: {local: 100}, reserve: {cpu: 1}}
  node-B: {cpu_total: 16, memory_total_gb: 64, maintenance: yes}
vms:
  vm-1: {node: node-A, cpu: 2, memory_gb: 8, tags: [plb_pin_node-A], disks: {local: 10}}
  vm-2: {node: node-A, cpu: 2, memory_gb: 8.25, type: ct, cpu_usage: 0.5, priority: 1}
constraints:
  affinity: [{name: together, vms: [vm-1, vm-2], hard: false, origin: pve}]
  pin: [{vm: vm-1, nodes: [node-A]}]
  ignore: [vm-2]
expect: {feasible: true, placements: {vm-1: node-A}}
"""
BTRPLACE = """\
{"model": {"mapping": {"readyVMs": [2], "onlineNodes": {"0": {"runningVMs": [0, 1],
 "sleepingVMs": []}, "1": {"runningVMs": [], "sleepingVMs": [3]}}, "offlineNodes": [2]},
 "attributes": {"nodes": {}, "vms": {"0": {"memUsed": 100, "migrate": 8}}},
 "views": [{"id": "shareableResource", "rcId": "mem", "nodes": {"0": 8}, "vms": {"0": 3},
 "defCapacity": 4, "defConsumption": 1},
 {"id": "net", "switches": [{"id": 0, "capacity": 1000}], "links": [{"id": 0, "capacity": 1000,
 "switch": 0, "physicalElement": {"type": "node", "id": 0}}], "routing": {"type": "default"}}]},
 "constraints": [{"id": "spread", "continuous": true, "vms": [0, 1]},
 {"id": "fence", "vm": 0, "nodes": [0, 1], "continuous": false},
 {"id": "preserve", "vm": 0, "rc": "mem", "amount": 3}, {"id": "running", "vm": 2}],
 "objective": {"id": "minimizeMTTR"}}
"""
MODEL = """\
2
1 10
0 5
2
0 0 9 9 5 5 0 1
0 1 9 9 5 5 1 0
2
1 1 1
0 0
2
0 2 3 1
1 1 1 1
1
0 1 2
10
1 2 3
"""
ASSIGNMENT = "0 1\n"

TEXTS = {"native": NATIVE, "json": JSON, "proxlb": PROXLB, "btrplace": BTRPLACE, "gmrp": MODEL}
NASTY = [
    "9" * 400, "-1", "1e999", ".nan", "0x1F", "\x00", "\ufeff", "\t", "&a *a", "*big", "<<: *big",
    "!!python/object:os.system", "!!binary x", "? ", "- - - -", "{" * 60, "[" * 60, "]", "}", '"',
    "'", "|\n", ">\n", "%YAML 9.9\n", "---\n", "...\n", "null", "~", "true", "2001-01-01", "\u2028",
    "1_000", "0o17", "12:30:45", "=", "`", "@", "\\", "\ud7ff", "999999999999999999999", "é",
]  # fmt: skip


def damage(rng: random.Random, text: str) -> bytes:
    """Return *text* with a few things wrong."""
    data = text
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = rng.choice(DAMAGES)(rng, data)
    raw = data.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1 and raw:
        at = rng.randrange(len(raw))
        raw = raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
    return raw


def _span(rng: random.Random, text: str) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.choice([1, 2, 5, 20, 100]))


def _cut(rng: random.Random, text: str) -> str:
    start, end = _span(rng, text)
    return text[:start] + text[end:]


def _repeat(rng: random.Random, text: str) -> str:
    start, end = _span(rng, text)
    return text[:end] + text[start:end] * rng.choice([1, 2, 30]) + text[end:]


def _insert(rng: random.Random, text: str) -> str:
    start, end = _span(rng, text)
    return text[:start] + rng.choice(NASTY) + text[rng.choice([start, end]) :]


def _swap_words(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    i, j = rng.randrange(len(words)), rng.randrange(len(words))
    words[i], words[j] = words[j], words[i]
    return " ".join(words)


def _truncate(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


DAMAGES: list[Callable[[random.Random, str], str]] = [
    _cut, _repeat, _insert, _insert, _swap_words, _truncate,
]  # fmt: skip


def sources(kind: str, raw: bytes, folder: Path) -> tuple[str, str | None]:
    """Write a damaged document down; return its SOURCE and format."""
    path = folder / f"fleet.{kind}"
    path.write_bytes(raw)
    if kind == "gmrp":
        assignment = folder / "assignment"
        assignment.write_text(ASSIGNMENT, encoding="utf-8")
        return f"{path}:{assignment}", "gmrp"
    return str(path), "native" if kind == "json" else kind


def trouble(source: str, format: str | None) -> str | None:
    """Read one document; return what is wrong with how that went."""
    before = time.process_time()
    try:
        formats.read(source, format)
    except MoorageError:
        pass
    except BaseException as error:  # noqa: BLE001 - any other error is what is looked for
        return f"{type(error).__name__}: {error}"
    took = time.process_time() - before
    return f"took {took:.1f} s" if took > CPU_S else None


def main(kind: str, count: int, seed: int) -> None:
    """Try *count* damaged documents."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert trouble(*sources(kind, TEXTS[kind].encode(), folder)) is None
        formats.read(*sources(kind, TEXTS[kind].encode(), folder))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, used + MEMORY_BYTES))
        for number in range(count):
            raw = damage(random.Random(f"{kind} {seed} {number}"), TEXTS[kind])
            found = trouble(*sources(kind, raw, folder))
            if found is not None:
                sys.stdout.write(f"{kind} {seed} {number}: {found}: {raw[:2000]!r}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
