# SPDX-License-Identifier: Apache-2.0
"""Building by hand, so to say: mending what is broken, levelling, and the last descent."""

from __future__ import annotations

from typing import Any

from numba import int64

from moorage.solving.local.kernel.compound import (
    conclude,
    cost_with_room,
    try_chain,
    try_together,
)
from moorage.solving.local.kernel.draws import below
from moorage.solving.local.kernel.jit import apart, compiled
from moorage.solving.local.kernel.moves import may_enter, push, undo
from moorage.solving.local.kernel.sums import NEVER
from moorage.solving.local.kernel.walk import (
    keep_best,
    target_of,
    try_shift,
    try_swap,
)
from moorage.solving.local.layout import BAD, ENERGY, LIMBO, OVER


@compiled
def shift(state: Any, g: Any, b: Any) -> Any:
    """Shift a guest if nothing gets worse by it."""
    apart()
    return try_shift(state, g, b, 0.0, True)


@compiled
def swap(state: Any, g: Any, other: Any) -> Any:
    """Let two guests change places if nothing gets worse by it."""
    apart()
    return try_swap(state, g, other, 0.0, True)


@compiled
def settle_guest(state: Any, g: Any, tries: Any) -> Any:
    """Find a better host for guest g: any by random tries, then all in their order."""
    apart()
    done = False
    hosts = state.num[LIMBO]
    if hosts > tries:
        for _ in range(tries):
            done = shift(state, g, target_of(state, g, 0.0)) or done
        if done:
            return True
    for b in range(hosts):
        done = shift(state, g, b) or done
    return done


@compiled
def heal(state: Any, tries: Any, gathered: Any, relief: Any) -> Any:
    """Place guests without a host, largest first, then move whatever makes repairs smaller.

    With *relief* it is those that are on a host with too much of anything who find a better one.
    """
    apart()
    guests, num = state.guests, state.num
    limbo = num[LIMBO]
    if relief:
        relieve(state, tries)
        keep_best(state, 0)
        return
    for k in range(guests.order.shape[0]):
        g = int64(guests.order[k])
        if guests.host[g] == limbo and not settle_guest(state, g, tries):
            make_room(state, g, tries)
    for k in range(gathered.shape[0]):
        for _ in range(min(tries, 2 * limbo)):
            if state.sets.values[gathered[k]] > 1:
                try_together(state, gathered[k], below(state.random, limbo), 0.0)
    for k in range(guests.order.shape[0]):
        g = int64(guests.order[k])
        broken = guests.home[g] > 0 and guests.host[g] == guests.start[g]
        if broken and not settle_guest(state, g, tries):
            make_room(state, g, tries)
    keep_best(state, 0)


@compiled
def relieve(state: Any, tries: Any) -> Any:
    """Find better hosts for guests, largest first, where theirs have too much."""
    apart()
    guests = state.guests
    for k in range(guests.order.shape[0]):
        g = int64(guests.order[k])
        if guests.host[g] != state.num[LIMBO] and is_strained(state, g, int64(guests.host[g])):
            settle_guest(state, g, tries)


@compiled
def is_strained(state: Any, g: Any, h: Any) -> Any:
    """Whether guest g takes of what host h has too little of, or is in a costly group."""
    hosts = state.hosts
    if state.guests.soft[g] == 2:
        return True
    for k in range(hosts.edge_column.shape[0]):
        i = hosts.edge_column[k]
        takes = hosts.edge_sign[k] > 0 and hosts.amount[g, i] > 0
        if takes and hosts.load[h, i] > hosts.edge_at[h, k]:
            return True
    for i in range(hosts.load.shape[1]):
        if hosts.amount[g, i] > 0 and hosts.price[i] > 0 and hosts.load[h, i] > hosts.high[h, i]:
            return True
    return False


@compiled
def make_room(state: Any, g: Any, tries: Any) -> Any:
    """Put guest g where another one makes room for it."""
    apart()
    guests = state.guests
    for _ in range(tries * 4):
        third = int64(guests.order[below(state.random, guests.order.shape[0])])
        b = int64(guests.host[third])
        if try_chain(state, g, b, third, target_of(state, third, 0.0), 0.0):
            return True
    return False


@compiled
def level(state: Any, column: Any, fall: Any, heap: Any, key: Any) -> Any:
    """Bring guests, one after another, to hosts that lack most of a column."""
    apart()
    hosts, limbo = state.hosts, state.num[LIMBO]
    rank_hosts(state, column, heap, key)
    for k in range(fall.shape[0]):
        g = int64(fall[k])
        amount = hosts.amount[g, column]
        for t in range(min(64, limbo)):
            b = heap[t]
            if hosts.load[b, column] + amount <= hosts.high[b, column] and shift(state, g, b):
                key[b] = lack_of(state, column, b)
                sift(heap, key, t)
                break
    keep_best(state, 0)


