# SPDX-License-Identifier: Apache-2.0
"""What the simulated platform refuses, as a real hypervisor would."""

from __future__ import annotations

from collections.abc import Iterator

from moorage.drivers.base import Refused
from moorage.drivers.simulator.journey import local_disk_mib
from moorage.drivers.simulator.state import State
from moorage.model import reasons
from moorage.model.fleet import Fleet
from moorage.model.guests import Guest
from moorage.model.hosts import Host, HostState
from moorage.model.plan import Action
from moorage.model.reasons import Reason
from moorage.model.resources import Resource, format_amount
from moorage.model.rule import PLATFORMS, Rule
from moorage.model.view import View

CLOSED = {
    HostState.MAINTENANCE: Reason.MAINTENANCE,
    HostState.DISABLED: Reason.HOST_DISABLED,
}

MOVES_GROUPS_ITSELF = ("pve", "together")
"""Proxmox doesn't refuse to split such a group: it moves the others after."""


def check_start(state: State, action: Action) -> None:
    """Raise `Refused` with the first reason why the platform won't start *action*."""
    for refused in _refusals(state, action):
        raise refused


def _refusals(state: State, action: Action) -> Iterator[Refused]:
    fleet = state.world.fleet
    guest, target = fleet.guests.get(action.guest), fleet.hosts.get(action.target)
    if guest is None or state.is_gone(action.guest):
        yield Refused(Reason.PLAN_SOURCE, f"there is no guest {action.guest}")
    elif target is None:
        yield Refused(Reason.HOST_UNREACHABLE, f"there is no host {action.target}")
    else:
        yield from _of_start(state, action, guest)
        yield from _of_host(state, target)
        yield from _of_hardware(fleet, guest, target)
        yield from _of_room(state, guest, target)
        yield from _of_rules(state, action)


def _of_start(state: State, action: Action, guest: Guest) -> Iterator[Refused]:
    here, busy = state.host_of(guest.id), state.task_of(guest.id)
    dead = here is not None and state.is_dead(here)
    if busy is not None:
        yield Refused(Reason.LOCKED, f"{guest.id} is locked (task {busy.id})")
    if guest.lock:
        yield Refused(Reason.LOCKED, f"{guest.id} is locked ({guest.lock})")
    if action.source != here and not (action.source is None and dead):
        yield Refused(Reason.PLAN_SOURCE, f"{guest.id} is on {here or 'no host'}")
    if action.target == here:
        yield Refused(Reason.PLAN_SOURCE, f"{guest.id} is on {here} already")
    if action.source is not None and dead:
        yield Refused(Reason.HOST_UNREACHABLE, f"{here} does not answer")
    if action.source is None and dead and local_disk_mib(state.world.fleet, guest):
        yield Refused(Reason.HOST_UNREACHABLE, f"the disks of {guest.id} are on {here}")


def _of_host(state: State, target: Host) -> Iterator[Refused]:
    if state.is_dead(target.id):
        yield Refused(Reason.HOST_UNREACHABLE, f"{target.id} does not answer")
    if target.state in CLOSED:
        yield Refused(CLOSED[target.state], f"{target.id} takes no guests ({target.state})")


def _of_hardware(fleet: Fleet, guest: Guest, target: Host) -> Iterator[Refused]:
    missing = sorted(set(guest.cpu_features) - set(target.cpu_features))
    homes = {fleet.volumes[v].home for v in guest.volumes} - {None, target.id}
    if missing:
        yield Refused(Reason.CPU_INCOMPATIBLE, f"{target.id} lacks {', '.join(missing)}")
    if guest.vcpus and target.cores is not None and guest.vcpus > target.cores:
        text = f"{guest.id} has {guest.vcpus} vCPUs, {target.id} {target.cores} cores"
        yield Refused(Reason.VCPUS_EXCEED_CORES, text)
    if homes:
        yield Refused(Reason.VOLUME_LOCALITY_NO_NODE, f"a volume of {guest.id} is elsewhere")


def _of_room(state: State, guest: Guest, target: Host) -> Iterator[Refused]:
    fleet, held = state.world.fleet, state.held_on(target.id)
    for resource, amount in sorted(fleet.demand_of(guest.id).items()):
        known = fleet.resources.get(resource, Resource(resource))
        taken = sum(fleet.demand_of(g).get(resource, 0) for g in held)
        free = target.usable(resource) - taken
        if amount > free and known.hard:
            text = (
                f"{target.id}: {format_amount(amount, known.unit)} of {resource} wanted,"
                f" {format_amount(max(0, free), known.unit)} free"
            )
            yield Refused(reasons.no_capacity(resource), text)
    for device, count in sorted(guest.devices.items()):
        taken = sum(fleet.guests[g].devices.get(device, 0) for g in held)
        if count > target.devices.get(device, 0) - taken:
            yield Refused(Reason.DEVICE_MISSING, f"{target.id} has no {device} free")


def _of_rules(state: State, action: Action) -> Iterator[Refused]:
    """Rules that the platform enforces itself; it knows nothing of the others."""
    rules = [r for r in state.world.fleet.rules if _is_enforced(r, state.world.fleet, action.guest)]
    if not rules:
        return
    view = _view(state)
    before = {b.key: b for rule in rules for b in rule.check(view)}
    view.begin_move(action.guest, action.target)
    on_the_way = [b for rule in rules for b in rule.check(view)]
    view.end_move(action.guest, state.host_of(action.guest), action.target)
    for breach in (*on_the_way, *(b for rule in rules for b in rule.check(view))):
        if not breach.is_no_worse_than(before.get(breach.key)):
            yield Refused(breach.code, breach.text)


def _is_enforced(rule: Rule, fleet: Fleet, guest: str) -> bool:
    if rule.origin not in PLATFORMS or not rule.holds_always:
        return False
    named = rule.guests_named(fleet)
    asked = (rule.origin, rule.kind) != MOVES_GROUPS_ITSELF
    return asked and (named is None or guest in named)


def _view(state: State) -> View:
    """Who holds what now: moves on their way hold both ends."""
    fleet = state.world.fleet
    here = {g: state.host_of(g) for g in fleet.guests if not state.is_gone(g)}
    there = {**dict.fromkeys(fleet.guests), **here}
    view = View(fleet, there, at_end=False)
    for task in state.running:
        view.begin_move(task.guest, task.target)
    return view
