# SPDX-License-Identifier: Apache-2.0
"""The walk: many small proposals, each taken or left."""

from __future__ import annotations

from math import exp
from typing import Any, Final

from numba import int64

from moorage.solving.local.kernel.compound import try_chain, try_together, try_trade
from moorage.solving.local.kernel.draws import below, draw, fraction
from moorage.solving.local.kernel.groups import groups_apply, groups_delta
from moorage.solving.local.kernel.jit import apart, compiled, inlined
from moorage.solving.local.kernel.moves import (
    may_enter,
    refresh_ranges,
    settle,
    shift_cost,
    swap_cost,
)
from moorage.solving.local.kernel.sums import NEVER
from moorage.solving.local.layout import (
    ACCEPTED,
    BAD,
    BEST,
    ENERGY,
    EVALUATED,
    LIMBO,
    MOVED,
    NEW_A,
    NEW_B,
    OVER,
    PROPOSED,
    SLACK,
)

NO_GROUPS: Final = 0
SOFT: Final = 2
RECENT: Final = 64
"""Guests of a host that are drawn from, at most."""
FEW: Final = 4
"""Hosts that cost have half of all proposals where they are less than one in so many."""


@inlined
def taken(random: Any, delta: Any, heat: Any) -> Any:
    """Whether to accept a change of energy: always down, up by chance and heat."""
    if delta <= 0:
        return True
    if heat <= 0.0 or delta > 40.0 * heat:
        return False
    return fraction(random) < exp(-delta / heat)


@inlined
def target_of(state: Any, g: Any, homeward: Any) -> Any:
    """A random host for guest g; its own start as often as *homeward* says."""
    guests, random = state.guests, state.random
    if homeward > 0.0 and fraction(random) < homeward:
        return int64(guests.start[g])
    row = guests.row[g]
    width = guests.few[row + 1] - guests.few[row]
    if width > 0:
        return guests.few_hosts[guests.few[row] + below(random, width)]
    return below(random, state.num[LIMBO])


@compiled
def try_shift(state: Any, g: Any, b: Any, heat: Any, hard: Any) -> Any:
    """Shift guest g to host b if that is admissible and taken."""
    apart()
    guests, num = state.guests, state.num
    a = int64(guests.host[g])
    if a == b or b == num[LIMBO] or not may_enter(state, g, b):
        return False
    delta = shift_cost(state, g, a, b, hard)
    num[EVALUATED] += 1
    if delta == NEVER:
        return False
    soft = int64(guests.soft[g])
    if soft < SOFT and not taken(state.random, delta, heat):
        return False
    new_a, new_b = num[NEW_A], num[NEW_B]
    if soft != NO_GROUPS:
        energy, bad = groups_delta(state.sets, guests, g, a, b)
        delta += energy
        if bad > 0 or (soft == SOFT and not taken(state.random, delta, heat)):
            return False
        num[BAD] += bad
        groups_apply(state.sets, guests, g, a, b)
    settle(state, g, a, b)
    state.hosts.cost[a], state.hosts.cost[b] = new_a, new_b
    refresh_ranges(state)
    num[ENERGY] += delta
    num[ACCEPTED] += 1
    return True


@inlined
def swap_groups(state: Any, g: Any, other: Any, a: Any, b: Any) -> Any:
    """Change places in the group rules alone; return energy and badness, host of g is b then."""
    guests, sets = state.guests, state.sets
    energy, bad = 0, 0
    if guests.soft[g] != NO_GROUPS:
        energy, bad = groups_delta(sets, guests, g, a, b)
        if bad > 0:
            return energy, bad
        groups_apply(sets, guests, g, a, b)
    guests.host[g] = b
    if guests.soft[other] != NO_GROUPS:
        more, worse = groups_delta(sets, guests, other, b, a)
        energy, bad = energy + more, bad + worse
    return energy, bad


@compiled
def try_swap(state: Any, g: Any, other: Any, heat: Any, hard: Any) -> Any:
    """Let two guests change places if that is admissible and taken."""
    apart()
    guests, num = state.guests, state.num
    a, b = int64(guests.host[g]), int64(guests.host[other])
    limbo = num[LIMBO]
    if a == b or limbo in (a, b):
        return False
    if not may_enter(state, g, b) or not may_enter(state, other, a):
        return False
    delta = swap_cost(state, g, other, a, b, hard)
    num[EVALUATED] += 1
    if delta == NEVER:
        return False
    soft = int64(max(guests.soft[g], guests.soft[other]))
    if soft < SOFT and not taken(state.random, delta, heat):
        return False
    new_a, new_b = num[NEW_A], num[NEW_B]
    if soft != NO_GROUPS:
        energy, bad = swap_groups(state, g, other, a, b)
        delta += energy
        if bad > 0 or (soft == SOFT and not taken(state.random, delta, heat)):
            if guests.host[g] == b:
                if guests.soft[g] != NO_GROUPS:
                    groups_apply(state.sets, guests, g, b, a)
                guests.host[g] = a
            return False
        num[BAD] += bad
        if guests.soft[other] != NO_GROUPS:
            groups_apply(state.sets, guests, other, b, a)
        guests.host[g] = a
    settle(state, g, a, b)
    settle(state, other, b, a)
    state.hosts.cost[a], state.hosts.cost[b] = new_a, new_b
    refresh_ranges(state)
    num[ENERGY] += delta
    num[ACCEPTED] += 1
    return True


