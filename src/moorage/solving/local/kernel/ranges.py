# SPDX-License-Identifier: Apache-2.0
"""Ranges: the three fullest and emptiest hosts are known, so that two may change for nothing."""

from __future__ import annotations

from typing import Any

from moorage.solving.local.kernel.jit import apart, compiled, inlined


@inlined
def scaled(ranges: Any, q: Any, h: Any, load: Any) -> Any:
    """The measure of host h in range q."""
    return ranges.scale[q] * load // ranges.cap[q, h]


@inlined
def first_other(ranked: Any, q: Any, a: Any, b: Any) -> Any:
    """The first of the ranked hosts that is neither a nor b, or -1."""
    for k in range(3):
        if ranked[q, k] != a and ranked[q, k] != b:
            return ranked[q, k]
    return -1


@inlined
def gap_with(ranges: Any, hosts: Any, q: Any, a: Any, b: Any, load_a: Any, load_b: Any) -> Any:
    """The gap of range q if hosts a and b had other loads."""
    i = ranges.column[q]
    high, low = -(1 << 61), 1 << 61
    h = first_other(ranges.top, q, a, b)
    if h >= 0:
        high = scaled(ranges, q, h, hosts.load[h, i])
    h = first_other(ranges.bottom, q, a, b)
    if h >= 0:
        low = scaled(ranges, q, h, hosts.load[h, i])
    if ranges.over[q, a]:
        value = scaled(ranges, q, a, load_a)
        high, low = max(high, value), min(low, value)
    if ranges.over[q, b]:
        value = scaled(ranges, q, b, load_b)
        high, low = max(high, value), min(low, value)
    return max(0, high - low)


@inlined
def gap(ranges: Any, hosts: Any, q: Any) -> Any:
    """The gap of range q."""
    top, bottom, i = ranges.top[q, 0], ranges.bottom[q, 0], ranges.column[q]
    if top < 0:
        return 0
    return scaled(ranges, q, top, hosts.load[top, i]) - scaled(
        ranges, q, bottom, hosts.load[bottom, i]
    )


@inlined
def ranges_delta(state: Any, g: Any, other: Any, a: Any, b: Any) -> Any:
    """What ranges cost more if g goes from a to b, and *other* (or -1) the other way."""
    ranges, hosts, delta = state.ranges, state.hosts, 0
    for q in range(ranges.column.shape[0]):
        i = ranges.column[q]
        change = hosts.amount[g, i]
        if other >= 0:
            change -= hosts.amount[other, i]
        if change != 0:
            load_a, load_b = hosts.load[a, i] - change, hosts.load[b, i] + change
            after = gap_with(ranges, hosts, q, a, b, load_a, load_b)
            delta += ranges.weight[q] * (after - gap(ranges, hosts, q))
    return delta


@compiled
def rank(state: Any) -> Any:
    """Find the three fullest and emptiest hosts of each range."""
    apart()
    ranges, hosts = state.ranges, state.hosts
    for q in range(ranges.column.shape[0]):
        for k in range(3):
            ranges.top[q, k] = -1
            ranges.bottom[q, k] = -1
        for h in range(ranges.over.shape[1]):
            if ranges.over[q, h]:
                _insert(ranges, hosts, q, h, ranges.top, 1)
                _insert(ranges, hosts, q, h, ranges.bottom, -1)


@inlined
def _insert(ranges: Any, hosts: Any, q: Any, h: Any, ranked: Any, sign: Any) -> Any:
    """Put host h among the ranked ones if it belongs there."""
    i = ranges.column[q]
    value = scaled(ranges, q, h, hosts.load[h, i]) * sign
    for k in range(3):
        other = ranked[q, k]
        if other < 0 or value > scaled(ranges, q, other, hosts.load[other, i]) * sign:
            for n in range(2, k, -1):
                ranked[q, n] = ranked[q, n - 1]
            ranked[q, k] = h
            return
