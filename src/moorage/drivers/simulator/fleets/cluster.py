# SPDX-License-Identifier: Apache-2.0
"""A cluster of 14 hosts in three racks, with databases in threes: the one of the HA chapter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from moorage.drivers.simulator.draws import Dice
from moorage.drivers.simulator.fleets import shapes
from moorage.drivers.simulator.fleets.building import Judge, Site
from moorage.drivers.simulator.state import World
from moorage.model.fleet import STANDARD_RESOURCES, Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Dirtying, Guest
from moorage.model.hosts import Health, Host, HostState, Verdict
from moorage.model.resources import CPU, MEMORY, Resource, disk
from moorage.model.rule import Rule, Strength
from moorage.model.topology import MoveLimits
from moorage.rules.apart import Apart
from moorage.rules.pin import Pin
from moorage.rules.together import Together

GIB = 1024
CEPH = disk("ceph")
CEPH_MIB = 60 * 1024 * GIB
RACKS = {"rack_a": range(1, 4), "rack_b": range(4, 7), "rack_c": range(7, 15)}
BIG = range(11, 15)
DEGRADED, DRAINING = "pve3", "pve9"
STEAL_PERMILLE = 150
STEAL_LIMIT_PERMILLE = 100
TRIPLES = {"orders-db": 20, "stock-db": 16, "users-db": 16, "events-db": 24, "billing-db": 12}
BUSY_DATABASE = Dirtying(hot_mib=48, hot_period_ms=1000, cold_kib_s=24 * 1024)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A size of guest."""

    memory_gib: int
    vcpus: int
    disk_gib: int = 60


WEB, API, SEARCH, QUEUE = _Kind(8, 4), _Kind(8, 4), _Kind(12, 4, 200), _Kind(4, 2)
CACHE, RUNNER, SMALL = _Kind(16, 2), _Kind(12, 8, 120), _Kind(2, 1, 20)
PAIRS = {"git": (16, 12), "wiki": (8, 8), "erp": (20, 16)}


def cluster(seed: int) -> World:
    """Make the cluster: one rack rule broken, one host hot, one degraded, one to be emptied."""
    dice = Dice(seed, "cluster")
    site = Site(_hosts(), one_way=(DEGRADED,))
    _furnish(site, dice)
    good = dict(site.at)
    _disturb(site, dice)
    return site.world(_frame(), seed, good, _rules(), {DEGRADED: STEAL_PERMILLE})


def _hosts() -> Iterator[Host]:
    for rack, numbers in RACKS.items():
        for number in numbers:
            memory, cores = (96, 24) if number in BIG else (64, 16)
            yield _host(f"pve{number}", rack, memory * GIB, cores)


def _host(name: str, rack: str, memory_mib: int, cores: int) -> Host:
    finding = f"cpu_steal {STEAL_PERMILLE / 10:.1f} %, more than {STEAL_LIMIT_PERMILLE / 10:.1f} %"
    verdict = Verdict(Health.NOMINAL)
    return Host(
        id=name,
        capacity=FrozenMap({MEMORY: memory_mib, CPU: cores * 1000, CEPH: CEPH_MIB}),
        reserve=FrozenMap({MEMORY: 4 * GIB}),
        overcommit_permille=FrozenMap({CPU: 3_000}),
        labels=FrozenMap({"rack": rack}),
        state=HostState.DRAINING if name == DRAINING else HostState.ACTIVE,
        verdict=Verdict(Health.DEGRADED, (finding,)) if name == DEGRADED else verdict,
        heartbeat_age_s=0,
        cores=cores,
        bandwidth_mbps=10_000,
    )


def _guest(name: str, kind: _Kind, dirtying: Dirtying | None = None) -> Guest:
    demand = {MEMORY: kind.memory_gib * GIB, CPU: kind.vcpus * 1000, CEPH: kind.disk_gib * GIB}
    return Guest(id=name, demand=FrozenMap(demand), vcpus=kind.vcpus, dirtying=dirtying)


def _in_rack(rack: str) -> Judge:
    return lambda host: host.labels["rack"] == rack and host.id != DRAINING


def _stays_open(host: Host) -> bool:
    return host.id != DRAINING


def _furnish(site: Site, dice: Dice) -> None:
    """Put everything where it belongs, the most demanding first."""
    for name, gib in TRIPLES.items():
        for number, rack in enumerate(dice.shuffled(list(RACKS)), 1):
            guest = _guest(f"{name}-{number}", _Kind(gib, 6, 400), BUSY_DATABASE)
            site.spread(guest, shapes.database(dice), _in_rack(rack))
    for name, (first, second) in PAIRS.items():
        _pair(site, dice, name, first, second)
    site.spread(_guest("licences", QUEUE), shapes.steady(dice), lambda h: h.id in ("pve7", "pve8"))
    site.spread(_guest("backup", CACHE), shapes.batch(dice), lambda h: h.id == "pve14")
    for number, rack in enumerate(RACKS, 1):
        site.spread(_guest(f"search-{number}", SEARCH), shapes.office(dice), _in_rack(rack))
    for name, kind, count in (("web", WEB, 5), ("api", API, 4), ("queue", QUEUE, 2)):
        _apart(site, dice, name, kind, count)
    _apart(site, dice, "dns", SMALL, 2)
    for name, kind in (("cache-1", CACHE), ("cache-2", CACHE), ("mail", CACHE)):
        site.spread(_guest(name, kind), shapes.leaking(dice), _stays_open)
    for name, kind in (("proxy", QUEUE), ("bastion", SMALL)):
        site.spread(_guest(name, kind), shapes.steady(dice), _stays_open)
    for name, kind in (("logs", _Kind(24, 4, 2000)), ("metrics", _Kind(16, 4, 800))):
        site.spread(_guest(name, kind), shapes.steady(dice, 300), _stays_open)
    for number in range(1, 5):
        site.spread(_guest(f"runner-{number}", RUNNER), shapes.batch(dice), _stays_open)


