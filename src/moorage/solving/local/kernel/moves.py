# SPDX-License-Identifier: Apache-2.0
"""One guest shifts, or two change places: what it costs, and doing it."""

from __future__ import annotations

from typing import Any

from numba import int64

from moorage.solving.local.kernel.groups import counted, groups_apply, groups_delta
from moorage.solving.local.kernel.jit import apart, compiled, inlined
from moorage.solving.local.kernel.ranges import ranges_delta, rank
from moorage.solving.local.kernel.sums import (
    NEVER,
    cost_of_trade,
    cost_with,
    fare_of,
    load_up,
    zones_apply,
    zones_delta,
    zones_swap,
)
from moorage.solving.local.layout import (
    BAD,
    ENERGY,
    LIMBO,
    MOST_MEMORY,
    MOST_MOVED,
    MOVED,
    MOVED_MEMORY,
    NEW_A,
    NEW_B,
    TEAM_MOST,
    TEAM_PRICE,
    TRAIL,
)


@inlined
def may_enter(state: Any, g: Any, b: Any) -> Any:
    """Whether guest g may be on host b, by itself and by whom it must avoid there."""
    guests = state.guests
    if b != guests.start[g] and not guests.open[guests.row[g], b]:
        return False
    solo = int64(guests.solo[g])
    return solo < 0 or counted(state.sets, guests.host, solo, b) == 0


@inlined
def moved_change(state: Any, g: Any, a: Any, b: Any) -> Any:
    """1 if guest g becomes a moved one as it goes from a to b, -1 if it ceases to be one."""
    start = state.guests.start[g]
    if start == state.num[LIMBO]:
        return 0
    return int(b != start and b != state.num[LIMBO]) - int(a != start and a != state.num[LIMBO])


@inlined
def in_budget(state: Any, moves: Any, memory: Any) -> Any:
    """Whether the budget allows for so many moves and so much memory more."""
    num = state.num
    if moves > 0 and num[MOVED] + moves > num[MOST_MOVED]:
        return False
    return memory <= 0 or num[MOVED_MEMORY] + memory <= num[MOST_MEMORY]


@inlined
def team_delta(state: Any, g: Any, change: Any, other: Any, more: Any) -> Any:
    """What the largest number of guests moved in a group costs more."""
    num, guests = state.num, state.guests
    if num[TEAM_PRICE] == 0 or (change == 0 and more == 0):
        return 0
    first = int64(guests.team[g]) if change != 0 else -1
    second = int64(guests.team[other]) if more != 0 else -1
    if first >= 0 and first == second:
        change, second = change + more, -1
    most, left = num[TEAM_MOST], guests.team_buckets[num[TEAM_MOST]]
    after = 0
    if first >= 0 and change != 0:
        count = guests.team_moved[first]
        left -= int(count == most)
        after = count + change
        left += int(after == most)
    if second >= 0 and more != 0:
        count = guests.team_moved[second]
        left -= int(count == most)
        after = max(after, count + more)
        left += int(count + more == most)
    if after > most:
        return num[TEAM_PRICE] * (after - most)
    if left == 0 and most > 0:
        return -num[TEAM_PRICE] * (most - _next_team(guests, most, after))
    return 0


@inlined
def _next_team(guests: Any, most: Any, after: Any) -> Any:
    """The largest number of moved guests once no group has *most*: one step changes it by two."""
    below = most - 1
    while below > 0 and below > after and guests.team_buckets[below] == 0:
        below -= 1
    return below


@inlined
def team_apply(state: Any, g: Any, change: Any) -> Any:
    """Follow how many guests of each group are moved."""
    num, guests = state.num, state.guests
    team = int64(guests.team[g])
    if team < 0 or change == 0:
        return
    count = guests.team_moved[team]
    guests.team_buckets[count] -= 1
    guests.team_buckets[count + change] += 1
    guests.team_moved[team] = count + change
    num[TEAM_MOST] = max(num[TEAM_MOST], count + change)
    while num[TEAM_MOST] > 0 and guests.team_buckets[num[TEAM_MOST]] == 0:
        num[TEAM_MOST] -= 1


@inlined
def shift_cost(state: Any, g: Any, a: Any, b: Any, hard: Any) -> Any:
    """What it costs more, but for group rules, if guest g goes from a to b; NEVER if it can't."""
    hosts, guests, num = state.hosts, state.guests, state.num
    change = moved_change(state, g, a, b)
    if not in_budget(state, change, change * guests.memory[g]):
        return NEVER
    new_b = cost_with(hosts, guests.start, b, -1, g, hard)
    if new_b == NEVER:
        return NEVER
    zones = zones_delta(state, g, a, b, hard)
    if zones == NEVER:
        return NEVER
    new_a = cost_with(hosts, guests.start, a, g, -1, False)
    num[NEW_A], num[NEW_B] = new_a, new_b
    delta = new_a + new_b - hosts.cost[a] - hosts.cost[b] + zones
    delta += fare_of(guests, num, g, b) - fare_of(guests, num, g, a)
    delta += team_delta(state, g, change, g, 0)
    return delta + ranges_delta(state, g, -1, a, b)