@inlined
def keep_best(state: Any, slack: Any) -> Any:
    """Remember this placement if it is admissible and better than the best by *slack*."""
    num = state.num
    if num[BAD] == 0 and num[OVER] == 0 and num[ENERGY] < num[BEST] - slack:
        num[BEST] = num[ENERGY]
        for g in range(state.best.shape[0]):
            state.best[g] = state.guests.host[g]


@inlined
def compound(state: Any, g: Any, heat: Any, gathered: Any) -> Any:
    """Try a chain, or now and then to shift a whole set that belongs together."""
    random, guests = state.random, state.guests
    if gathered.shape[0] > 0 and fraction(random) < 0.3:
        s = gathered[below(random, gathered.shape[0])]
        try_together(state, s, below(random, state.num[LIMBO]), heat)
        return
    third = int64(guests.order[below(random, guests.order.shape[0])])
    try_chain(state, g, int64(guests.host[third]), third, target_of(state, third, 0.1), heat)


@inlined
def neighbour_at_home(state: Any, home: Any) -> Any:
    """Any guest that starts on host *home*."""
    guests = state.guests
    first, width = guests.native[home], guests.native[home + 1] - guests.native[home]
    return int64(guests.natives[first + below(state.random, width)])


@inlined
def someone_on(state: Any, h: Any) -> Any:
    """Any guest on host h, of the last that came there; -1 if there is none."""
    hosts, guests = state.hosts, state.guests
    count = min(hosts.count[h], RECENT)
    if count <= 0:
        return -1
    g = int64(hosts.first[h])
    for _ in range(below(state.random, count)):
        g = int64(guests.after[g])
    return g


@inlined
def attend(state: Any, h: Any, other: Any, heat: Any, hard: Any) -> Any:
    """Change something on host h, which costs: someone leaves, *other* comes, or they swap.

    Or one leaves for a third place as the other comes, or two go where one comes from.
    """
    num, guests, random = state.num, state.guests, state.random
    g = someone_on(state, h)
    b = int64(guests.host[other])
    if g < 0:
        return try_shift(state, other, h, heat, hard)
    kind = draw(random) >> 61
    if kind == 0:
        return try_shift(state, other, h, heat, hard)
    if kind <= 2:
        return try_shift(state, g, target_of(state, g, 0.1), heat, hard)
    if kind <= 4:
        return try_swap(state, g, other, heat, hard)
    num[EVALUATED] += 1
    if kind == 5:
        return try_chain(state, other, h, g, target_of(state, g, 0.1), heat)
    if kind == 6:
        return try_trade(state, g, b, other, someone_on(state, b), heat)
    return try_trade(state, other, h, g, someone_on(state, h), heat)


@compiled
def list_costly(hosts: Any) -> Any:
    """List the hosts that cost anything; return how many, or 0 if they are no small part."""
    apart()
    count, hosts_in_all = 0, hosts.count.shape[0] - 1
    for h in range(hosts_in_all):
        if hosts.cost[h] > 0:
            hosts.costly[count] = h
            count += 1
    return count if count * FEW <= hosts_in_all else 0


@inlined
def reconsider(state: Any, heat: Any, hard: Any) -> Any:
    """Send a moved guest home and one or two from there in its place, or let two moved ones swap.

    Where moves cost, good placements differ from the start by few guests; which ones is what the
    search is about, and two drawn from all guests hardly ever are of them.
    """
    num, guests, random = state.num, state.guests, state.random
    g = int64(guests.moved[below(random, num[MOVED])])
    kind = draw(random) >> 61
    if kind <= 1:
        other = int64(guests.moved[below(random, num[MOVED])])
        return try_swap(state, g, other, heat, hard)
    home = int64(guests.start[g])
    other = neighbour_at_home(state, home)
    if kind <= 4:
        num[EVALUATED] += 1
        return try_trade(state, g, home, other, neighbour_at_home(state, home), heat)
    if guests.host[other] != home:
        return try_shift(state, g, home, heat, hard)
    return try_swap(state, g, other, heat, hard)


@inlined
def partner_of(state: Any, i: Any, last: Any) -> Any:
    """A guest to change places with: any, or one of a similar size."""
    random = state.random
    if draw(random) >> 63:
        return below(random, last)
    width = last // 40 + 5
    return min(last - 1, max(0, i + below(random, 2 * width + 1) - width))


@compiled
def walk(
    state: Any,
    steps: Any,
    heat: Any,
    hard: Any,
    last: Any,
    swaps: Any,
    chains: Any,
    seconds: Any,
    homeward: Any,
    gathered: Any,
) -> Any:
    """Make *steps* proposals to the *last* largest guests, at one heat."""
    apart()
    num, guests, random = state.num, state.guests, state.random
    num[PROPOSED] += steps
    costly = state.hosts.costly
    few = list_costly(state.hosts)
    for _ in range(steps):
        i = below(random, last)
        g = int64(guests.order[i])
        kind = fraction(random)
        done = False
        if few > 0 and draw(random) >> 63:
            h = int64(costly[below(random, few)])
            if state.hosts.cost[h] > 0:
                kind = 2.0
                done = attend(state, h, g, heat, hard)
        if kind > 1.0:
            pass
        elif kind < seconds:
            done = num[MOVED] > 0 and reconsider(state, heat, hard)
        elif kind < seconds + swaps:
            other = int64(guests.order[partner_of(state, i, last)])
            done = try_swap(state, g, other, heat, hard)
        elif kind < seconds + swaps + chains:
            compound(state, g, heat, gathered)
            done = True
        else:
            done = try_shift(state, g, target_of(state, g, homeward), heat, hard)
        if done:
            keep_best(state, num[SLACK])
    keep_best(state, 0)