def _pair(site: Site, dice: Dice, name: str, first_gib: int, second_gib: int) -> None:
    """Two guests on one host: where there is room for both."""
    both = _guest(name, _Kind(first_gib + second_gib, 8))
    host = site.spread(
        _guest(name, _Kind(first_gib, 4)),
        shapes.office(dice),
        lambda h: _stays_open(h) and site.fits(both, h.id),
    )
    site.add(_guest(f"{name}-db", _Kind(second_gib, 4, 200)), shapes.database(dice), host)


def _apart(site: Site, dice: Dice, name: str, kind: _Kind, count: int) -> None:
    """Guests of which no two share a host."""
    taken: set[str] = set()
    for number in range(1, count + 1):
        guest, profile = _guest(f"{name}-{number}", kind), shapes.office(dice)
        taken.add(site.spread(guest, profile, lambda h: _stays_open(h) and h.id not in taken))


def _disturb(site: Site, dice: Dice) -> None:
    """What happened since: a replica restarted in the wrong rack, runners heaped on one host."""
    home = _collide(site, dice)
    rack = site.hosts[home].labels["rack"]
    others = [f"pve{n}" for n in RACKS[rack]]
    hot = dice.pick([h for h in others if h not in (DEGRADED, DRAINING)])
    _overheat(site, hot)
    _begin_to_drain(site, dice)
    _crowd_search(site, dice, hot)


def _begin_to_drain(site: Site, dice: Dice) -> None:
    for guest in (f"web-{dice.between(1, 5)}", f"api-{dice.between(1, 4)}", "metrics"):
        site.move(guest, DRAINING)


def _crowd_search(site: Site, dice: Dice, hot: str) -> None:
    """Bring one of the search nodes into the rack of another, if there is room."""
    for stays, moves in permutations(["search-1", "search-2", "search-3"], 2):
        rack = site.hosts[site.at[stays]].labels["rack"]
        for host in dice.shuffled([f"pve{n}" for n in RACKS[rack]]):
            closed = (site.at[stays], DEGRADED, DRAINING, hot)
            if host not in closed and site.move(moves, host):
                return


def _collide(site: Site, dice: Dice) -> str:
    """Put one database into the rack of another of its triple; return where it came from."""
    names = [f"{name}-{n}" for name in TRIPLES for n in (1, 2, 3)]
    for guest in dice.shuffled(names):
        home = site.at[guest]
        for host in dice.shuffled(sorted(site.hosts)):
            elsewhere = site.hosts[host].labels["rack"] != site.hosts[home].labels["rack"]
            if elsewhere and host not in (DEGRADED, DRAINING) and site.move(guest, host):
                return home
    raise AssertionError("some database fits into another rack")


def _overheat(site: Site, hot: str) -> None:
    """Heap the runners on *hot*, all of them at work, where others made room for them."""
    bound = _bound()
    for guest in [g for g in site.on(hot) if g not in bound]:
        for host in site.emptiest_first():
            if host not in (hot, DEGRADED, DRAINING) and site.move(guest, host):
                break
    runners = [f"runner-{n}" for n in range(1, 5)]
    heap = (*runners, "cache-1", "cache-2", "mail", "logs", "proxy", "bastion")
    site.heat(hot, heap, to_permille=960)
    site.drive(hot, to_permille=1_060)


def _bound() -> set[str]:
    """Guests that some must-rule names."""
    return {g for r in _rules() if r.is_must for g in getattr(r, "guests", ())}


def _rules() -> list[Rule]:
    def several(name: str, count: int) -> tuple[str, ...]:
        return tuple(f"{name}-{n}" for n in range(1, count + 1))

    return [
        *(Apart(name=f"{n}-racks", guests=several(n, 3), domain="rack") for n in TRIPLES),
        Apart(name="web-hosts", guests=several("web", 5)),
        Apart(name="api-hosts", guests=several("api", 4)),
        Apart(name="queue-hosts", guests=several("queue", 2)),
        Apart(name="dns-hosts", guests=several("dns", 2)),
        *(Together(name=f"{n}-with-db", guests=(n, f"{n}-db")) for n in PAIRS),
        Pin(name="licence-dongle", guests=("licences",), hosts=("pve7", "pve8")),
        Pin(name="tape-drive", guests=("backup",), hosts=("pve14",)),
        Apart(
            name="search-racks",
            guests=several("search", 3),
            domain="rack",
            strength=Strength.SHOULD,
            weight=5,
        ),
    ]


def _frame() -> Fleet:
    pool = Resource(CEPH, "MiB", shared_total=CEPH_MIB)
    return Fleet(
        name="cluster",
        resources=STANDARD_RESOURCES.with_items({CEPH: pool}),
        limits=MoveLimits(at_once=4, into_host=2, out_of_host=2),
    )
