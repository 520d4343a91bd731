# SPDX-License-Identifier: Apache-2.0
"""Sets of guests counted by domain values, and what a move does to the rules over them.

Every rule has an amount, by which it is broken, and may be bad: broken beyond what stood at the
start. An old breach at one value is no worse while everybody in it started there; that is why
the search looks for newcomers wherever a rule is broken.
"""

from __future__ import annotations

from typing import Any

from numba import int64

from moorage.solving.local.kernel.jit import apart, compiled, inlined

SPREAD, GATHER, NEAR, SPLIT, CROWD, SECLUDE = 0, 1, 2, 3, 4, 5


@inlined
def counted(sets: Any, host: Any, s: Any, v: Any) -> Any:
    """How many guests of set s are at value v."""
    if sets.cell[s] >= 0:
        return sets.count[sets.cell[s] + v]
    found = 0
    value = sets.value[sets.domain[s]]
    for k in range(sets.begin[s], sets.begin[s + 1]):
        if value[host[sets.member[k]]] == v:
            found += 1
    return found


@inlined
def is_in(sets: Any, g: Any, s: Any) -> Any:
    """1 if guest g is of set s, else 0."""
    for k in range(sets.of[g], sets.of[g + 1]):
        if sets.of_set[k] == s:
            return 1
    return 0


@inlined
def newcomer(sets: Any, guests: Any, s: Any, v: Any, but: Any) -> Any:
    """Whether anybody of set s at value v, but one, started elsewhere."""
    value = sets.value[sets.domain[s]]
    for k in range(sets.begin[s], sets.begin[s + 1]):
        m = int64(sets.member[k])
        if m != but and value[guests.host[m]] == v and value[guests.start[m]] != v:
            return True
    return False


@compiled
def crowd(sets: Any, guests: Any, j: Any, s: Any, v: Any, g: Any, here: Any) -> Any:
    """Amount and badness of spread rule j at value v, with guest g *here* (1) or not (0)."""
    apart()
    value = sets.value[sets.domain[s]]
    size = sets.size[sets.domain[s]]
    if v > size:
        return 0, 0
    count = counted(sets, guests.host, s, v) + here
    if g >= 0 and value[guests.host[g]] == v:
        count -= 1
    most = sets.most[j] if v < size else 0
    over = count - most
    if over <= 0:
        return 0, 0
    amount = over * (over + 1) // 2 if v < size else over
    fresh = here == 1 and value[guests.start[g]] != v
    if fresh or newcomer(sets, guests, s, v, g):
        return amount, over
    return amount, 0


@compiled
def skewed(sets: Any, host: Any, j: Any, s: Any, va: Any, vb: Any) -> Any:
    """By how much set s differs too much between values once one goes from va to vb."""
    size, high, low = sets.size[sets.domain[s]], 0, 1 << 61
    for v in range(size):
        count = counted(sets, host, s, v)
        if v == va:
            count -= 1
        if v == vb:
            count += 1
        high, low = max(high, count), min(low, count)
    if size == 0:
        return 0
    return max(0, high - low - sets.skew[j])


@inlined
def short(sets: Any, j: Any, values: Any, placed: Any) -> Any:
    """How many values a spread is short of."""
    return max(0, min(sets.least[j], placed) - values)


@compiled
def spread_delta(sets: Any, guests: Any, j: Any, s: Any, g: Any, va: Any, vb: Any) -> Any:
    """What spread rule j changes by in amount and badness as g goes from va to vb."""
    size = sets.size[sets.domain[s]]
    amount, bad = 0, 0
    before, worse = crowd(sets, guests, j, s, va, -1, 0)
    after, bad_after = crowd(sets, guests, j, s, va, g, 0)
    amount, bad = amount + after - before, bad + bad_after - worse
    before, worse = crowd(sets, guests, j, s, vb, -1, 0)
    after, bad_after = crowd(sets, guests, j, s, vb, g, 1)
    amount, bad = amount + after - before, bad + bad_after - worse
    if sets.least[j] > 0:
        values, placed = sets.values[s], sets.placed[s]
        before = short(sets, j, values, placed)
        if va < size and counted(sets, guests.host, s, va) == 1:
            values -= 1
        if vb < size and counted(sets, guests.host, s, vb) == 0:
            values += 1
        placed += int(va > size) - int(vb > size)
        after = short(sets, j, values, placed)
        stood = sets.stood[j, 1]
        amount, bad = amount + after - before, bad + max(0, after - stood) - max(0, before - stood)
    if sets.skew[j] < 1 << 59:
        before = skewed(sets, guests.host, j, s, -1, -1)
        after = skewed(sets, guests.host, j, s, va, vb)
        stood = sets.stood[j, 0]
        amount, bad = amount + after - before, bad + max(0, after - stood) - max(0, before - stood)
    return amount, bad


