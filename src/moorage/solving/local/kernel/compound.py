# SPDX-License-Identifier: Apache-2.0
"""Several guests shift at once: chains, sets that belong together, two in exchange for one."""

from __future__ import annotations

from math import log
from typing import Any

from numba import int64

from moorage.solving.local.kernel.draws import below, fraction
from moorage.solving.local.kernel.jit import apart, compiled, inlined
from moorage.solving.local.kernel.moves import least_of_trade, may_enter, push, undo
from moorage.solving.local.kernel.sums import NEVER
from moorage.solving.local.layout import ACCEPTED, BAD, ENERGY, LIMBO, OVER, TRAIL


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


@compiled
def try_trade(state: Any, g: Any, b: Any, second: Any, third: Any, heat: Any) -> Any:
    """Send guest g to b and two others from there to where it was."""
    apart()
    num, guests = state.num, state.guests
    a, limbo = int64(guests.host[g]), num[LIMBO]
    if second == third or guests.host[second] != b or guests.host[third] != b:
        return False
    if a == b or limbo in (a, b):
        return False
    limit = allowance(state.random, heat)
    if least_of_trade(state, g, b, second, third) > limit or not may_enter(state, g, b):
        return False
    energy, bad, over = num[ENERGY], num[BAD], num[OVER]
    if push(state, g, b) == NEVER:
        return False
    for other in (second, third):
        if not may_enter(state, other, a) or push(state, other, a) == NEVER:
            undo(state)
            return False
    return conclude(state, energy, bad, over, limit)
