# SPDX-License-Identifier: Apache-2.0
"""Plans that are valid but for one limit: each with the rule, host, instant and figure it breaks.

A scene is a fleet of hosts with plenty of everything and a valid plan, in which one thing is
then made too small, forbidden or absent. Times, sizes and names differ from seed to seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import Guest, Volume
from moorage.model.hosts import Health, Host, HostState, Verdict
from moorage.model.plan import Action, Plan, Step
from moorage.model.resources import Resource
from moorage.model.rule import Rule, Strength
from moorage.rules.registry import registry

if TYPE_CHECKING:
    import random

RESOURCES = (
    Resource("memory", "MiB"),
    Resource("cpu", "millicores"),
    Resource("disk:local", "MiB"),
    Resource("disk:ceph", "MiB", shared_total=1_000_000),
    Resource("licences"),
)
PLENTY = 100_000


@dataclass
class Scene:
    """A fleet in the making: guests `mover`, `mate` and `other`, hosts `home`, `away`, `third`.

    The mover goes from home to away; the mate stays on away, the other one stays on third.
    """

    rng: random.Random
    hosts: dict[str, Host] = field(default_factory=dict)
    guests: dict[str, Guest] = field(default_factory=dict)
    volumes: dict[str, Volume] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = [f"h{n}" for n in self.rng.sample(range(1, 30), 4)]
        self.home, self.away, self.third, self.spare = self.names
        self.mover, self.mate, self.other = (f"g{n}" for n in self.rng.sample(range(1, 30), 3))
        self.start_s = self.rng.randrange(0, 50)
        self.end_s = self.start_s + self.rng.randrange(1, 50)
        self.size = {r.id: self.rng.randrange(1, 50) for r in RESOURCES}
        for number, name in enumerate(self.names):
            labels = FrozenMap(rack=f"r{number}")
            capacity = FrozenMap({r.id: PLENTY for r in RESOURCES})
            self.hosts[name] = Host(name, capacity=capacity, labels=labels)
        spots = {self.mover: self.home, self.mate: self.away, self.other: self.third}
        for name, spot in spots.items():
            self.guests[name] = Guest(name, host=spot, demand=FrozenMap(self.size))

    def change_host(self, name: str, **changes: Any) -> None:
        self.hosts[name] = replace(self.hosts[name], **changes)

    def change_guest(self, name: str, **changes: Any) -> None:
        self.guests[name] = replace(self.guests[name], **changes)

    def rule(self, kind: str, **fields: Any) -> None:
        self.rules.append(registry()[kind](name=f"the {kind}", **fields))

    @property
    def fleet(self) -> Fleet:
        return Fleet(
            hosts=FrozenMap(self.hosts),
            guests=FrozenMap(self.guests),
            rules=tuple(self.rules),
            resources=FrozenMap({r.id: r for r in RESOURCES}),
            volumes=FrozenMap(self.volumes),
        )

    @property
    def there(self) -> Plan:
        """The mover goes from home to away."""
        return Plan((self.step(0, self.start_s, self.end_s, self.home, self.away),))

    @property
    def elsewhere(self) -> Plan:
        """The mover goes from home to the spare host, where nobody is."""
        return Plan((self.step(0, self.start_s, self.end_s, self.home, self.spare),))

    @property
    def there_and_on(self) -> Plan:
        """The mover parks on away, and goes on to the spare host at once."""
        on = self.step(1, self.end_s, self.end_s + 5, self.away, self.spare)
        return Plan((*self.there.steps, on))

    @property
    def there_and_back(self) -> Plan:
        """The mover parks on away, and returns home at once."""
        back = self.step(1, self.end_s, self.end_s + 5, self.away, self.home)
        return Plan((*self.there.steps, back))

    def step(self, index: int, start_s: int, end_s: int, source: str | None, target: str) -> Step:
        return Step(index, start_s, end_s, (Action(self.mover, source, target),))


@dataclass(frozen=True)
class Expected:
    """What the verifier has to say first of the broken plan."""

    plan: Plan
    rule: str
    at_s: int | None
    host: str | None
    figure: str
    amount: int = 1


Breaking = Callable[[Scene], Expected]

BREAKINGS: dict[str, Breaking] = {}


def breaks(kind: str) -> Callable[[Breaking], Breaking]:
    """Register how one kind of rule is broken."""

    def register(breaking: Breaking) -> Breaking:
        BREAKINGS[kind] = breaking
        return breaking

    return register


# --- sums --------------------------------------------------------------------------------------


def over_capacity(scene: Scene, resource: str) -> Expected:
    """The host in the middle has room for one of two: in transit alone it is too full."""
    both, excess = 2 * scene.size[resource], scene.rng.randint(1, scene.size[resource])
    capacity = scene.hosts[scene.away].capacity.with_items({resource: both - excess})
    scene.change_host(scene.away, capacity=capacity)
    at_s, host = scene.start_s, scene.away
    return Expected(scene.there_and_on, "capacity", at_s, host, f"{host}:", excess)


@breaks("capacity")
def _capacity(scene: Scene) -> Expected:
    return over_capacity(scene, scene.rng.choice(RESOURCES).id)


@breaks("group_capacity")
def _group_capacity(scene: Scene) -> Expected:
    held, excess = 3 * scene.size["memory"], scene.rng.randint(1, scene.size["memory"])
    limit = held - excess
    hosts = (scene.home, scene.away)
    scene.rule("group_capacity", hosts=hosts, resource="memory", at_most=limit)
    expected = Expected(scene.there_and_on, "the group_capacity", scene.start_s, None, "", excess)
    return replace(expected, figure=f"at most {limit} MiB allowed together")


@breaks("guest_count")
def _guest_count(scene: Scene) -> Expected:
    scene.rule("guest_count", hosts=(scene.away, scene.third), at_most=1, each=True)
    text = f"2 guests on {scene.away}; at most 1 may be"
    return Expected(scene.there_and_on, "the guest_count", scene.start_s, scene.away, text)


@breaks("host_count")
def _host_count(scene: Scene) -> Expected:
    scene.rule("host_count", hosts=tuple(scene.names), at_most=3)
    text = "4 hosts in use of"
    return Expected(scene.elsewhere, "the host_count", scene.start_s, None, text)


@breaks("devices")
def _devices(scene: Scene) -> Expected:
    for guest in (scene.mover, scene.mate):
        scene.change_guest(guest, devices=FrozenMap(gpu=2))
    for host, count in ((scene.home, 2), (scene.away, 3), (scene.spare, 2)):
        scene.change_host(host, devices=FrozenMap(gpu=count))
    text = f"need 4 gpu on {scene.away}, which has 3"
    return Expected(scene.there_and_on, "devices", scene.start_s, scene.away, text)


@breaks("quota")
def _quota(scene: Scene) -> Expected:
    scene.change_guest(scene.mover, host=None, project="blue")
    scene.change_guest(scene.mate, project="blue")
    limit = 2 * scene.size["cpu"] - 1
    scene.rule("quota", project="blue", limits=FrozenMap(cpu=limit))
    placed = Plan((scene.step(0, scene.start_s, scene.end_s, None, scene.home),))
    return Expected(placed, "the quota", scene.start_s, None, "project blue takes")


@breaks("headroom")
def _headroom(scene: Scene) -> Expected:
    """Two hosts take over for each other, and one of them is a unit too small for both guests."""
    room = 2 * scene.size["memory"] - 1
    capacity = scene.hosts[scene.away].capacity.with_items({"memory": room})
    scene.change_host(scene.away, capacity=capacity)
    scene.rule("headroom", hosts=(scene.away, scene.spare))
    text = f"if {scene.spare} is lost, 1 guest ({scene.mover}) can't start elsewhere"
    return Expected(scene.elsewhere, "the headroom", None, scene.spare, text)


# --- groups ------------------------------------------------------------------------------------


@breaks("apart")
def _apart(scene: Scene) -> Expected:
    """Apart at both ends, and together for as long as the mover passes through."""
    domain = scene.rng.choice(("host", "rack"))
    scene.rule("apart", guests=(scene.mover, scene.mate, scene.other), domain=domain)
    host = scene.away if domain == "host" else None
    return Expected(scene.there_and_on, "the apart", scene.start_s, host, "; at most 1 may")


@breaks("split")
def _split(scene: Scene) -> Expected:
    scene.rule("split", groups=((scene.mover,), (scene.mate, scene.other)))
    text = f"on {scene.away}"
    return Expected(scene.there_and_on, "the split", scene.start_s, scene.away, text)


@breaks("dedicated")
def _dedicated(scene: Scene) -> Expected:
    scene.rule("dedicated", guests=(scene.mate,))
    text = f"{scene.away} is kept for {scene.mate} but holds {scene.mover}"
    return Expected(scene.there_and_on, "the dedicated", scene.start_s, scene.away, text)


@breaks("together")
def _together(scene: Scene) -> Expected:
    """Together at home; the platform holds it always, and one of them has arrived elsewhere."""
    scene.change_guest(scene.mate, host=scene.home)
    scene.rule("together", guests=(scene.mover, scene.mate), origin="pve")
    text = "belong together but are in"
    return Expected(scene.there_and_back, "the together", scene.end_s, None, text)


@breaks("near")
def _near(scene: Scene) -> Expected:
    scene.change_guest(scene.mate, host=scene.home)
    scene.rule("near", guests=(scene.mover,), to=(scene.mate,), origin="nova")
    text = f"{scene.mover} in {scene.away}: none of {scene.mate} is in the same host"
    return Expected(scene.there_and_back, "the near", scene.end_s, None, text)


# --- single guests -----------------------------------------------------------------------------


@breaks("pin")
def _pin(scene: Scene) -> Expected:
    scene.rule("pin", guests=(scene.mover,), hosts=(scene.home, scene.spare))
    text = f"{scene.mover} is on {scene.away}, pinned to"
    return Expected(scene.there_and_on, "the pin", scene.start_s, scene.away, text)


@breaks("ban")
def _ban(scene: Scene) -> Expected:
    scene.rule("ban", guests=(scene.mover,), hosts=(scene.away,))
    text = f"{scene.mover} is on {scene.away}, from which it is banned"
    return Expected(scene.there_and_on, "the ban", scene.start_s, scene.away, text)


@breaks("stay")
def _stay(scene: Scene) -> Expected:
    scene.rule("stay", guests=(scene.mover,))
    text = f"{scene.mover} must stay on {scene.home} but is moved"
    return Expected(scene.there_and_back, "the stay", scene.start_s, scene.home, text)


@breaks("locked")
def _locked(scene: Scene) -> Expected:
    scene.change_guest(scene.mover, lock="snapshot")
    text = f"{scene.mover} is moved off {scene.home} although locked (snapshot)"
    return Expected(scene.there_and_back, "locked", scene.start_s, scene.home, text)


@breaks("placed")
def _placed(scene: Scene) -> Expected:
    """Two wait for a host, and the plan places one: the other is what it was, and that is said."""
    scene.change_guest(scene.mover, host=None)
    placed = Plan((scene.step(0, scene.start_s, scene.end_s, None, scene.home),))
    return Expected(replace(placed, steps=()), "placed", None, None, f"{scene.mover} has no host")


@breaks("prefer")
def _prefer(scene: Scene) -> Expected:
    points = scene.rng.randint(1, 9)
    likes = FrozenMap({scene.home: points})
    scene.rule("prefer", guests=(scene.mover,), hosts=likes, strength=Strength.MUST)
    text = f"{scene.mover} is on {scene.away} and would rather be on {scene.home}"
    return Expected(scene.there, "the prefer", None, scene.away, text, points)


@breaks("cpu_compatible")
def _cpu_compatible(scene: Scene) -> Expected:
    scene.change_guest(scene.mover, cpu_features=("aes", "avx"))
    for host in (scene.home, scene.spare):
        scene.change_host(host, cpu_features=("aes", "avx"))
    text = f"{scene.away} lacks aes, avx for {scene.mover}"
    return Expected(scene.there_and_on, "cpu_compatible", scene.start_s, scene.away, text)


@breaks("vcpus_fit")
def _vcpus_fit(scene: Scene) -> Expected:
    vcpus = scene.rng.randint(2, 64)
    scene.change_guest(scene.mover, vcpus=vcpus)
    scene.change_host(scene.away, cores=vcpus - 1)
    text = f"{scene.mover} with up to {vcpus} vCPUs on {scene.away}, which has {vcpus - 1} cores"
    return Expected(scene.there_and_on, "vcpus_fit", scene.start_s, scene.away, text)


@breaks("volume_locality")
def _volume_locality(scene: Scene) -> Expected:
    scene.volumes["data"] = Volume("data", home=scene.home)
    scene.change_guest(scene.mover, volumes=("data",))
    text = f"{scene.mover} is on {scene.away}, away from local volumes"
    return Expected(scene.there_and_back, "volume_locality", scene.start_s, scene.away, text)


@breaks("exclusive_volume")
def _exclusive_volume(scene: Scene) -> Expected:
    scene.volumes["data"] = Volume("data")
    scene.change_guest(scene.mover, host=None, volumes=("data",))
    scene.change_guest(scene.mate, volumes=("data",))
    placed = Plan((scene.step(0, scene.start_s, scene.end_s, None, scene.home),))
    text = "all write to the exclusive volume data"
    return Expected(placed, "exclusive_volume", scene.start_s, None, text)


# --- hosts -------------------------------------------------------------------------------------


def _closed(scene: Scene, rule: str, why: str) -> Expected:
    text = f"{scene.mover} is on {scene.away}, {why}"
    return Expected(scene.there_and_on, rule, scene.start_s, scene.away, text)


@breaks("maintenance")
def _maintenance(scene: Scene) -> Expected:
    scene.change_guest(scene.mate, host=scene.third)
    scene.change_host(scene.away, state=HostState.MAINTENANCE)
    return _closed(scene, "maintenance", "which is in maintenance")


@breaks("drain")
def _drain(scene: Scene) -> Expected:
    scene.change_guest(scene.mate, host=scene.third)
    scene.change_host(scene.away, state=HostState.DRAINING)
    return _closed(scene, "drain", "which is being emptied")


@breaks("in_service")
def _in_service(scene: Scene) -> Expected:
    scene.change_host(scene.away, state=HostState.DISABLED)
    return _closed(scene, "in_service", "which takes no new guests")


@breaks("health")
def _health(scene: Scene) -> Expected:
    health = scene.rng.choice([h for h in Health if h is not Health.NOMINAL])
    scene.change_host(scene.away, verdict=Verdict(health))
    return _closed(scene, "health", f"whose health is {health}")


@breaks("quarantine")
def _quarantine(scene: Scene) -> Expected:
    scene.rule("quarantine", hosts=(scene.away,))
    text = f"{scene.mover} is moved onto {scene.away}, which is in quarantine"
    return Expected(scene.there_and_on, "the quarantine", scene.start_s, scene.away, text)