@compiled
def scattered(sets: Any, guests: Any, j: Any, s: Any, g: Any, h: Any) -> Any:
    """How many of set s are not where most are, and if so how many got a host, with g on h."""
    apart()
    d = sets.domain[s]
    size, best, placed, got = sets.size[d], 0, 0, 0
    tally = sets.scratch
    for k in range(sets.begin[s], sets.begin[s + 1]):
        m = int64(sets.member[k])
        there = h if m == g else int64(guests.host[m])
        v = sets.value[d, there]
        if v > size:
            continue
        placed += 1
        got += int(sets.value[d, guests.start[m]] > size)
        if sets.mask[j + 1] > sets.mask[j]:
            for part in range(sets.mask[j], sets.mask[j + 1]):
                tally[part - sets.mask[j]] += sets.masks[part, there]
                best = max(best, tally[part - sets.mask[j]])
        elif v < size:
            tally[v] += 1
            best = max(best, tally[v])
    for k in range(sets.begin[s], sets.begin[s + 1]):
        m = int64(sets.member[k])
        tally[sets.value[d, h if m == g else guests.host[m]]] = 0
    tally[: sets.mask[j + 1] - sets.mask[j]] = 0
    return placed - best, got


@compiled
def gather_badness(sets: Any, j: Any, amount: Any, got: Any) -> Any:
    """How much worse than at the start a group is scattered."""
    if amount <= 0:
        return 0
    return max(0, amount - sets.stood[j, 0]) + got


@compiled
def gather_delta(sets: Any, guests: Any, j: Any, s: Any, g: Any, b: Any) -> Any:
    """What gather rule j changes by as guest g goes to host b."""
    before, got_before = scattered(sets, guests, j, s, g, int64(guests.host[g]))
    after, got_after = scattered(sets, guests, j, s, g, b)
    bad = gather_badness(sets, j, after, got_after) - gather_badness(sets, j, before, got_before)
    return after - before, bad


@compiled
def lonely_at(sets: Any, guests: Any, j: Any, v: Any, g: Any, here: Any) -> Any:
    """How many of near rule j are alone at v, and how many of them weren't at the start.

    Guest g (or -1) counts as being there if *here* is 1, and as being elsewhere if it is 0.
    """
    apart()
    first, other = sets.part_set[sets.part[j]], sets.part_set[sets.part[j] + 1]
    d = sets.domain[first]
    size = sets.size[d]
    if v > size:
        return 0, 0
    value = sets.value[d]
    count, company = counted(sets, guests.host, first, v), counted(sets, guests.host, other, v)
    if g >= 0:
        shift = here - int(value[guests.host[g]] == v)
        count += shift * is_in(sets, g, first)
        company += shift * is_in(sets, g, other)
    if count == 0 or (company > 0 and v < size):
        return 0, 0
    if sets.lone[j] < 0:
        return count, count
    bad, at = 0, sets.lone[j] - sets.begin[first]
    for k in range(sets.begin[first], sets.begin[first + 1]):
        m = int64(sets.member[k])
        inside = here == 1 if m == g else value[guests.host[m]] == v
        if inside and not sets.lone_flag[at + k]:
            bad += 1
    return count, bad


