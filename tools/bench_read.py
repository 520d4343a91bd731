# SPDX-License-Identifier: Apache-2.0
"""Measures how long fleets take to read and write, against what Python's own parser needs.

    .venv/bin/python tools/bench_read.py [HOSTS [GUESTS]]

Times are CPU seconds of one core, the least of three. The ratio compares with `json.loads` of
the same fleet as JSON: what any reader in Python has to spend before it knows anything.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from time import process_time

from moorage.formats.native import read, write
from moorage.formats.tree import parse
from moorage.model import Fleet, FrozenMap, Guest, Host, Load, Pressure, Resource, disk
from moorage.rules.apart import Apart

REPEATS = 3


def big_fleet(hosts: int, guests: int) -> Fleet:
    """Return a fleet of racks with load, disks and a rule for every group of replicas."""
    choose = random.Random(1)
    names = [f"pve{number:05}" for number in range(hosts)]
    return Fleet(
        hosts=FrozenMap({name: _host(name, number) for number, name in enumerate(names)}),
        guests=FrozenMap({g.id: g for g in (_guest(i, names, choose) for i in range(guests))}),
        rules=tuple(_rule(first) for first in range(0, guests - 2, 30)),
        resources=Fleet().resources.with_items({disk("local"): Resource(disk("local"), "MiB")}),
    )


def _host(name: str, number: int) -> Host:
    return Host(
        name,
        capacity=FrozenMap({"memory": 512 << 10, "cpu": 128_000, disk("local"): 8 << 20}),
        reserve=FrozenMap({"memory": 8 << 10}),
        overcommit_permille=FrozenMap({"cpu": 4000}),
        labels=FrozenMap({"rack": f"r{number // 40}", "zone": f"z{number % 3}"}),
        cores=64,
        bandwidth_mbps=25_000,
    )


def _guest(number: int, hosts: list[str], choose: random.Random) -> Guest:
    memory, cores = choose.choice([2, 4, 8, 16, 32]) << 10, choose.choice([1, 2, 4, 8])
    load = Load(
        choose.randrange(cores * 1000), choose.randrange(memory), Pressure(choose.randrange(500))
    )
    return Guest(
        f"vm-{number:06}",
        host=choose.choice(hosts),
        demand=FrozenMap({"memory": memory, "cpu": cores * 1000, disk("local"): memory * 4}),
        vcpus=cores,
        load=load,
        tags=(f"app-{number // 30}",),
        project=f"project-{number % 97}",
    )


def _rule(first: int) -> Apart:
    return Apart(name=f"apart-{first}", guests=tuple(f"vm-{first + i:06}" for i in range(3)))


def seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time that *work* took."""
    times = []
    for _ in range(REPEATS):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def main(hosts: int = 5_000, guests: int = 30_000) -> None:
    """Print a table."""
    fleet = big_fleet(hosts, guests)
    as_json, as_yaml = write(fleet, json=True), write(fleet)
    assert read(parse(as_json, name="json")) == fleet == read(parse(as_yaml, name="yaml"))
    base = seconds(lambda: json.loads(as_json))
    rows: list[tuple[str, int, Callable[[], object]]] = [
        ("json.loads alone", len(as_json), lambda: json.loads(as_json)),
        ("read JSON", len(as_json), lambda: read(parse(as_json, name="json"))),
        ("read YAML", len(as_yaml), lambda: read(parse(as_yaml, name="yaml"))),
        ("write JSON", len(as_json), lambda: write(fleet, json=True)),
        ("write YAML", len(as_yaml), lambda: write(fleet)),
    ]
    print(f"{hosts} hosts, {guests} guests")
    print(f"{'':18}{'MiB':>8}{'CPU s':>10}{'ratio':>10}")
    for name, size, work in rows:
        taken = seconds(work)
        print(f"{name:18}{size / 2**20:8.1f}{taken:10.2f}{taken / base:10.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
