# SPDX-License-Identifier: Apache-2.0
"""A homelab: two small machines and a tower, with what people run at home."""

from __future__ import annotations

from dataclasses import replace

from moorage.drivers.simulator.draws import Dice
from moorage.drivers.simulator.fleets import shapes
from moorage.drivers.simulator.fleets.building import Site
from moorage.drivers.simulator.load import Profile
from moorage.drivers.simulator.state import World
from moorage.model.fleet import STANDARD_RESOURCES, Fleet
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Guest, GuestKind
from moorage.model.hosts import Host
from moorage.model.resources import CPU, MEMORY, Resource, disk
from moorage.model.rule import Rule, Strength
from moorage.model.topology import MoveLimits
from moorage.rules.apart import Apart
from moorage.rules.pin import Pin
from moorage.rules.prefer import Prefer

GIB = 1024
LOCAL, NAS = disk("local-lvm"), disk("nas")
NAS_MIB = 8 * 1024 * GIB
STICK = "zigbee-stick"
VM, CT = GuestKind.VM, GuestKind.CONTAINER


def homelab(seed: int) -> World:
    """Make a homelab in which one small host is hot and two k3s nodes share the tower."""
    dice = Dice(seed, "homelab")
    hot, calm = dice.shuffled(["nuc1", "nuc2"])
    site = Site([_host("nuc1", calm), _host("nuc2", calm), _tower()])
    _furnish(site, dice, hot, calm)
    good = dict(site.at)
    _disturb(site, hot)
    return site.world(_frame(), seed, good, _rules(calm))


def _host(name: str, stick: str) -> Host:
    return Host(
        id=name,
        capacity=FrozenMap({MEMORY: 32 * GIB, CPU: 8_000, LOCAL: 400 * GIB, NAS: NAS_MIB}),
        reserve=FrozenMap({MEMORY: 2 * GIB}),
        overcommit_permille=FrozenMap({CPU: 4_000}),
        devices=FrozenMap({STICK: 1}) if name == stick else EMPTY,
        cores=8,
        bandwidth_mbps=1_000,
    )


def _tower() -> Host:
    return Host(
        id="tower",
        capacity=FrozenMap({MEMORY: 64 * GIB, CPU: 16_000, LOCAL: 1_800 * GIB, NAS: NAS_MIB}),
        reserve=FrozenMap({MEMORY: 2 * GIB}),
        overcommit_permille=FrozenMap({CPU: 4_000}),
        cores=16,
        bandwidth_mbps=2_500,
    )


def _guest(kind: GuestKind, name: str, memory_gib: int, vcpus: int, pool: str, gib: int) -> Guest:
    demand = FrozenMap({MEMORY: memory_gib * GIB, CPU: vcpus * 1000, pool: gib * GIB})
    return Guest(id=name, kind=kind, demand=demand, vcpus=vcpus)


def _furnish(site: Site, dice: Dice, hot: str, calm: str) -> None:
    """Put everything where it belongs."""
    for number, host in enumerate((hot, calm, "tower"), 1):
        node = _guest(VM, f"k3s-{number}", 8, 4, NAS, 60)
        site.add(node, shapes.office(dice), host)
    for number, host in enumerate((hot, calm), 1):
        site.add(_guest(CT, f"pihole-{number}", 1, 1, LOCAL, 8), shapes.steady(dice, 60), host)
    assistant = _guest(VM, "homeassistant", 4, 2, NAS, 32)
    assistant = replace(assistant, devices=FrozenMap({STICK: 1}))
    site.add(assistant, shapes.steady(dice), calm)
    site.add(_guest(CT, "jellyfin", 4, 4, LOCAL, 40), _evening(dice), "tower")
    site.add(_guest(VM, "win11", 16, 8, NAS, 120), shapes.batch(dice), "tower")
    site.spread(_guest(VM, "nextcloud", 8, 4, NAS, 100), shapes.office(dice))
    site.spread(_guest(VM, "frigate", 6, 6, NAS, 200), shapes.hard_at_work(dice))
    site.spread(_guest(VM, "postgres", dice.pick([4, 6]), 2, LOCAL, 80), shapes.database(dice))
    site.spread(_guest(CT, "paperless", 3, 2, NAS, 20), shapes.batch(dice))
    site.spread(_guest(CT, "unifi", 2, 2, LOCAL, 16), shapes.leaking(dice))


def _evening(dice: Dice) -> Profile:
    return shapes.office(dice, cpu=60, swing=600)


def _disturb(site: Site, hot: str) -> None:
    """What grew over the years: everything on the first box, and a node restored in a hurry."""
    assert site.move("k3s-2", "tower"), "the tower has room for a second node"
    site.move("unifi", "tower")
    site.heat(hot, ("frigate", "nextcloud", "postgres", "paperless"), to_permille=950)
    site.drive(hot, to_permille=1_040)


def _rules(calm: str) -> list[Rule]:
    return [
        Apart(name="k3s-nodes-apart", guests=("k3s-1", "k3s-2", "k3s-3")),
        Apart(name="dns-survives", guests=("pihole-1", "pihole-2")),
        Pin(name="media-is-on-tower", guests=("jellyfin",), hosts=("tower",)),
        Prefer(
            name="unifi-off-the-tower",
            guests=("unifi",),
            hosts=FrozenMap({calm: 10}),
            strength=Strength.SHOULD,
        ),
    ]


def _frame() -> Fleet:
    pools = {LOCAL: Resource(LOCAL, "MiB"), NAS: Resource(NAS, "MiB", shared_total=NAS_MIB)}
    resources = STANDARD_RESOURCES.with_items(pools)
    return Fleet(name="homelab", resources=resources, limits=MoveLimits(at_once=1))