@compiled
def near_delta(sets: Any, guests: Any, j: Any, g: Any, va: Any, vb: Any) -> Any:
    """What near rule j changes by as guest g goes from va to vb."""
    before, bad_before = lonely_at(sets, guests, j, va, -1, 0)
    after, bad_after = lonely_at(sets, guests, j, va, g, 0)
    amount, bad = after - before, bad_after - bad_before
    before, bad_before = lonely_at(sets, guests, j, vb, -1, 0)
    after, bad_after = lonely_at(sets, guests, j, vb, g, 1)
    return amount + after - before, bad + bad_after - bad_before


@compiled
def meeting_at(sets: Any, guests: Any, j: Any, v: Any, g: Any, here: Any) -> Any:
    """How many groups of split rule j too many are at v, and whether a newcomer is among them."""
    apart()
    d = sets.domain[sets.part_set[sets.part[j]]]
    if v >= sets.size[d]:
        return 0, 0
    value, groups, fresh = sets.value[d], 0, False
    for k in range(sets.part[j], sets.part[j + 1]):
        s = sets.part_set[k]
        count = counted(sets, guests.host, s, v)
        if g >= 0 and is_in(sets, g, s):
            count += here - int(value[guests.host[g]] == v)
            fresh = fresh or (here == 1 and value[guests.start[g]] != v)
        groups += int(count > 0)
    if groups < 2:
        return 0, 0
    for k in range(sets.part[j], sets.part[j + 1]):
        fresh = fresh or newcomer(sets, guests, sets.part_set[k], v, g)
    return groups - 1, (groups - 1) * int(fresh)


@compiled
def split_delta(sets: Any, guests: Any, j: Any, g: Any, va: Any, vb: Any) -> Any:
    """What split rule j changes by as guest g goes from va to vb."""
    before, bad_before = meeting_at(sets, guests, j, va, -1, 0)
    after, bad_after = meeting_at(sets, guests, j, va, g, 0)
    amount, bad = after - before, bad_after - bad_before
    before, bad_before = meeting_at(sets, guests, j, vb, -1, 0)
    after, bad_after = meeting_at(sets, guests, j, vb, g, 1)
    return amount + after - before, bad + bad_after - bad_before


@compiled
def crowded(sets: Any, guests: Any, j: Any, s: Any, change: Any, got: Any) -> Any:
    """By how many too many of set s have a host, and how bad that is, after a change."""
    amount = sets.placed[s] + change - sets.most[j]
    if amount <= 0:
        return 0, 0
    for k in range(sets.begin[s], sets.begin[s + 1]):
        m = int64(sets.member[k])
        limbo = sets.size[sets.domain[s]] + 1
        if sets.value[sets.domain[s], guests.start[m]] == limbo:
            got += int(sets.value[sets.domain[s], guests.host[m]] != limbo)
    return amount, max(0, amount - sets.stood[j, 0]) + got


@compiled
def crowded_delta(sets: Any, guests: Any, j: Any, s: Any, g: Any, va: Any, vb: Any) -> Any:
    """What limit j on how many of set s have a host changes by."""
    size = sets.size[sets.domain[s]]
    change = int(va > size) - int(vb > size)
    if change == 0:
        return 0, 0
    fresh = int(sets.value[sets.domain[s], guests.start[g]] > size)
    before, bad_before = crowded(sets, guests, j, s, 0, 0)
    after, bad_after = crowded(sets, guests, j, s, change, change * fresh)
    return after - before, bad_after - bad_before


@compiled
def outsiders_at(sets: Any, guests: Any, j: Any, v: Any, g: Any, here: Any) -> Any:
    """How many outsiders share value v with members of j, and how bad that is."""
    apart()
    s = sets.part_set[sets.part[j]]
    d = sets.domain[s]
    if v >= sets.size[d]:
        return 0, 0
    members, everybody = counted(sets, guests.host, s, v), sets.total[d, v]
    fresh = sets.fresh[d, v]
    if g >= 0:
        shift = here - int(sets.value[d, guests.host[g]] == v)
        everybody += shift
        members += shift * is_in(sets, g, s)
        fresh += shift * int(sets.value[d, guests.start[g]] != v)
    amount = everybody - members
    if members == 0 or amount == 0:
        return 0, 0
    return amount, amount * int(fresh > 0)


