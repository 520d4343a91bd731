# SPDX-License-Identifier: Apache-2.0
"""Sums over hosts: what a change of guests does to them."""

from __future__ import annotations

from typing import Any, Final

from numba import int64

from moorage.solving.local.kernel.jit import apart, compiled, inlined
from moorage.solving.local.layout import ADRIFT, LIMBO, OVER

NEVER: Final = 1 << 61
"""The cost of what may not be."""


@inlined
def load_with(hosts: Any, h: Any, i: Any, gone: Any, gone_home: Any, come: Any, home: Any) -> Any:
    """What host h has in column i once *gone* has left it and *come* has come; -1 is nobody."""
    load = hosts.load[h, i]
    if gone >= 0 and not (gone_home and hosts.held[i]):
        load -= hosts.amount[gone, i]
    if come >= 0 and not (home and hosts.held[i]):
        load += hosts.amount[come, i]
    return load


@inlined
def slots_of(hosts: Any, h: Any, gone: Any, come: Any) -> Any:
    """How often the shape fits on host h once *gone* has left it and *come* has come."""
    fits = NEVER
    for k in range(hosts.slot_column.shape[0]):
        i = hosts.slot_column[k]
        load = load_with(hosts, h, i, gone, False, come, False)
        fits = min(fits, (hosts.slot_room[h, k] - load) // hosts.slot_shape[k])
    return max(0, fits)


@inlined
def presence_with(hosts: Any, h: Any, gone: Any, come: Any) -> Any:
    """What being in use costs on host h, and what slots it has are worth."""
    count = hosts.count[h] + int(come >= 0) - int(gone >= 0)
    cost = hosts.used[h] if count > 0 else 0
    if hosts.slot_column.shape[0] > 0 and hosts.slot_price[h] != 0:
        cost -= hosts.slot_price[h] * slots_of(hosts, h, gone, come)
    return cost


@compiled
def cost_with(hosts: Any, start: Any, h: Any, gone: Any, come: Any, hard: Any) -> Any:
    """What host h costs with *come* instead of *gone*; NEVER if *hard* and more than it holds."""
    apart()
    cost = presence_with(hosts, h, gone, come)
    gone_home = gone >= 0 and start[gone] == h
    home = come >= 0 and start[come] == h
    # Without a branch in it, this loop is done for several columns at once.
    stays, waits = -int64(gone_home), -int64(home)
    grows = 0
    for i in range(hosts.load.shape[1]):
        before = hosts.load[h, i]
        load = before
        if gone >= 0:
            load -= hosts.amount[gone, i] & ~(stays & hosts.held[i])
        if come >= 0:
            load += hosts.amount[come, i] & ~(waits & hosts.held[i])
        over = max(0, load - hosts.cap[h, i])
        grows |= int64(over > 0) & int64(load > before)
        cost += hosts.dear[i] * over + hosts.price[i] * max(0, load - hosts.high[h, i])
    if hard and grows:
        return NEVER
    for k in range(hosts.edge_column.shape[0]):
        load = load_with(hosts, h, hosts.edge_column[k], gone, gone_home, come, home)
        past = (load - hosts.edge_at[h, k]) * hosts.edge_sign[k]
        if past > 0:
            cost += hosts.edge_price[k] * past
    return cost


@compiled
def cost_of_trade(hosts: Any, h: Any, home: Any, g: Any, second: Any, third: Any) -> Any:
    """What host h costs more at least once g has come home for two others, or the other way."""
    apart()
    if hosts.slot_column.shape[0] > 0:
        return -NEVER
    cost = min(0, hosts.used[h]) - hosts.cost[h]
    stays, sign = -int64(home), 1 if home else -1
    for i in range(hosts.load.shape[1]):
        gone = hosts.amount[second, i] + hosts.amount[third, i]
        change = (hosts.amount[g, i] - gone) & ~(stays & hosts.held[i])
        load = hosts.load[h, i] + sign * change
        cost += hosts.dear[i] * max(0, load - hosts.cap[h, i])
        cost += hosts.price[i] * max(0, load - hosts.high[h, i])
    for k in range(hosts.edge_column.shape[0]):
        i = hosts.edge_column[k]
        gone = hosts.amount[second, i] + hosts.amount[third, i]
        change = (hosts.amount[g, i] - gone) & ~(stays & hosts.held[i])
        past = (hosts.load[h, i] + sign * change - hosts.edge_at[h, k]) * hosts.edge_sign[k]
        cost += hosts.edge_price[k] * max(0, past)
    return cost


@inlined
def load_up(hosts: Any, num: Any, h: Any, g: Any, sign: Any, at_home: Any) -> Any:
    """Add guest g to host h or take it off, and follow how far sums exceed."""
    for i in range(hosts.load.shape[1]):
        if not (at_home and hosts.held[i]):
            before = max(0, hosts.load[h, i] - hosts.cap[h, i])
            hosts.load[h, i] += sign * hosts.amount[g, i]
            num[OVER] += max(0, hosts.load[h, i] - hosts.cap[h, i]) - before
    hosts.count[h] += sign


@inlined
def fare_of(guests: Any, num: Any, g: Any, h: Any) -> Any:
    """What guest g costs by itself on host h."""
    if h == num[LIMBO]:
        return num[ADRIFT]
    cost = 0
    if guests.spot.shape[0] > 0:
        cost += guests.spot[g, h]
    if h == guests.start[g]:
        return cost + guests.home[g]
    if guests.fare.shape[0] > 0:
        cost += guests.fare[guests.row[g], h]
    if guests.start[g] != num[LIMBO]:
        cost += guests.move[g]
        if guests.pair.shape[0] > 0:
            cost += guests.pair[guests.start[g], h]
    return cost


@inlined
def zone_change(zones: Any, hosts: Any, start: Any, z: Any, g: Any, a: Any, b: Any) -> Any:
    """How the sum of zone z changes as guest g goes from a to b."""
    into, out = zones.inside[z, b], zones.inside[z, a]
    if zones.used[z]:
        change = 0
        if into and hosts.count[b] == 0:
            change += 1
        if out and hosts.count[a] == 1:
            change -= 1
        return change
    amount = zones.amount[zones.weights[z], g]
    if amount == 0:
        return 0
    if zones.held[z] and zones.inside[z, start[g]]:
        if a == start[g]:
            out = 0
        if b == start[g]:
            into = 0
    return amount * (into - out)


@inlined
def zone_cost(zones: Any, z: Any, total: Any) -> Any:
    """What zone z costs with a sum of *total*."""
    cost = 0
    if total > zones.limit[z]:
        cost += zones.price[z] * (total - zones.limit[z])
    if total > zones.cap[z]:
        cost += zones.dear[z] * (total - zones.cap[z])
    return cost


@inlined
def zones_delta(state: Any, g: Any, a: Any, b: Any, hard: Any) -> Any:
    """What zones cost more as guest g goes from a to b; NEVER if *hard* and one gets too full."""
    zones, delta = state.zones, 0
    last = zones.sum.shape[0]
    if a != state.num[LIMBO] and b != state.num[LIMBO]:
        last = zones.placed[0]
    for z in range(last):
        change = zone_change(zones, state.hosts, state.guests.start, z, g, a, b)
        if change != 0:
            after = zones.sum[z] + change
            if hard and change > 0 and after > zones.cap[z]:
                return NEVER
            delta += zone_cost(zones, z, after) - zone_cost(zones, z, zones.sum[z])
    return delta


@inlined
def zones_apply(state: Any, g: Any, a: Any, b: Any) -> Any:
    """Change the sums of zones; host counts are still those before."""
    zones = state.zones
    for z in range(zones.sum.shape[0]):
        change = zone_change(zones, state.hosts, state.guests.start, z, g, a, b)
        if change != 0:
            before = max(0, zones.sum[z] - zones.cap[z])
            zones.sum[z] += change
            state.num[OVER] += max(0, zones.sum[z] - zones.cap[z]) - before


@inlined
def zones_swap(state: Any, g: Any, other: Any, a: Any, b: Any, hard: Any) -> Any:
    """What zones cost more as g and *other* change places; as many guests are on each host."""
    zones, start, delta = state.zones, state.guests.start, 0
    for z in range(zones.placed[0]):
        if zones.used[z]:
            continue
        change = zone_change(zones, state.hosts, start, z, g, a, b)
        change += zone_change(zones, state.hosts, start, z, other, b, a)
        if change != 0:
            after = zones.sum[z] + change
            if hard and change > 0 and after > zones.cap[z]:
                return NEVER
            delta += zone_cost(zones, z, after) - zone_cost(zones, z, zones.sum[z])
    return delta
