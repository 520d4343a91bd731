# SPDX-License-Identifier: Apache-2.0
"""What a simulation looks like from outside: a fleet at one instant."""

from __future__ import annotations

from dataclasses import replace

from moorage.drivers.simulator.address import Address
from moorage.drivers.simulator.contention import Shared, share
from moorage.drivers.simulator.draws import draw
from moorage.drivers.simulator.load import Wanted, wanted
from moorage.drivers.simulator.state import State
from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.guests import IDLE, Guest
from moorage.model.hosts import CALM, Host, HostState
from moorage.model.resources import CPU, MEMORY

MOVING = "migrate"
"""The lock of a guest on the move, as Proxmox calls it."""

BEAT_S = 10
"""How often a host is heard of."""


def look(state: State) -> Fleet:
    """Return the fleet as it is at second `state.now_s`."""
    fleet, world = state.world.fleet, state.world
    on = _running(state)
    shared = {host: _shared(state, host, on.get(host, [])) for host in fleet.hosts}
    loads = {g: load for each in shared.values() for g, load in each.loads.items()}
    hosts = FrozenMap({h.id: _host(state, h, shared[h.id]) for h in fleet.hosts.values()})
    busy = {task.guest for task in state.running}
    guests = FrozenMap(
        {
            g.id: replace(
                g,
                host=state.host_of(g.id),
                load=loads.get(g.id, IDLE if g.id in world.profiles else g.load),
                lock=MOVING if g.id in busy else g.lock,
            )
            for g in fleet.guests.values()
            if not state.is_gone(g.id)
        }
    )
    source = str(Address(world.name, world.seed, state.now_s)) if world.name else fleet.source
    return fleet.changed(hosts=hosts, guests=guests, source=source)


def _running(state: State) -> dict[str, list[Guest]]:
    """Return {host: guests that use its CPU now}; a guest on the move still uses its source's."""
    down = {task.guest for task in state.running if task.interrupts}
    on: dict[str, list[Guest]] = {}
    for guest in state.world.fleet.guests.values():
        host = state.host_of(guest.id)
        still = guest.stopped or guest.id in down or state.is_gone(guest.id)
        if host is not None and not still:
            on.setdefault(host, []).append(guest)
    return on


def _shared(state: State, host: str, guests: list[Guest]) -> Shared:
    """What the guests on *host* get: nothing from one that is dead."""
    if state.is_dead(host):
        return Shared({}, CALM)
    there = state.world.fleet.hosts[host]
    lost = state.world.steal_permille.get(host, 0)
    wants = {g.id: want for g in guests if (want := _wanted_by(state, g)) is not None}
    return share(
        wants,
        cpu_millicores=_physical_millicores(there) * (1000 - lost) // 1000,
        memory_mib=there.capacity.get(MEMORY, 0),
        vcpus={g.id: _vcpus(g) for g in guests},
    )


def _wanted_by(state: State, guest: Guest) -> Wanted | None:
    """What *guest* wants; nothing is made up for one without a profile."""
    profile = state.world.profiles.get(guest.id)
    if profile is None:
        return None
    memory, seed = guest.demand.get(MEMORY, 0), state.world.seed
    return wanted(profile, _vcpus(guest), memory, seed=seed, guest=guest.id, at_s=state.now_s)


def _vcpus(guest: Guest) -> int:
    return guest.vcpus or max(1, guest.demand.get(CPU, 0) // 1000)


def _physical_millicores(host: Host) -> int:
    return host.cores * 1000 if host.cores else host.capacity.get(CPU, 0)


def _host(state: State, host: Host, shared: Shared) -> Host:
    since = state.dead_since(host.id)
    if since is not None:
        age = state.now_s - since + _beat(state, host.id, since)
        return replace(host, state=HostState.DOWN, pressure=CALM, heartbeat_age_s=age)
    if not shared.loads:
        return replace(host, heartbeat_age_s=_age(state, host))
    return replace(host, pressure=shared.pressure, heartbeat_age_s=_age(state, host))


def _age(state: State, host: Host) -> int | None:
    """Hosts that somebody listens to are heard of every ten seconds."""
    if host.heartbeat_age_s is None or host.state is HostState.DOWN:
        return host.heartbeat_age_s
    return _beat(state, host.id, state.now_s)


def _beat(state: State, host: str, at_s: int) -> int:
    return (at_s + draw(BEAT_S, state.world.seed, "beat", host)) % BEAT_S
