# SPDX-License-Identifier: Apache-2.0
"""The arrays that the kernel works on. All int64 unless said; hosts have one row more, nowhere."""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple

Ints = Annotated[Any, "int64", 1]
Ints2 = Annotated[Any, "int64", 2]
Shorts = Annotated[Any, "int32", 1]
Shorts2 = Annotated[Any, "int32", 2]
Bytes = Annotated[Any, "uint8", 1]
Bytes2 = Annotated[Any, "uint8", 2]
Bits = Annotated[Any, "uint64", 1]

# Places in `State.num`.
ENERGY: Final = 0
OVER: Final = 1
"""How far sums exceed what is admissible, over all."""
BAD: Final = 2
"""How far group rules are broken beyond what stood at the start."""
MOVED: Final = 3
MOVED_MEMORY: Final = 4
MOST_MOVED: Final = 5
MOST_MEMORY: Final = 6
TEAM_MOST: Final = 7
TEAM_PRICE: Final = 8
ADRIFT: Final = 9
"""Energy of a guest without a host."""
LIMBO: Final = 10
"""The number of the row that stands for nowhere."""
BEST: Final = 11
SLACK: Final = 12
TRAIL: Final = 13
REPAIRS: Final = 14
SHOULD: Final = 15
PROPOSED: Final = 16
EVALUATED: Final = 17
ACCEPTED: Final = 18
NEW_A: Final = 19
NEW_B: Final = 20
SECLUDED: Final = 21
LOCATED: Final = 22
NUMBERS: Final = 24


class Hosts(NamedTuple):
    """Sums on single hosts, and what they cost there."""

    load: Ints2  # [host, column]
    base: Ints2  # [host, column]
    cap: Ints2  # [host, column]: more is inadmissible
    high: Ints2  # [host, column]: the first level
    price: Ints  # [column] of a unit above the first level
    dear: Ints  # [column] of a unit above cap: a price that the search raises
    held: Ints  # [column]: -1, all bits, if who leaves home still counts there; else 0
    amount: Ints2  # [guest, column]
    edge_column: Ints  # [edge]: all other levels
    edge_price: Ints
    edge_sign: Ints  # 1 counts above, -1 below
    edge_at: Ints2  # [host, edge]
    cost: Ints  # [host]
    count: Ints  # [host]
    first: Shorts  # [host]: any guest on it, or -1; `Guests.after` has the next one
    costly: Shorts  # [host]: room for a list of those that cost anything
    used: Ints  # [host] price of a host with guests
    slot_column: Ints
    slot_shape: Ints
    slot_room: Ints2  # [host, slot]
    slot_price: Ints  # [host]


class Guests(NamedTuple):
    """Where guests are and what single guests cost there."""

    host: Shorts
    start: Shorts
    row: Shorts
    open: Bytes2  # [row, host]
    few: Ints  # [row + 1]: where the hosts of a narrow row begin in few_hosts
    few_hosts: Ints
    home: Ints  # energy of staying at the start
    fare: Ints2  # [row, host], or empty
    spot: Ints2  # [guest, host], or empty
    move: Ints
    memory: Ints
    pair: Ints2  # [start, end], or empty
    team: Shorts  # or -1
    team_moved: Ints
    team_buckets: Ints
    solo: Shorts  # a set of which no other may be on the host, or -1
    soft: Bytes  # whether its group rules change energies
    order: Shorts  # movable guests, largest first
    native: Ints  # [host + 1]: where those who start on a host begin in natives
    natives: Shorts  # guests by the host they start on, nowhere last
    moved: Shorts  # those who are on another host than they start on, in no order
    moved_at: Shorts  # [guest]: the place in moved, for those who are
    after: Shorts  # [guest]: another guest on the same host, or -1
    before: Shorts  # [guest]: the one whose `after` this is, or -1


class Zones(NamedTuple):
    """Sums over several hosts."""

    inside: Bytes2  # [zone, host]
    weights: Ints  # [zone]: row of amount
    amount: Ints2  # [row, guest]
    held: Ints
    used: Ints
    base: Ints
    sum: Ints
    limit: Ints
    cap: Ints
    price: Ints
    dear: Ints
    placed: Ints  # [1]: zones from here on change only where a guest gets a host


class Sets(NamedTuple):
    """Sets of guests, counted by values of a domain, and the rules over them."""

    of: Ints  # [guest + 1]
    of_set: Ints
    begin: Ints  # [set + 1]
    member: Shorts
    domain: Ints  # [set]
    cell: Ints  # [set]: where its counts begin, or -1
    count: Shorts
    values: Ints  # [set]: how many values it is in
    placed: Ints  # [set]
    value: Shorts2  # [domain, host] ; unlabelled is size, nowhere is size + 1
    size: Ints  # [domain]
    rules: Ints  # [set + 1]
    rules_rule: Ints
    kind: Ints  # [rule]
    must: Ints
    unit: Ints  # severity or weight of a point
    price: Ints  # energy of a point
    most: Ints
    skew: Ints
    least: Ints
    part: Ints  # [rule + 1]: where its sets begin in part_set
    part_set: Ints
    mask: Ints  # [rule + 1]: where its parts begin in masks
    masks: Bytes2  # [part, host]
    stood: Ints2  # [rule, 3]: amounts at the start: skew or spots, domains short, all
    lone: Ints  # [rule]: where flags of members that were alone begin, or -1
    lone_flag: Bytes
    cast: Ints  # rules that outsiders break
    total: Ints2  # [domain, value] guests there
    fresh: Ints2  # [domain, value] guests there that started elsewhere
    scratch: Shorts  # [value]


class Ranges(NamedTuple):
    """Dimensions that cost by the gap between the fullest and the emptiest host."""

    column: Ints
    weight: Ints
    scale: Ints
    cap: Ints2  # [range, host]
    over: Bytes2  # [range, host]
    top: Ints2  # [range, 3] hosts
    bottom: Ints2


class State(NamedTuple):
    """All of it. *best* is the best admissible placement; *trail* undoes compound moves."""

    hosts: Hosts
    guests: Guests
    zones: Zones
    sets: Sets
    ranges: Ranges
    num: Ints
    random: Bits
    best: Shorts
    trail: Shorts2  # [step, 2]
