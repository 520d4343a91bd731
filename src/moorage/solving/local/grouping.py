# SPDX-License-Identifier: Apache-2.0
"""Sets of guests and group rules as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.problem.problem import Problem
from moorage.solving.local.layout import Sets
from moorage.solving.local.rows import UNLIMITED, GroupRule, Kind, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Indices = NDArray[np.int32]

SCANNED: Final = 4
"""Sets of so few guests are scanned rather than counted."""
MOST_CELLS: Final = 40_000_000


def spans(lists: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return where each list begins in one flat array, and that array, never empty."""
    kept = list(lists)
    begin = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum([len(items) for items in kept], out=begin[1:])
    flat = np.fromiter((x for items in kept for x in items), dtype=np.int64, count=int(begin[-1]))
    return begin, flat


@dataclass(eq=False)
class Grouping:
    """What the kernel needs to know of groups; rules that a solo set says in full are left out.

    A solo set is one of which no two may share a host, and did not at the start.
    """

    problem: Problem
    rows: Rows
    repairs: int
    should: int
    solo: Indices = field(init=False)
    of: list[list[int]] = field(init=False)
    rules_of: list[list[int]] = field(init=False)
    sets: Sets = field(init=False)
    gathered: Ints = field(init=False)

    def __post_init__(self) -> None:
        guests = len(self.problem.guests)
        self.solo = np.full(guests, -1, dtype=np.int32)
        spoken = {j for j, rule in enumerate(self.rows.rules) if self._is_solo(rule)}
        rules_of = self._rules_of(spoken)
        value, size = self._values()
        cells, length = self._cells(size, rules_of)
        kept = {r.sets[0] for r in self.rows.rules if r.kind is Kind.SECLUDE}
        kept |= {s for s in range(len(cells)) if cells[s] >= 0 or rules_of[s]}
        counted = sorted(kept)
        of: list[list[int]] = [[] for _ in range(guests)]
        for s in counted:
            for member in self.rows.sets[s][1]:
                of[member].append(s)
        self.sets = self._build(spans(of), spans(rules_of), value, size, cells, length)
        self.of, self.rules_of = of, rules_of
        tied = {r.sets[0] for r in self.rows.rules if r.kind is Kind.GATHER and r.must}
        self.gathered = np.array(sorted(tied), dtype=np.int64)

    def _is_solo(self, rule: GroupRule) -> bool:
        """Take *rule* as a solo set if that says all of it, for guests that have none yet."""
        domain, members = self.rows.sets[rule.sets[0]]
        if rule.kind is not Kind.SPREAD or not rule.must or domain != 0 or rule.most != 1:
            return False
        if rule.skew < UNLIMITED or rule.least > 0 or not members:
            return False
        index = list(members)
        hosts = self.problem.start[index]
        hosts = hosts[hosts >= 0]
        if len(set(hosts.tolist())) < len(hosts) or (self.solo[index] >= 0).any():
            return False
        self.solo[index] = rule.sets[0]
        return True

    def _rules_of(self, spoken: set[int]) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.rows.sets]
        for j, rule in enumerate(self.rows.rules):
            if j not in spoken and rule.kind is not Kind.SECLUDE:
                for s in dict.fromkeys(rule.sets):
                    found[s].append(j)
        return found

    def _values(self) -> tuple[Indices, Ints]:
        """The value of each host in each domain; unlabelled and nowhere come after all values."""
        hosts = self.problem.hosts
        value = np.zeros((len(self.rows.domains), len(hosts) + 1), dtype=np.int32)
        size = np.zeros(len(self.rows.domains), dtype=np.int64)
        for d, domain in enumerate(self.rows.domains):
            label = self.problem.fleet.domain_of(domain)
            names = dict.fromkeys(label[h] for h in hosts if h in label)
            numbers = {name: number for number, name in enumerate(names)}
            size[d] = len(numbers)
            value[d, :-1] = [numbers[label[h]] if h in label else len(numbers) for h in hosts]
            value[d, -1] = len(numbers) + 1
        return value, size

    def _cells(self, size: Ints, rules_of: list[list[int]]) -> tuple[Ints, int]:
        """Where the counts of each set begin: the largest sets are counted, others scanned."""
        cells, length = np.full(len(self.rows.sets), -1, dtype=np.int64), 0
        by_size = sorted(range(len(cells)), key=lambda s: (-len(self.rows.sets[s][1]), s))
        for s in by_size:
            domain, members = self.rows.sets[s]
            skewed = any(self.rows.rules[j].skew < UNLIMITED for j in rules_of[s])
            width = int(size[domain]) + 2
            if skewed or (len(members) > SCANNED and length + width <= MOST_CELLS):
                cells[s], length = length, length + width
        return cells, length

    def _build(
        self,
        of: tuple[Ints, Ints],
        rules_of: tuple[Ints, Ints],
        value: Indices,
        size: Ints,
        cells: Ints,
        length: int,
    ) -> Sets:
        rows, rules = self.rows, self.rows.rules
        begin, member = spans(members for _, members in rows.sets)
        part, part_set = spans(rule.sets for rule in rules)
        mask, masks = self._masks()
        widest = int(size.max()) + 2
        cast = [j for j, rule in enumerate(rules) if rule.kind is Kind.SECLUDE]
        everybody = np.zeros((len(size), widest if cast else 1), dtype=np.int64)
        return Sets(
            of=of[0],
            of_set=of[1],
            begin=begin,
            member=member.astype(np.int32),
            domain=_ints(domain for domain, _ in rows.sets),
            cell=cells,
            count=np.zeros(length, dtype=np.int32),
            values=np.zeros(len(rows.sets), dtype=np.int64),
            placed=np.zeros(len(rows.sets), dtype=np.int64),
            value=value,
            size=size,
            rules=rules_of[0],
            rules_rule=rules_of[1],
            kind=_ints(rule.kind for rule in rules),
            must=_ints(rule.must for rule in rules),
            unit=_ints(rule.unit for rule in rules),
            price=_ints(r.unit * (self.repairs if r.must else self.should) for r in rules),
            most=_ints(rule.most for rule in rules),
            skew=_ints(rule.skew for rule in rules),
            least=_ints(rule.least for rule in rules),
            part=part,
            part_set=part_set,
            mask=mask,
            masks=masks,
            stood=np.zeros((len(rules), 3), dtype=np.int64),
            lone=np.full(len(rules), -1, dtype=np.int64),
            lone_flag=np.zeros(0, dtype=np.uint8),
            cast=_ints(cast),
            total=everybody,
            fresh=everybody.copy(),
            scratch=np.zeros(max(widest, len(masks), 1), dtype=np.int32),
        )

    def _masks(self) -> tuple[Ints, NDArray[np.uint8]]:
        """Where the parts of each rule begin among all parts, and which hosts are in each."""
        rules = self.rows.rules
        begin, _ = spans(range(0 if r.parts is None else len(r.parts)) for r in rules)
        inside = np.zeros((int(begin[-1]), len(self.problem.hosts) + 1), dtype=np.uint8)
        for j, rule in enumerate(rules):
            if rule.parts is not None:
                inside[begin[j] : begin[j + 1], :-1] = rule.parts
        return begin, inside

    def softness(self, stood: Ints) -> NDArray[np.uint8]:
        """0 for guests without groups, 1 where rules only forbid, 2 where they cost too.

        A must-rule costs where it was broken by some amount at the start, *stood*.
        """
        rules = self.rows.rules
        costly = [not rule.must or bool(stood[j, 2]) for j, rule in enumerate(rules)]
        of_set = [2 if any(costly[j] for j in found) else 1 for found in self.rules_of]
        softness = (max((of_set[s] for s in sets), default=0) for sets in self.of)
        soft = np.fromiter(softness, dtype=np.uint8, count=len(self.of))
        if any(rule.kind is Kind.SECLUDE for rule in rules):
            soft[:] = 2
        return soft

    def alone(self, stood: Ints) -> tuple[Ints, NDArray[np.uint8]]:
        """Who of each near rule was alone at the start, for those that were broken then."""
        begin = np.full(len(self.rows.rules), -1, dtype=np.int64)
        flags: list[bool] = []
        for j, rule in enumerate(self.rows.rules):
            if rule.kind is Kind.NEAR and stood[j, 2]:
                begin[j] = len(flags)
                flags += self._alone(rule)
        return begin, np.array(flags, dtype=np.uint8)

    def _alone(self, rule: GroupRule) -> list[bool]:
        domain, members = self.rows.sets[rule.sets[0]]
        start = self.problem.start
        value, size = self.sets.value[domain], int(self.sets.size[domain])
        to = (start[m] for m in self.rows.sets[rule.sets[1]][1])
        company = {int(value[h]) for h in to if h >= 0} - {size}
        return [(h := start[m]) >= 0 and int(value[h]) not in company for m in members]


def _ints(values: Iterable[int]) -> Ints:
    return np.array([int(v) for v in values], dtype=np.int64)
