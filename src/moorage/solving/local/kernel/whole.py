# SPDX-License-Identifier: Apache-2.0
"""The whole state from a placement: what every step of the walk has to agree with."""

from __future__ import annotations

from typing import Any

from numba import int64

from moorage.solving.local.kernel.groups import (
    CROWD,
    GATHER,
    NEAR,
    SECLUDE,
    SPLIT,
    SPREAD,
    crowd,
    crowded,
    gather_badness,
    lonely_at,
    meeting_at,
    outsiders_at,
    scattered,
    short,
    skewed,
)
from moorage.solving.local.kernel.jit import compiled, entry
from moorage.solving.local.kernel.moves import enlist, list_moved
from moorage.solving.local.kernel.ranges import gap, rank
from moorage.solving.local.kernel.sums import cost_with, fare_of, load_up, zone_cost
from moorage.solving.local.layout import (
    BAD,
    ENERGY,
    LIMBO,
    MOVED,
    MOVED_MEMORY,
    OVER,
    REPAIRS,
    SHOULD,
    TEAM_MOST,
    TEAM_PRICE,
)


@entry
def rebuild(state: Any, stood: Any) -> Any:
    """Build everything from where guests are; keep amounts as those of the start if *stood*."""
    num, ranges = state.num, state.ranges
    for k in (ENERGY, OVER, BAD, MOVED, MOVED_MEMORY, REPAIRS, SHOULD):
        num[k] = 0
    add_loads(state)
    add_zones(state)
    add_moves(state)
    count_sets(state)
    judge_rules(state, stood)
    rank(state)
    for q in range(ranges.column.shape[0]):
        num[ENERGY] += ranges.weight[q] * gap(ranges, state.hosts, q)


@compiled
def add_loads(state: Any) -> Any:
    """Sums on hosts."""
    hosts, guests, num = state.hosts, state.guests, state.num
    hosts.count[:] = 0
    hosts.first[:] = -1
    for h in range(hosts.load.shape[0]):
        for i in range(hosts.load.shape[1]):
            hosts.load[h, i] = hosts.base[h, i]
            num[OVER] += max(0, hosts.load[h, i] - hosts.cap[h, i])
    for g in range(guests.host.shape[0]):
        load_up(hosts, num, int64(guests.host[g]), g, 1, False)
        enlist(hosts, guests, g, int64(guests.host[g]))
        if guests.start[g] != guests.host[g] and guests.start[g] != num[LIMBO]:
            hold_on(hosts, num, int64(guests.start[g]), g)
    reprice(state)


@compiled
def hold_on(hosts: Any, num: Any, h: Any, g: Any) -> Any:
    """Count what a guest that moved still holds on its first host."""
    for i in range(hosts.load.shape[1]):
        if hosts.held[i]:
            before = max(0, hosts.load[h, i] - hosts.cap[h, i])
            hosts.load[h, i] += hosts.amount[g, i]
            num[OVER] += max(0, hosts.load[h, i] - hosts.cap[h, i]) - before


@compiled
def reprice(state: Any) -> Any:
    """Add up what hosts cost, at the prices of now."""
    hosts, num = state.hosts, state.num
    for h in range(hosts.load.shape[0]):
        hosts.cost[h] = cost_with(hosts, state.guests.start, h, -1, -1, False)
        num[ENERGY] += hosts.cost[h]


@compiled
def add_zones(state: Any) -> Any:
    """Sums over several hosts."""
    zones, hosts, guests, num = state.zones, state.hosts, state.guests, state.num
    for z in range(zones.sum.shape[0]):
        zones.sum[z] = zones.base[z]
        if zones.used[z]:
            for h in range(num[LIMBO]):
                zones.sum[z] += int(zones.inside[z, h] and hosts.count[h] > 0)
        else:
            row, inside = zones.amount[zones.weights[z]], zones.inside[z]
            for g in range(guests.host.shape[0]):
                h, start = int64(guests.host[g]), int64(guests.start[g])
                zones.sum[z] += row[g] * inside[h]
                if zones.held[z] and h != start:
                    zones.sum[z] += row[g] * inside[start]
        num[ENERGY] += zone_cost(zones, z, zones.sum[z])
        num[OVER] += max(0, zones.sum[z] - zones.cap[z])


@compiled
def add_moves(state: Any) -> Any:
    """What guests cost by themselves, and how many are moved."""
    guests, num = state.guests, state.num
    guests.team_moved[:] = 0
    for g in range(guests.host.shape[0]):
        h, start = int64(guests.host[g]), int64(guests.start[g])
        num[ENERGY] += fare_of(guests, num, g, h)
        if h != start and start != num[LIMBO] and h != num[LIMBO]:
            list_moved(guests, num[MOVED], g, 1)
            num[MOVED] += 1
            num[MOVED_MEMORY] += guests.memory[g]
            if guests.team[g] >= 0:
                guests.team_moved[guests.team[g]] += 1
    guests.team_buckets[:] = 0
    num[TEAM_MOST] = 0
    for team in range(guests.team_moved.shape[0]):
        guests.team_buckets[guests.team_moved[team]] += 1
        num[TEAM_MOST] = max(num[TEAM_MOST], guests.team_moved[team])
    num[ENERGY] += num[TEAM_PRICE] * num[TEAM_MOST]