@inlined
def swap_cost(state: Any, g: Any, other: Any, a: Any, b: Any, hard: Any) -> Any:
    """What it costs more, but for group rules, if g goes from a to b and *other* from b to a."""
    hosts, guests, num = state.hosts, state.guests, state.num
    first, second = moved_change(state, g, a, b), moved_change(state, other, b, a)
    memory = first * guests.memory[g] + second * guests.memory[other]
    if not in_budget(state, first + second, memory):
        return NEVER
    new_a = cost_with(hosts, guests.start, a, g, other, hard)
    if new_a == NEVER:
        return NEVER
    new_b = cost_with(hosts, guests.start, b, other, g, hard)
    if new_b == NEVER:
        return NEVER
    zones = zones_swap(state, g, other, a, b, hard)
    if zones == NEVER:
        return NEVER
    num[NEW_A], num[NEW_B] = new_a, new_b
    delta = new_a + new_b - hosts.cost[a] - hosts.cost[b] + zones
    delta += fare_of(guests, num, g, b) - fare_of(guests, num, g, a)
    delta += fare_of(guests, num, other, a) - fare_of(guests, num, other, b)
    delta += team_delta(state, g, first, other, second)
    return delta + ranges_delta(state, g, other, a, b)


@inlined
def least_of_trade(state: Any, g: Any, b: Any, second: Any, third: Any) -> Any:
    """What it costs more at least if g goes to b and two guests from there take its place.

    It is all but what groups, zones and ranges make of it: where those can lower a cost, or it
    isn't told here what a host still holds of those who left it, -NEVER.
    """
    hosts, guests, num = state.hosts, state.guests, state.num
    if state.ranges.column.shape[0] > 0 or state.zones.sum.shape[0] > 0:
        return -NEVER
    if max(guests.soft[g], guests.soft[second], guests.soft[third]) == 2:
        return -NEVER
    home, a = guests.start[g] == b, int64(guests.host[g])
    if not home and any_held(hosts):
        return -NEVER
    delta = cost_of_trade(hosts, b, True, g, second, third)
    delta += cost_of_trade(hosts, a, False, g, second, third)
    delta += fare_of(guests, num, g, b) - fare_of(guests, num, g, a)
    for other in (second, third):
        delta += fare_of(guests, num, other, a) - fare_of(guests, num, other, b)
    return delta - 2 * num[TEAM_PRICE]


@inlined
def any_held(hosts: Any) -> Any:
    """Whether hosts hold anything of guests that have left them."""
    found = False
    for i in range(hosts.held.shape[0]):
        found = found or hosts.held[i] != 0
    return found


@inlined
def enlist(hosts: Any, guests: Any, g: Any, h: Any) -> Any:
    """Put guest g first on the list of host h."""
    second = hosts.first[h]
    guests.after[g], guests.before[g] = second, -1
    if second >= 0:
        guests.before[second] = g
    hosts.first[h] = g


@inlined
def discharge(hosts: Any, guests: Any, g: Any, h: Any) -> Any:
    """Take guest g off the list of host h."""
    before, after = guests.before[g], guests.after[g]
    if before >= 0:
        guests.after[before] = after
    else:
        hosts.first[h] = after
    if after >= 0:
        guests.before[after] = before


@inlined
def list_moved(guests: Any, count: Any, g: Any, change: Any) -> Any:
    """Put guest g on the list of the *count* moved ones, or take it off."""
    if change > 0:
        guests.moved[count] = g
        guests.moved_at[g] = count
    elif change < 0:
        last, at = guests.moved[count - 1], guests.moved_at[g]
        guests.moved[at] = last
        guests.moved_at[last] = at


@inlined
def settle(state: Any, g: Any, a: Any, b: Any) -> Any:
    """Put guest g on b instead of a, but for group rules and what hosts cost."""
    hosts, guests, num = state.hosts, state.guests, state.num
    zones_apply(state, g, a, b)
    limbo = num[LIMBO]
    load_up(hosts, num, a, g, -1, guests.start[g] == a and a != limbo)
    load_up(hosts, num, b, g, 1, guests.start[g] == b and b != limbo)
    change = moved_change(state, g, a, b)
    list_moved(guests, num[MOVED], g, change)
    num[MOVED] += change
    num[MOVED_MEMORY] += change * guests.memory[g]
    team_apply(state, g, change)
    discharge(hosts, guests, g, a)
    enlist(hosts, guests, g, b)
    guests.host[g] = b


@inlined
def refresh_ranges(state: Any) -> Any:
    """Rank hosts again after a change, where ranges count at all."""
    if state.ranges.column.shape[0] > 0:
        rank(state)


@compiled
def push(state: Any, g: Any, b: Any) -> Any:
    """Shift guest g to b whatever it costs, and remember it; return the change of energy."""
    apart()
    num, guests = state.num, state.guests
    a = int64(guests.host[g])
    delta = shift_cost(state, g, a, b, False)
    if delta == NEVER:
        return NEVER
    new_a, new_b = num[NEW_A], num[NEW_B]
    energy, bad = groups_delta(state.sets, guests, g, a, b)
    groups_apply(state.sets, guests, g, a, b)
    settle(state, g, a, b)
    state.hosts.cost[a], state.hosts.cost[b] = new_a, new_b
    refresh_ranges(state)
    num[ENERGY] += delta + energy
    num[BAD] += bad
    at = num[TRAIL]
    state.trail[at, 0], state.trail[at, 1] = g, a
    num[TRAIL] += 1
    return delta + energy


@compiled
def undo(state: Any) -> Any:
    """Take back all that the trail remembers."""
    apart()
    num = state.num
    most_moved, most_memory = num[MOST_MOVED], num[MOST_MEMORY]
    num[MOST_MOVED], num[MOST_MEMORY] = NEVER, NEVER
    last = num[TRAIL]
    for k in range(last - 1, -1, -1):
        push(state, int64(state.trail[k, 0]), int64(state.trail[k, 1]))
        num[TRAIL] = k
    num[TRAIL] = 0
    num[MOST_MOVED], num[MOST_MEMORY] = most_moved, most_memory