@compiled
def seclude_delta(sets: Any, guests: Any, j: Any, g: Any, a: Any, b: Any) -> Any:
    """What seclusion j changes by as guest g goes from host a to b."""
    d = sets.domain[sets.part_set[sets.part[j]]]
    va, vb = int64(sets.value[d, a]), int64(sets.value[d, b])
    if va == vb:
        return 0, 0
    before, bad_before = outsiders_at(sets, guests, j, va, -1, 0)
    after, bad_after = outsiders_at(sets, guests, j, va, g, 0)
    amount, bad = after - before, bad_after - bad_before
    before, bad_before = outsiders_at(sets, guests, j, vb, -1, 0)
    after, bad_after = outsiders_at(sets, guests, j, vb, g, 1)
    return amount + after - before, bad + bad_after - bad_before


@compiled
def rule_delta(sets: Any, guests: Any, j: Any, s: Any, g: Any, b: Any, va: Any, vb: Any) -> Any:
    """What rule j, met through set s, changes by in amount and badness."""
    apart()
    kind = sets.kind[j]
    if kind == SPREAD:
        return spread_delta(sets, guests, j, s, g, va, vb)
    if kind == GATHER:
        return gather_delta(sets, guests, j, s, g, b)
    if kind == CROWD:
        return crowded_delta(sets, guests, j, s, g, va, vb)
    for k in range(sets.part[j], sets.part[j + 1]):
        if sets.part_set[k] == s:
            break
        if is_in(sets, g, sets.part_set[k]):
            return 0, 0  # met before, through another set of the guest
    if kind == NEAR:
        return near_delta(sets, guests, j, g, va, vb)
    return split_delta(sets, guests, j, g, va, vb)


@compiled
def groups_delta(sets: Any, guests: Any, g: Any, a: Any, b: Any) -> Any:
    """What all group rules change by in energy and badness as guest g goes from a to b."""
    apart()
    energy, bad = 0, 0
    for k in range(sets.of[g], sets.of[g + 1]):
        s = sets.of_set[k]
        d = sets.domain[s]
        va, vb = int64(sets.value[d, a]), int64(sets.value[d, b])
        if va == vb:
            continue
        for n in range(sets.rules[s], sets.rules[s + 1]):
            j = sets.rules_rule[n]
            amount, worse = rule_delta(sets, guests, j, s, g, b, va, vb)
            energy += sets.price[j] * amount
            bad += worse * sets.must[j]
    for k in range(sets.cast.shape[0]):
        j = sets.cast[k]
        amount, worse = seclude_delta(sets, guests, j, g, a, b)
        energy += sets.price[j] * amount
        bad += worse * sets.must[j]
    return energy, bad


@compiled
def groups_apply(sets: Any, guests: Any, g: Any, a: Any, b: Any) -> Any:
    """Count guest g at b instead of a; its host is still a."""
    apart()
    for k in range(sets.of[g], sets.of[g + 1]):
        s = sets.of_set[k]
        d = sets.domain[s]
        va, vb, size = int64(sets.value[d, a]), int64(sets.value[d, b]), sets.size[d]
        if va == vb:
            continue
        if va < size and counted(sets, guests.host, s, va) == 1:
            sets.values[s] -= 1
        if vb < size and counted(sets, guests.host, s, vb) == 0:
            sets.values[s] += 1
        sets.placed[s] += int(va > size) - int(vb > size)
        if sets.cell[s] >= 0:
            sets.count[sets.cell[s] + va] -= 1
            sets.count[sets.cell[s] + vb] += 1
    if sets.cast.shape[0] > 0:
        for d in range(sets.size.shape[0]):
            va, vb, home = sets.value[d, a], sets.value[d, b], sets.value[d, guests.start[g]]
            sets.total[d, va] -= 1
            sets.total[d, vb] += 1
            sets.fresh[d, va] -= int(home != va)
            sets.fresh[d, vb] += int(home != vb)