@compiled
def count_sets(state: Any) -> Any:
    """Counts of sets at values."""
    sets, guests = state.sets, state.guests
    sets.count[:] = 0
    sets.values[:] = 0
    sets.placed[:] = 0
    for s in range(sets.domain.shape[0]):
        value, size = sets.value[sets.domain[s]], sets.size[sets.domain[s]]
        for k in range(sets.begin[s], sets.begin[s + 1]):
            v = int64(value[guests.host[sets.member[k]]])
            sets.placed[s] += int(v <= size)
            if sets.cell[s] >= 0:
                sets.count[sets.cell[s] + v] += 1
            sets.scratch[v] += 1
            sets.values[s] += int(v < size and sets.scratch[v] == 1)
        for k in range(sets.begin[s], sets.begin[s + 1]):
            sets.scratch[value[guests.host[sets.member[k]]]] = 0
    if sets.cast.shape[0] > 0:
        count_everybody(sets, guests)


@compiled
def count_everybody(sets: Any, guests: Any) -> Any:
    """All guests at each value, and those that started elsewhere."""
    sets.total[:] = 0
    sets.fresh[:] = 0
    for d in range(sets.size.shape[0]):
        for g in range(guests.host.shape[0]):
            v = sets.value[d, guests.host[g]]
            sets.total[d, v] += 1
            sets.fresh[d, v] += int(v != sets.value[d, guests.start[g]])


@compiled
def judge_rules(state: Any, stood: Any) -> Any:
    """Amount and badness of every group rule."""
    sets, guests, num = state.sets, state.guests, state.num
    for j in range(sets.kind.shape[0]):
        s = sets.part_set[sets.part[j]]
        amount, bad = 0, 0
        if sets.kind[j] == SPREAD:
            amount, bad = judge_spread(sets, guests, j, s, stood)
        elif sets.kind[j] == GATHER:
            amount, got = scattered(sets, guests, j, s, -1, 0)
            if stood:
                sets.stood[j, 0] = amount
            bad = gather_badness(sets, j, amount, got)
        elif sets.kind[j] == CROWD:
            if stood:
                sets.stood[j, 0] = max(0, sets.placed[s] - sets.most[j])
            amount, bad = crowded(sets, guests, j, s, 0, 0)
        else:
            amount, bad = judge_values(sets, guests, j, s)
        if stood:
            sets.stood[j, 2] = amount
        num[ENERGY] += sets.price[j] * amount
        num[BAD] += bad * sets.must[j]
        if sets.must[j]:
            num[REPAIRS] += sets.unit[j] * amount
        else:
            num[SHOULD] += sets.unit[j] * amount


@compiled
def judge_values(sets: Any, guests: Any, j: Any, s: Any) -> Any:
    """Amount and badness of a rule that is judged value by value."""
    amount, bad = 0, 0
    for v in range(sets.size[sets.domain[s]] + 1):
        more, worse = 0, 0
        if sets.kind[j] == NEAR:
            more, worse = lonely_at(sets, guests, j, v, -1, 0)
        elif sets.kind[j] == SPLIT:
            more, worse = meeting_at(sets, guests, j, v, -1, 0)
        elif sets.kind[j] == SECLUDE:
            more, worse = outsiders_at(sets, guests, j, v, -1, 0)
        amount, bad = amount + more, bad + worse
    return amount, bad


@compiled
def judge_spread(sets: Any, guests: Any, j: Any, s: Any, stood: Any) -> Any:
    """Amount and badness of a spread, each value once."""
    value = sets.value[sets.domain[s]]
    amount, bad = 0, 0
    for k in range(sets.begin[s], sets.begin[s + 1]):
        v = int64(value[guests.host[sets.member[k]]])
        if sets.scratch[v] == 0:
            sets.scratch[v] = 1
            more, worse = crowd(sets, guests, j, s, v, -1, 0)
            amount, bad = amount + more, bad + worse
    for k in range(sets.begin[s], sets.begin[s + 1]):
        sets.scratch[value[guests.host[sets.member[k]]]] = 0
    lack = short(sets, j, sets.values[s], sets.placed[s])
    skew = 0
    if sets.skew[j] < 1 << 59:
        skew = skewed(sets, guests.host, j, s, -1, -1)
    if stood:
        sets.stood[j, 0], sets.stood[j, 1] = skew, lack
    bad += max(0, skew - sets.stood[j, 0]) + max(0, lack - sets.stood[j, 1])
    return amount + skew + lack, bad
