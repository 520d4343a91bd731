# SPDX-License-Identifier: Apache-2.0
"""A cloud: 100 hosts in five zones, 1,500 guests of many projects, more vCPUs than cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from moorage.drivers.simulator.draws import Dice
from moorage.drivers.simulator.fleets import shapes
from moorage.drivers.simulator.fleets.building import Judge, Site
from moorage.drivers.simulator.load import Profile
from moorage.drivers.simulator.state import World
from moorage.model.fleet import HOST_DOMAIN, STANDARD_RESOURCES, Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Dirtying, Guest
from moorage.model.hosts import Health, Host, HostState, Verdict
from moorage.model.resources import CPU, MEMORY, Resource, disk
from moorage.model.rule import Rule, Strength
from moorage.model.topology import MoveLimits
from moorage.rules.apart import Apart
from moorage.rules.headroom import Headroom
from moorage.rules.quota import Quota

GIB = 1024
CEPH = disk("ceph")
CEPH_MIB = 1024 * 1024 * GIB
GPU = "gpu"
GUESTS = 1_500
TRAINERS = 12
FILLERS = 40
GPUS_A_HOST = 4
ZONES = tuple(f"az{n}" for n in range(1, 6))
PROJECTS = (
    "acme", "boreal", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper",
    "krill", "lumen", "marlin", "nimbus", "onyx", "pelican", "quartz", "reef", "sable", "tundra",
)  # fmt: skip
APPS = ("shop", "billing", "search", "media", "portal", "reports", "chat", "maps")


@dataclass(frozen=True, slots=True)
class Role:
    """A part of an application: how many guests of which size, and how far apart they are."""

    name: str
    fewest: int
    most: int
    flavour: str
    vcpus: int
    memory_gib: int
    apart: str | None = None


ROLES = (
    Role("web", 3, 6, "c4.m8", 4, 8, HOST_DOMAIN),
    Role("api", 2, 4, "c4.m8", 4, 8, HOST_DOMAIN),
    Role("db", 3, 3, "c8.m32", 8, 32, "zone"),
    Role("cache", 2, 2, "c2.m16", 2, 16, HOST_DOMAIN),
    Role("worker", 2, 6, "c8.m16", 8, 16),
)
TRAINER = Role("trainer", 1, 1, "g1.c16.m64", 16, 64)
FILLER = Role("runner", 1, 1, "c2.m4", 2, 4)


@dataclass(frozen=True, slots=True)
class Group:
    """Replicas of one role of one application."""

    name: str
    project: str
    role: Role
    count: int

    @property
    def guests(self) -> tuple[str, ...]:
        """The ids of its guests."""
        return tuple(f"{self.name}-{n}" for n in range(1, self.count + 1))


@dataclass(frozen=True, slots=True)
class Oddities:
    """The hosts that are not like the others."""

    hot: tuple[str, ...]
    maintenance: str
    disabled: str
    degraded: str

    @property
    def closed(self) -> tuple[str, ...]:
        """Hosts that nobody enters."""
        return (self.maintenance, self.disabled, self.degraded)


def cloud(seed: int) -> World:
    """Make the cloud: some server groups broken, some hosts hot, one in maintenance."""
    dice = Dice(seed, "cloud")
    hosts = list(_hosts())
    plain = dice.shuffled([host.id for host in hosts if not host.devices])
    odd = Oddities(tuple(plain[:3]), plain[3], plain[4], plain[5])
    site = Site((_in_their_state(host, odd) for host in hosts), (odd.disabled, odd.degraded))
    groups = _furnish(site, dice, odd)
    good = dict(site.at)
    _disturb(site, dice, odd, groups)
    steal = {odd.degraded: 150}
    return site.world(_frame(), seed, good, _rules(site, groups), steal)


def _hosts() -> Iterator[Host]:
    for zone in ZONES:
        for rack in range(1, 5):
            for number in range(1, 6):
                has_gpu = (rack, number) == (4, 5)
                kind = "gpu" if has_gpu else "cmp"
                yield Host(
                    id=f"{kind}-{zone}-r{rack}-{number:02}",
                    capacity=FrozenMap({MEMORY: 384 * GIB, CPU: 64_000, CEPH: CEPH_MIB}),
                    reserve=FrozenMap({MEMORY: 8 * GIB}),
                    overcommit_permille=FrozenMap({CPU: 4_000}),
                    labels=FrozenMap({"zone": zone, "rack": f"{zone}-r{rack}"}),
                    verdict=Verdict(Health.NOMINAL),
                    heartbeat_age_s=0,
                    devices=FrozenMap({GPU: GPUS_A_HOST}) if has_gpu else EMPTY,
                    cores=64,
                    bandwidth_mbps=25_000,
                )


def _in_their_state(host: Host, odd: Oddities) -> Host:
    if host.id == odd.maintenance:
        return replace(host, state=HostState.MAINTENANCE)
    if host.id == odd.disabled:
        return replace(host, state=HostState.DISABLED)
    if host.id == odd.degraded:
        finding = "cpu_steal 15.0 %, more than 10.0 %"
        return replace(host, verdict=Verdict(Health.DEGRADED, (finding,)))
    return host


def _guest(name: str, project: str, group: str | None, role: Role) -> Guest:
    demand = {MEMORY: role.memory_gib * GIB, CPU: role.vcpus * 1000, CEPH: 80 * GIB}
    busy = Dirtying(hot_mib=64, hot_period_ms=1000, cold_kib_s=32 * 1024)
    return Guest(
        id=name,
        demand=FrozenMap(demand),
        vcpus=role.vcpus,
        devices=FrozenMap({GPU: 1}) if role is TRAINER else EMPTY,
        dirtying=busy if role.name == "db" else None,
        tags=(role.flavour,),
        project=project,
        group=group,
    )


def _profile(role: Role, dice: Dice) -> Profile:
    makers = {"db": shapes.database, "worker": shapes.batch, "cache": shapes.leaking}
    if role is TRAINER:
        return shapes.hard_at_work(dice)
    return makers.get(role.name, shapes.office)(dice)


def _furnish(site: Site, dice: Dice, odd: Oddities) -> list[Group]:
    """Put everything where it belongs; the host in maintenance stays empty."""
    for number in range(1, TRAINERS + 1):
        project = PROJECTS[number % len(PROJECTS)]
        guest = _guest(f"{project}-trainer-{number}", project, None, TRAINER)
        site.spread(guest, _profile(TRAINER, dice), lambda h: bool(h.devices))
    groups: list[Group] = []
    for app in APPS:
        for project in PROJECTS:
            for role in ROLES:
                count = dice.between(role.fewest, role.most)
                if len(site.at) + count <= GUESTS - FILLERS:
                    named = Group(f"{project}-{app}-{role.name}", project, role, count)
                    groups.append(named)
                    _place(site, dice, odd, named)
    for number in range(1, GUESTS - len(site.at) + 1):
        guest = _guest(f"{PROJECTS[0]}-{FILLER.name}-{number}", PROJECTS[0], None, FILLER)
        site.spread(guest, _profile(FILLER, dice), lambda h: h.id != odd.maintenance)
    return groups


def _place(site: Site, dice: Dice, odd: Oddities, group: Group) -> None:
    taken: set[str] = set()
    for name in group.guests:
        guest, profile = (
            _guest(name, group.project, group.name, group.role),
            _profile(group.role, dice),
        )
        host = site.spread(guest, profile, _beside(taken, group.role.apart, odd.maintenance))
        if group.role.apart is not None:
            taken.add(_value(site.hosts[host], group.role.apart))


def _value(host: Host, domain: str) -> str:
    return host.id if domain == HOST_DOMAIN else host.labels[domain]


def _beside(taken: set[str], domain: str | None, closed: str) -> Judge:
    def allowed(host: Host) -> bool:
        return host.id != closed and (domain is None or _value(host, domain) not in taken)

    return allowed


def _disturb(site: Site, dice: Dice, odd: Oddities, groups: list[Group]) -> None:
    """What happened since: races of the scheduler, a busy day, a maintenance that began."""
    free = [g for group in groups if group.role.apart is None for g in group.guests]
    fillers = [g for g in site.guests if g.startswith(f"{PROJECTS[0]}-{FILLER.name}-")]
    movable = [*dice.shuffled(free), *dice.shuffled(fillers)]
    for host in odd.hot:
        site.heat(host, movable, to_permille=985)
        movable = [g for g in movable if site.at[g] != host]
        site.drive(host, to_permille=1_040)
    for guest in movable[:6]:
        site.move(guest, odd.maintenance)
    for domain, count in ((HOST_DOMAIN, 3), ("zone", 1)):
        for group in dice.shuffled([g for g in groups if g.role.apart == domain])[:count]:
            _collide(site, odd, group)


def _collide(site: Site, odd: Oddities, group: Group) -> None:
    """Bring two of the group onto one host, as two builds at the same time can."""
    for first, second in permutations(group.guests, 2):
        ends = {site.at[first], site.at[second]}
        if not ends & {*odd.closed, *odd.hot} and site.move(second, site.at[first]):
            return


def _rules(site: Site, groups: list[Group]) -> list[Rule]:
    apart: list[Rule] = [
        Apart(name=g.name, guests=g.guests, domain=g.role.apart, origin="nova")
        for g in groups
        if g.role.apart is not None
    ]
    racks = [g for g in groups if g.role.name == "web"][::40]
    wishes: list[Rule] = [
        Apart(name=f"{g.name}-racks", guests=g.guests, domain="rack", strength=Strength.SHOULD)
        for g in racks
    ]
    return [*apart, *wishes, *_quotas(site), Headroom(name="survive-one-host", lose=1)]


def _quotas(site: Site) -> Iterator[Rule]:
    """A quarter more than each project has now."""
    for project in PROJECTS:
        guests = [g for g in site.guests.values() if g.project == project]
        limits = {r: sum(g.demand[r] for g in guests) * 5 // 4 for r in (MEMORY, CPU)}
        most = len(guests) * 5 // 4
        yield Quota(
            name=f"quota-{project}", project=project, limits=FrozenMap(limits), at_most=most
        )


def _frame() -> Fleet:
    pool = Resource(CEPH, "MiB", shared_total=CEPH_MIB)
    return Fleet(
        name="cloud",
        resources=STANDARD_RESOURCES.with_items({CEPH: pool}),
        limits=MoveLimits(at_once=20, into_host=2, out_of_host=2),
    )
