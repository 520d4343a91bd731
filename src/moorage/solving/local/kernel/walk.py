# SPDX-License-Identifier: Apache-2.0
"""The walk: many small proposals, each taken or left."""

from __future__ import annotations

from math import exp, log
from typing import Any, Final

from numba import int64

from moorage.solving.local.kernel.draws import below, draw, fraction
from moorage.solving.local.kernel.groups import groups_apply, groups_delta
from moorage.solving.local.kernel.jit import apart, compiled, entry, inlined
from moorage.solving.local.kernel.moves import (
    least_of_trade,
    may_enter,
    push,
    refresh_ranges,
    settle,
    shift_cost,
    swap_cost,
    undo,
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
    TRAIL,
)

NO_GROUPS: Final = 0
SOFT: Final = 2


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


@inlined
def try_shift(state: Any, g: Any, b: Any, heat: Any, hard: Any) -> Any:
    """Shift guest g to host b if that is admissible and taken."""
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


@inlined
def try_swap(state: Any, g: Any, other: Any, heat: Any, hard: Any) -> Any:
    """Let two guests change places if that is admissible and taken."""
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
def allowance(random: Any, heat: Any) -> Any:
    """By how much energy may rise this time: what `taken` decides, drawn beforehand."""
    if heat <= 0.0:
        return 0.0
    return -heat * log(max(fraction(random), 1e-18))


@compiled
def conclude(state: Any, energy: Any, bad: Any, over: Any, limit: Any) -> Any:
    """Keep what the trail did if energy rose by no more than *limit*, else undo it."""
    apart()
    num = state.num
    if num[BAD] > bad or num[OVER] > over or num[ENERGY] - energy > limit:
        undo(state)
        return False
    num[TRAIL] = 0
    num[ACCEPTED] += 1
    return True


@compiled
def try_chain(state: Any, g: Any, b: Any, third: Any, c: Any, heat: Any) -> Any:
    """Shift *third* away to c, and g into the room that it leaves on b."""
    apart()
    num = state.num
    a = int64(state.guests.host[g])
    limbo = num[LIMBO]
    if third == g or limbo in (b, c) or b in (a, c):
        return False
    if not may_enter(state, third, c):
        return False
    energy, bad, over = num[ENERGY], num[BAD], num[OVER]
    if push(state, third, c) == NEVER:
        return False
    if not may_enter(state, g, b) or push(state, g, b) == NEVER:
        undo(state)
        return False
    return conclude(state, energy, bad, over, allowance(state.random, heat))


@compiled
def try_together(state: Any, s: Any, b: Any, heat: Any) -> Any:
    """Shift all of set s to host b, or near it where the set is of a wider domain."""
    apart()
    num, sets, guests = state.num, state.sets, state.guests
    value = sets.value[sets.domain[s]]
    energy, bad, over = num[ENERGY], num[BAD], num[OVER]
    if sets.begin[s + 1] - sets.begin[s] > state.trail.shape[0]:
        return False
    for k in range(sets.begin[s], sets.begin[s + 1]):
        m = int64(sets.member[k])
        if value[guests.host[m]] == value[b]:
            continue
        h = _spot_near(state, m, value, b)
        if h < 0 or push(state, m, h) == NEVER:
            undo(state)
            return False
    if num[TRAIL] == 0:
        return False
    return conclude(state, energy, bad, over, allowance(state.random, heat))


@compiled
def _spot_near(state: Any, m: Any, value: Any, b: Any) -> Any:
    """A host with the same value as b, with room for guest m if some tries find one; or -1."""
    apart()
    h = b
    for _ in range(30):
        if value[h] == value[b] and may_enter(state, m, h) and cost_with_room(state, h, m):
            return h
        h = below(state.random, state.num[LIMBO])
    if may_enter(state, m, b):
        return b
    return -1


@inlined
def cost_with_room(state: Any, h: Any, m: Any) -> Any:
    """Whether host h has room for guest m."""
    hosts = state.hosts
    for i in range(hosts.load.shape[1]):
        if hosts.amount[m, i] > 0 and hosts.load[h, i] + hosts.amount[m, i] > hosts.cap[h, i]:
            return False
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


@compiled
def try_instead(state: Any, g: Any, second: Any, third: Any, heat: Any) -> Any:
    """Send moved guest g home and two others from there to where it was."""
    apart()
    num, guests = state.num, state.guests
    home, b = int64(guests.start[g]), int64(guests.host[g])
    if second == third or guests.host[second] != home or guests.host[third] != home:
        return False
    limit = allowance(state.random, heat)
    if least_of_trade(state, g, second, third) > limit or not may_enter(state, g, home):
        return False
    energy, bad, over = num[ENERGY], num[BAD], num[OVER]
    if push(state, g, home) == NEVER:
        return False
    for other in (second, third):
        if not may_enter(state, other, b) or push(state, other, b) == NEVER:
            undo(state)
            return False
    return conclude(state, energy, bad, over, limit)


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
        return try_instead(state, g, other, neighbour_at_home(state, home), heat)
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


@entry
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
    num, guests, random = state.num, state.guests, state.random
    num[PROPOSED] += steps
    for _ in range(steps):
        i = below(random, last)
        g = int64(guests.order[i])
        kind = fraction(random)
        done = False
        if kind < seconds:
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
