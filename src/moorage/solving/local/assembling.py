# SPDX-License-Identifier: Apache-2.0
"""From rows and tiers to the state of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from moorage.model.resources import MEMORY
from moorage.problem.limits import Budget
from moorage.problem.problem import COLLISION, Problem
from moorage.problem.tiers import Tier
from moorage.solving.local import layout
from moorage.solving.local.columns import Level, Sum, Sums, load_of, placed
from moorage.solving.local.grouping import Grouping, spans
from moorage.solving.local.layout import Guests, Hosts, Ranges, State, Zones
from moorage.solving.local.rows import UNLIMITED, Column, Rows, Zone
from moorage.solving.local.weights import effects, weigh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]

NEVER: Final = 2**61
LONGEST_TRAIL: Final = 256
NARROW: Final = 4
"""A row that leaves less than one in so many hosts has its hosts listed."""


@dataclass(eq=False)
class Assembly:
    """The state, and what the search needs to know beside it."""

    problem: Problem
    tiers: tuple[Tier, ...]
    budget: Budget
    rows: Rows
    weights: tuple[int, ...] = field(init=False)
    state: State = field(init=False)
    handle: Any = field(init=False)
    gathered: Ints = field(init=False)
    size: NDArray[np.float64] = field(init=False)
    dear: tuple[Ints, Ints] = field(init=False)

    def __post_init__(self) -> None:
        self.weights = weigh(self.problem, self.tiers, self.rows)
        pairs = [(t, w) for t, w in zip(self.tiers, self.weights, strict=True) if w]
        self.repairs = sum(w * t.repairs for t, w in pairs)
        self.should = sum(w * t.should for t, w in pairs)
        self.goals = [(t.objective, w) for t, w in pairs if t.objective is not None]
        self.size = self._sizes()
        grouping = Grouping(self.problem, self.rows, self.repairs, self.should)
        self.gathered = grouping.gathered
        hosts, ranges = self._sums()
        zones = self._zones()
        self.dear = (hosts.dear.copy(), zones.dear.copy())
        self.state = State(
            hosts=hosts,
            guests=self._guests(grouping),
            zones=zones,
            sets=grouping.sets,
            ranges=ranges,
            num=self._numbers(),
            random=np.zeros(1, dtype=np.uint64),
            best=placed(self.problem.start, len(self.problem.hosts)),
            trail=np.zeros((LONGEST_TRAIL, 2), dtype=np.int32),
        )
        self._stand(grouping)

    def _stand(self, grouping: Grouping) -> None:
        """Let the kernel judge the start, and tell it what stood broken then."""
        from moorage.solving.local.kernel.handle import Handle
        from moorage.solving.local.kernel.whole import rebuild

        rebuild(Handle(self.state), True)
        stood = self.state.sets.stood
        lone, flags = grouping.alone(stood)
        soft = grouping.softness(stood)
        self.state = self.state._replace(
            sets=self.state.sets._replace(lone=lone, lone_flag=flags),
            guests=self.state.guests._replace(soft=soft),
        )
        self.handle = Handle(self.state)

    def _sizes(self) -> NDArray[np.float64]:
        """What each guest is in energy: that of the first goal that anything changes."""
        for goal, weight in self.goals:
            levels = np.abs(goal.amounts).astype(np.float64) @ goal.price.sum(axis=0)
            if goal.has_ranges:
                levels = levels + effects(goal)
            if levels.any():
                return np.asarray(levels * weight, dtype=np.float64)
        largest = np.maximum(1, self.problem.demand.max(axis=0, initial=1))
        shares: NDArray[np.float64] = (self.problem.demand / largest).sum(axis=1)
        most = (float(effects(goal).max(initial=1.0)) * w for goal, w in self.goals)
        scale = max(most, default=1.0)
        return np.asarray(shares * scale / max(1, self.problem.demand.shape[1]))

    def _sums(self) -> tuple[Hosts, Ranges]:
        sums = Sums(self.problem)
        sums.add_rows(self.rows, self.repairs, self.should)
        for goal, weight in self.goals:
            sums.add_goal(goal, weight)
        ranges = self._ranges(sums)
        slots = self._slots(sums)
        return self._hosts(sums.found, slots), ranges

    def _hosts(self, sums: Sequence[Sum], slots: dict[str, Ints]) -> Hosts:
        hosts, guests, width = len(self.problem.hosts), len(self.problem.guests), len(sums)
        base, cap = _table(hosts + 1, width), _table(hosts + 1, width, UNLIMITED)
        high, price = _table(hosts + 1, width, UNLIMITED), np.zeros(width, dtype=np.int64)
        edges: list[tuple[int, Level]] = []
        for i, column in enumerate(sums):
            base[:-1, i], cap[:-1, i] = column.base, column.cap
            above = [level for level in column.levels if level.sign > 0]
            if above:
                high[:-1, i], price[i] = above[0].at, above[0].price
            edges += [(i, level) for level in column.levels if level not in above[:1]]
        edge_at = _table(hosts + 1, len(edges))
        for k, (_, level) in enumerate(edges):
            edge_at[:-1, k], edge_at[-1, k] = level.at, level.sign * UNLIMITED
        used = np.zeros(hosts + 1, dtype=np.int64)
        for goal, weight in self.goals:
            used[:-1] += goal.used_price * weight
        return Hosts(
            load=base.copy(),
            base=base,
            cap=cap,
            high=high,
            price=price,
            dear=self._dear(sums),
            held=_ints([-column.held for column in sums]),
            amount=_columns([column.amounts for column in sums], guests),
            edge_column=_ints([i for i, _ in edges]),
            edge_price=_ints([level.price for _, level in edges]),
            edge_sign=_ints([level.sign for _, level in edges]),
            edge_at=edge_at,
            cost=np.zeros(hosts + 1, dtype=np.int64),
            count=np.zeros(hosts + 1, dtype=np.int64),
            first=np.full(hosts + 1, -1, dtype=np.int32),
            costly=np.zeros(hosts + 1, dtype=np.int32),
            used=used,
            **slots,
        )

    def _dear(self, sums: Sequence[Sum]) -> Ints:
        """What a unit too much costs the search at first: a little more than it can gain."""
        limited = [column for column in sums if (column.cap < UNLIMITED).any()]
        rooms = {id(c): float(c.cap[c.cap < UNLIMITED].mean()) + 1.0 for c in limited}
        prices = [float(lv.price) for c in sums for lv in c.levels if lv.sign > 0 and lv.price]
        largest = float(self.size.max(initial=1.0))
        found = np.zeros(len(sums), dtype=np.int64)
        for i, column in enumerate(sums):
            if id(column) in rooms:
                per_room = np.mean(prices) * np.mean(list(rooms.values())) if prices else 0.0
                by_size = largest / max(1.0, float(np.abs(column.amounts).max(initial=1)))
                dear = 5.0 * per_room / rooms[id(column)] if prices else 0.5 * by_size
                found[i] = min(2**40, int(dear)) + 1
        return found

    def _ranges(self, sums: Sums) -> Ranges:
        hosts = len(self.problem.hosts)
        parts: list[tuple[int, int, int, Ints, Any]] = []
        for goal, weight in self.goals:
            for i in np.flatnonzero(goal.range_weight).tolist():
                amounts = np.ascontiguousarray(goal.amounts[:, i])
                number = sums.number(amounts, False, goal.base[:, i])
                price, scale = int(goal.range_weight[i]) * weight, int(goal.range_scale[i])
                parts.append((number, price, scale, goal.range_cap[:, i], goal.range_over))
        cap, over = _table(len(parts), hosts + 1, 1), np.zeros((len(parts), hosts + 1), np.uint8)
        for q, part in enumerate(parts):
            cap[q, :-1], over[q, :-1] = part[3], part[4]
        return Ranges(
            column=_ints([part[0] for part in parts]),
            weight=_ints([part[1] for part in parts]),
            scale=_ints([part[2] for part in parts]),
            cap=cap,
            over=over,
            top=_table(len(parts), 3, -1),
            bottom=_table(len(parts), 3, -1),
        )

    def _slots(self, sums: Sums) -> dict[str, Ints]:
        """The shape of the first goal that counts how often one still fits."""
        problem, nothing = self.problem, np.zeros(len(self.problem.hosts), dtype=np.int64)
        price = np.zeros(len(nothing) + 1, dtype=np.int64)
        numbers, shape, rooms = [], [], []
        for goal, weight in self.goals:
            if goal.slot_price.any() and goal.slot_shape.any():
                for r in np.flatnonzero(goal.slot_shape > 0).tolist():
                    number, more = sums.near(np.ascontiguousarray(problem.demand[:, r]), nothing)
                    numbers.append(number)
                    shape.append(int(goal.slot_shape[r]))
                    rooms.append(np.append(problem.usable[:, r] + more, 0))
                price[:-1] = goal.slot_price * weight
                break
        return {
            "slot_column": _ints(numbers),
            "slot_shape": _ints(shape),
            "slot_room": _columns(rooms, len(nothing) + 1),
            "slot_price": price,
        }

    def _zones(self) -> Zones:
        zones = sorted(self.rows.zones, key=lambda zone: zone.placed)
        inside = np.zeros((len(zones), len(self.problem.hosts) + 1), dtype=np.uint8)
        amounts: dict[bytes, int] = {}
        tables: list[Ints] = []
        weights, cap, price, dear = [], [], [], []
        for z, zone in enumerate(zones):
            inside[z, :-1] = zone.inside
            weights.append(amounts.setdefault(zone.amounts.tobytes(), len(tables)))
            if weights[-1] == len(tables):
                tables.append(zone.amounts)
            start = sum_of(zone, self.problem.start, self.problem.start)
            cap.append(max(zone.limit, start) if zone.must else UNLIMITED)
            price.append(zone.unit * (self.repairs if zone.must else self.should))
            largest = max(1, int(np.abs(zone.amounts).max(initial=1)))
            dear.append(int(min(2**40, self.size.max(initial=1.0) / largest)) + 1)
        return Zones(
            inside=inside,
            weights=_ints(weights),
            amount=np.array(tables, dtype=np.int64).reshape(len(tables), len(self.problem.guests)),
            held=_ints([zone.held for zone in zones]),
            used=_ints([zone.used for zone in zones]),
            base=_ints([zone.base for zone in zones]),
            sum=np.zeros(len(zones), dtype=np.int64),
            limit=_ints([zone.limit for zone in zones]),
            cap=_ints(cap),
            price=_ints(price),
            dear=_ints(dear),
            placed=_ints([sum(not zone.placed for zone in zones)]),
        )

    def _guests(self, grouping: Grouping) -> Guests:
        problem, limits = self.problem, self.problem.restrictions
        hosts, guests = len(problem.hosts), len(problem.guests)
        open_to = np.zeros((len(limits.open), hosts + 1), dtype=np.uint8)
        open_to[:, :-1] = limits.open
        narrow = [row.nonzero()[0] if row.sum() * NARROW < hosts else [] for row in limits.open]
        few, few_hosts = spans(narrow)
        move = sum((g.move_price * w for g, w in self.goals), np.zeros(guests, dtype=np.int64))
        home = limits.broken_at_start * COLLISION * self.repairs
        home = home + limits.price_at_start * self.should
        teams = next(((g, w) for g, w in self.goals if g.group_price), None)
        team = np.full(guests, -1, dtype=np.int32) if teams is None else teams[0].group_of
        largest = np.argsort(-self.size, kind="stable").astype(np.int32)
        start = placed(problem.start, hosts)
        return Guests(
            host=start.copy(),
            start=start,
            row=limits.row_of.astype(np.int32),
            open=open_to,
            few=few,
            few_hosts=few_hosts,
            home=np.where(problem.start >= 0, home, 0),
            fare=self._fares(),
            spot=self._matrix("place_price", guests, hosts + 1),
            move=np.ascontiguousarray(move, dtype=np.int64),
            memory=self._memory(),
            pair=self._matrix("pair_price", hosts + 1, hosts + 1),
            team=np.ascontiguousarray(team, dtype=np.int32),
            team_moved=np.zeros(int(team.max(initial=-1)) + 1, dtype=np.int64),
            team_buckets=np.zeros(guests + 2, dtype=np.int64),
            solo=grouping.solo,
            soft=np.zeros(guests, dtype=np.uint8),
            order=largest[~limits.is_stuck[largest]],
            native=np.searchsorted(np.sort(start), np.arange(hosts + 2)).astype(np.int64),
            natives=np.argsort(start, kind="stable").astype(np.int32),
            moved=np.zeros(guests, dtype=np.int32),
            moved_at=np.zeros(guests, dtype=np.int32),
            after=np.full(guests, -1, dtype=np.int32),
            before=np.full(guests, -1, dtype=np.int32),
        )

    def _fares(self) -> Ints:
        price = self.problem.restrictions.price
        if not price.any() or not self.should:
            return np.zeros((0, 0), dtype=np.int64)
        found = _table(len(price), price.shape[1] + 1)
        found[:, :-1] = price * self.should
        return found

    def _matrix(self, name: str, height: int, width: int) -> Ints:
        """The sum of a matrix of prices over all goals, or an empty one."""
        found = _table(0, 0)
        for goal, weight in self.goals:
            matrix = getattr(goal, name)
            if matrix.any():
                if not found.size:
                    found = _table(height, width)
                found[: matrix.shape[0], : matrix.shape[1]] += matrix * weight
        return found

    def _memory(self) -> Ints:
        fleet = self.problem.fleet
        taken = (fleet.demand_of(g).get(MEMORY, 0) for g in self.problem.guests)
        return np.fromiter(taken, dtype=np.int64, count=len(self.problem.guests))

    def _numbers(self) -> Ints:
        num = np.zeros(layout.NUMBERS, dtype=np.int64)
        moves, memory = self.budget.moves, self.budget.memory_mib
        num[layout.MOST_MOVED] = NEVER if moves is None else min(moves, NEVER)
        num[layout.MOST_MEMORY] = NEVER if memory is None else min(memory, NEVER)
        num[layout.LIMBO] = len(self.problem.hosts)
        num[layout.BEST] = NEVER
        adrift = self.rows.adrift_severity * self.repairs + self.rows.adrift_cost * self.should
        num[layout.ADRIFT] = adrift
        prices = [g.group_price * w for g, w in self.goals if g.group_price]
        num[layout.TEAM_PRICE] = prices[0] if prices else 0
        return num


def sum_of(zone: Zone, start: Indices, placement: Indices) -> int:
    """What a zone has under *placement*."""
    if zone.used:
        hosts = np.unique(placement[placement >= 0])
        return int(zone.inside[hosts].sum())
    nothing = np.zeros(len(zone.inside), dtype=np.int64)
    column = Column(zone.amounts, zone.held, nothing, nothing, True, 0)
    return zone.base + int(load_of(column, start, placement)[zone.inside].sum())


def _table(height: int, width: int, value: int = 0) -> Ints:
    return np.full((height, width), value, dtype=np.int64)


def _columns(columns: Sequence[Ints], height: int) -> Ints:
    found = _table(height, len(columns))
    for i, column in enumerate(columns):
        found[:, i] = column
    return found


def _ints(values: Sequence[Any]) -> Ints:
    return np.array([int(v) for v in values], dtype=np.int64)