@compiled
def drain(state: Any, order: Any) -> Any:
    """Empty hosts, one after another: all of one's guests find room on others in use, or stay."""
    apart()
    hosts, num = state.hosts, state.num
    for k in range(order.shape[0]):
        h = int64(order[k])
        if 0 < hosts.count[h] < state.trail.shape[0]:
            energy, bad, over = num[ENERGY], num[BAD], num[OVER]
            if leave_all(state, h):
                conclude(state, energy, bad, over, -1.0)
            else:
                undo(state)
    keep_best(state, 0)


@compiled
def leave_all(state: Any, h: Any) -> Any:
    """Let all guests of host h go to the fullest hosts that have room; whether each found one."""
    apart()
    hosts, guests = state.hosts, state.guests
    while hosts.count[h] > 0:
        g, size = int64(-1), -1.0
        other = int64(hosts.first[h])
        while other >= 0:
            fills = filling(hosts, other, h)
            if fills > size:
                g, size = other, fills
            other = int64(guests.after[other])
        b = fullest_with_room(state, g, h)
        if b < 0 or push(state, g, b) == NEVER:
            return False
    return True


@compiled
def filling(hosts: Any, g: Any, h: Any) -> Any:
    """What part of host h guest g fills, of the resource that it fills most of."""
    apart()
    most = 0.0
    for i in range(hosts.load.shape[1]):
        if 0 < hosts.cap[h, i] < 1 << 60:
            most = max(most, hosts.amount[g, i] / hosts.cap[h, i])
    return most


@compiled
def fullest_with_room(state: Any, g: Any, h: Any) -> Any:
    """The host in use, but for h, that has room for guest g and least left beside; or -1."""
    apart()
    hosts, best, least = state.hosts, int64(-1), 1e300
    for b in range(state.num[LIMBO]):
        fits = b != h and hosts.count[b] > 0 and may_enter(state, g, b)
        if fits and cost_with_room(state, b, g):
            left = 0.0
            for i in range(hosts.load.shape[1]):
                if 0 < hosts.cap[b, i] < 1 << 60:
                    left += hosts.cap[b, i] - hosts.load[b, i] - hosts.amount[g, i]
            if left < least:
                best, least = b, left
    return best


@compiled
def lack_of(state: Any, column: Any, h: Any) -> Any:
    """How much host h is below its window, or else how far from its top, as a negative."""
    hosts = state.hosts
    lack = -(1 << 60)
    for k in range(hosts.edge_column.shape[0]):
        if hosts.edge_column[k] == column and hosts.edge_sign[k] < 0:
            lack = max(lack, hosts.edge_at[h, k] - hosts.load[h, column])
    if lack > 0:
        return lack
    room = hosts.high[h, column] - hosts.load[h, column]
    return -(1 << 59) + max(0, min(room, 1 << 58))


@compiled
def rank_hosts(state: Any, column: Any, heap: Any, key: Any) -> Any:
    """Make a heap of the hosts, the one that lacks most first."""
    for h in range(heap.shape[0]):
        heap[h] = h
        key[h] = lack_of(state, column, h)
    for at in range(heap.shape[0] // 2, -1, -1):
        sift(heap, key, at)


@compiled
def sift(heap: Any, key: Any, at: Any) -> Any:
    """Let the host at a place of the heap sink to where it belongs now."""
    while True:
        largest = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < heap.shape[0] and key[heap[child]] > key[heap[largest]]:
                largest = child
        if largest == at:
            return
        heap[at], heap[largest] = heap[largest], heap[at]
        at = largest


@compiled
def descend(state: Any, steps: Any) -> Any:
    """Send guests home, shift and swap while that helps, for at most so many tries."""
    apart()
    guests, hosts = state.guests, state.num[LIMBO]
    count = guests.order.shape[0]
    left, helped = steps, True
    while helped and left > 0:
        helped = False
        for k in range(count):
            g = int64(guests.order[k])
            if guests.host[g] != guests.start[g]:
                # Going home may cost nothing: where it gains nothing either, it is no reason to
                # go on, or guests would go out and home again until all tries are spent.
                helped = gains(state, shift(state, g, int64(guests.start[g]))) or helped
        for k in range(count):
            for b in range(hosts if left > 0 else 0):
                helped = gains(state, shift(state, int64(guests.order[k]), b)) or helped
            left -= hosts
        for k in range(count):
            for n in range(k + 1 if left > 0 else count, count):
                done = swap(state, int64(guests.order[k]), int64(guests.order[n]))
                helped = gains(state, done) or helped
            left -= count - k
    keep_best(state, 0)


@compiled
def gains(state: Any, done: Any) -> Any:
    """Whether a move was made and led to something better than the best."""
    if not done or state.num[0] >= state.num[11]:
        return False
    keep_best(state, 0)
    return True
