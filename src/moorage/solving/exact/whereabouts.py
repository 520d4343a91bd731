# SPDX-License-Identifier: Apache-2.0
"""Where guests end, as variables.

A single guest has a flag for each host; guests of one kind have two numbers for each host, of
those that leave it and of those that come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from moorage.model.compiled import Term
from moorage.problem.problem import NOWHERE, Problem
from moorage.solving.exact.kinds import Kind
from moorage.solving.exact.sheet import Sheet, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int32]
    Flags = NDArray[np.bool_]


@dataclass(slots=True)
class Whereabouts:
    """Where the guests of one kind end.

    How many end on a host is what *settled* says, plus those that *comes*, less those that
    *leaves*. A single guest that may stay *comes* onto its own host too.

    Attributes:
        kind: which guests.
        settled: how many start on each open host, for more than one guest; or the one host
            where a single guest can only be.
        comes: {host: variable}.
        leaves: {host: variable}; empty for a single guest.
        nowhere: how many end on no host: a number or a variable.
        homeless: how many start on a host that isn't open, and so have to move.
        home: the open host where a single guest starts, or NOWHERE.
    """

    kind: Kind
    settled: dict[int, int] = field(default_factory=dict)
    comes: dict[int, Any] = field(default_factory=dict)
    leaves: dict[int, Any] = field(default_factory=dict)
    nowhere: Term = 0
    homeless: int = 0
    home: int = NOWHERE

    def hosts(self) -> Iterator[int]:
        """The open hosts where one of them can end."""
        yield from {**self.settled, **self.comes}

    def is_single(self) -> bool:
        """Whether it is about one guest."""
        return self.kind.is_single

    def stays(self, host: int) -> tuple[list[tuple[Any, int]], int]:
        """How many of those that start on *host* stay: variables with factors, and a constant."""
        if self.is_single():
            if host != self.home:
                return [], 0
            if host in self.settled:
                return [], 1
            return ([(self.comes[host], 1)], 0) if host in self.comes else ([], 0)
        if host not in self.settled:
            return [], 0
        leaving = self.leaves.get(host)
        return ([] if leaving is None else [(leaving, -1)]), self.settled[host]

    def moved(self) -> tuple[list[tuple[Any, int]], int]:
        """How many of them end on another host than they start on."""
        if self.is_single():
            if self.home == NOWHERE:
                return [], self.homeless
            pairs, staying = self.stays(self.home)
            return [(variable, -factor) for variable, factor in pairs], 1 - staying
        return [(variable, 1) for variable in self.leaves.values()], self.homeless


def single(sheet: Sheet, problem: Problem, kind: Kind, opened: Flags) -> Whereabouts:
    """Post one guest: it is on one of the hosts where it may be."""
    guest = kind.example
    start = int(problem.start[guest])
    bars = problem.restrictions
    hosts = bars.open[bars.row_of[guest]] & opened
    found = Whereabouts(kind)
    if start != NOWHERE:
        found.homeless = int(not opened[start])
        if opened[start]:
            hosts[start] = True
            found.home = start
    places = hosts.nonzero()[0].tolist()
    if len(places) + (start == NOWHERE) == 1:
        found.settled = dict.fromkeys(places, 1)
        found.nowhere = int(start == NOWHERE)
        return found
    found.comes = {host: sheet.variable(0, 1) for host in places}
    literals = list(found.comes.values())
    if start == NOWHERE:
        found.nowhere = sheet.variable(0, 1)
        literals.append(found.nowhere)
    sheet.model.add_exactly_one(literals)
    return found


def counted(sheet: Sheet, problem: Problem, kind: Kind, opened: Flags) -> Whereabouts:
    """Post guests of one kind: as many come onto hosts as leave others."""
    bars, size = problem.restrictions, len(kind.members)
    starts = Counter(problem.start[list(kind.members)].tolist())
    waiting = starts.pop(NOWHERE, 0)
    found = Whereabouts(kind)
    found.settled = {h: n for h, n in sorted(starts.items()) if opened[h]}
    found.homeless = size - waiting - sum(found.settled.values())
    row = bars.open[bars.row_of[kind.example]] & opened
    for host in row.nonzero()[0].tolist():
        most = size - found.settled.get(host, 0)
        if most:
            found.comes[host] = sheet.variable(0, most)
    if not found.comes:
        found.nowhere = waiting
        return found
    found.leaves = {h: sheet.variable(0, n) for h, n in found.settled.items()}
    coming, leaving = list(found.comes.values()), list(found.leaves.values())
    if waiting:
        found.nowhere = sheet.variable(0, waiting)
        coming.append(found.nowhere)
    factors = [1] * len(coming) + [-1] * len(leaving)
    supply = found.homeless + waiting
    sheet.model.add(sheet.sum_of([*coming, *leaving], factors) == supply)
    return found


def hint_values(problem: Problem, placed: Sequence[Whereabouts], placement: Indices) -> Values:
    """What the variables are under *placement*, as far as it says something about them.

    A guest can be where its bars would not let it go (an old breach that only changed its place):
    the variables of its kind are left out.
    """
    values: Values = {}
    for spots in placed:
        if not _is_within(problem, spots, placement):
            continue
        if spots.is_single():
            host = int(placement[spots.kind.example])
            values.update((v.index, int(h == host)) for h, v in spots.comes.items())
            unplaced = int(host == NOWHERE)
        else:
            unplaced = _count_moves(problem, spots, placement, values)
        if not isinstance(spots.nowhere, int):
            values[spots.nowhere.index] = unplaced
    return values


def _is_within(problem: Problem, spots: Whereabouts, placement: Indices) -> bool:
    """Whether all of a kind are where the model lets them be."""
    may_be_nowhere = not isinstance(spots.nowhere, int) or spots.nowhere > 0
    for guest in spots.kind.members:
        host = int(placement[guest])
        if host == NOWHERE:
            if not may_be_nowhere:
                return False
        elif host not in spots.comes and (
            host not in spots.settled or (not spots.is_single() and host != problem.start[guest])
        ):
            return False
    return True


def _count_moves(problem: Problem, spots: Whereabouts, placement: Indices, values: Values) -> int:
    members = list(spots.kind.members)
    starts, ends = problem.start[members], placement[members]
    moved = starts != ends
    coming, leaving = Counter(ends[moved].tolist()), Counter(starts[moved].tolist())
    for host, variable in spots.comes.items():
        values[variable.index] = coming[host]
    for host, variable in spots.leaves.items():
        values[variable.index] = leaving[host]
    return int((ends == NOWHERE).sum())


def read_back(
    problem: Problem, placed: Sequence[Whereabouts], values: Sequence[int], placement: Indices
) -> None:
    """Write the hosts that *values* say into *placement*."""
    for spots in placed:
        if spots.is_single():
            _read_single(spots, values, placement)
        else:
            _read_counted(problem, spots, values, placement)


def _read_single(spots: Whereabouts, values: Sequence[int], placement: Indices) -> None:
    placement[spots.kind.example] = NOWHERE
    for host in spots.settled:
        placement[spots.kind.example] = host
    for host, variable in spots.comes.items():
        if values[variable.index]:
            placement[spots.kind.example] = host


def _read_counted(
    problem: Problem, spots: Whereabouts, values: Sequence[int], placement: Indices
) -> None:
    """Of guests that are the same the first ones move, to the first hosts."""
    leaving = {h: values[v.index] for h, v in spots.leaves.items()}
    coming = {h: values[v.index] for h, v in spots.comes.items()}
    for host in leaving.keys() & coming.keys():
        both = min(leaving[host], coming[host])
        leaving[host] -= both
        coming[host] -= both
    arrivals = iter([host for host, count in coming.items() for _ in range(count)])
    for guest in spots.kind.members:
        start = int(problem.start[guest])
        if start in spots.settled:
            if not leaving.get(start):
                placement[guest] = start
                continue
            leaving[start] -= 1
        placement[guest] = next(arrivals, NOWHERE)
