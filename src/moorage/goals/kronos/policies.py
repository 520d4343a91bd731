# SPDX-License-Identifier: Apache-2.0
"""Policies: what each measures, and which of them count now."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from moorage.goals.measures import (
    PRESSURES,
    Measure,
    measure,
    of_hosts,
    open_hosts,
    taken_of,
    times,
)
from moorage.goals.options import MILLION, Options
from moorage.model.errors import BadInput
from moorage.model.resources import CPU, MEMORY
from moorage.problem.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

OPTIONS: Final = ("policies",)
POLICY: Final = (
    *("name", "measure", "mode", "weight", "threshold", "capacity_threshold"),
    *("max_migrations_per_cycle", "enabled"),
)
SPREAD: Final = "spread"
PACK: Final = "pack"
THRESHOLD: Final = 150_000
CAPACITY: Final = 800_000
MIGRATIONS: Final = 3
MOST_MIGRATIONS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Policy:
    """One measure whose spread over the hosts counts. Shares are in millionths.

    Attributes:
        measure: a resource, or cpu_pressure, memory_pressure, io_pressure.
        weight: what its imbalance weighs among the others.
        threshold: imbalance up to which all is well.
        capacity_threshold: how full a host may become in pack mode.
        migrations: moves per cycle.
    """

    name: str
    measure: str
    mode: str = SPREAD
    weight: int = MILLION
    threshold: int = THRESHOLD
    capacity_threshold: int = CAPACITY
    migrations: int = MIGRATIONS


USUAL: Final = (Policy(CPU, CPU, weight=MILLION // 2), Policy(MEMORY, MEMORY, weight=MILLION // 2))


@dataclass(frozen=True, eq=False)
class Policies:
    """The policies that count now, with what they measure.

    Attributes:
        active: those whose values all lie between 0 and 1.
        skipped: names of the others: they are left out until their values make sense.
        scope: the hosts that count: those open to newcomers.
        amounts: [guest, policy].
        base: what a host has beside its guests, [host, policy].
        cap: [host, policy], positive.
    """

    active: tuple[Policy, ...]
    skipped: tuple[str, ...]
    scope: Flags
    amounts: Ints
    base: Ints
    cap: Ints

    @property
    def packs(self) -> bool:
        """Whether guests are to be put together rather than spread."""
        return bool(self.active) and self.active[0].mode == PACK

    @property
    def budget(self) -> int:
        """How many moves a cycle may make: the largest that any policy allows."""
        return max((policy.migrations for policy in self.active), default=0)

    @cached_property
    def weights(self) -> Ints:
        """The weight of each policy."""
        return np.array([policy.weight for policy in self.active], dtype=np.int64)

    @cached_property
    def thresholds(self) -> Ints:
        """The threshold of each policy."""
        return np.array([policy.threshold for policy in self.active], dtype=np.int64)

    def scores(self, loads: Ints) -> Ints:
        """How full each host is, in millionths."""
        return np.asarray(MILLION * loads // self.cap)

    def imbalance(self, loads: Ints) -> Ints:
        """The spread of each policy over the hosts that count; none with fewer than two."""
        scores = self.scores(loads)[self.scope]
        if len(scores) < 2:
            return np.zeros(len(self.active), dtype=np.int64)
        return np.asarray(scores.max(axis=0) - scores.min(axis=0))

    def loads(self, placement: NDArray[np.int32]) -> Ints:
        """What each host has under *placement*."""
        found = self.base.copy()
        placed = placement >= 0
        np.add.at(found, placement[placed], self.amounts[placed])
        return found

    def ceiling(self, column: int) -> Ints:
        """The largest load of each host that is still below the capacity threshold."""
        cap = self.cap[:, column]
        return np.asarray((times(cap, self.active[column].capacity_threshold) - 1) // MILLION)


def read(options: Options) -> tuple[Policy, ...]:
    """Read the enabled policies; without any, CPU and memory weigh the same.

    Raises:
        BadInput: two have a name, modes are mixed, or weights don't add up to one.
    """
    if "policies" not in options:
        return USUAL
    found: list[Policy] = []
    names: set[str] = set()
    for row in options.rows("policies", POLICY):
        policy = _policy(row)
        if policy.name in names:
            row.fail("name", f"two policies are called {policy.name}")
        names.add(policy.name)
        if row.flag("enabled", usual=True):
            found.append(policy)
    if len({policy.mode for policy in found}) > 1:
        options.fail("policies", "policies spread and pack at once", "choose one mode for all")
    total = sum(policy.weight for policy in found)
    if abs(total - MILLION) > len(found):
        options.fail(
            "policies",
            f"the weights of enabled policies are {total / MILLION} together",
            "make them add up to 1",
        )
    return tuple(found)


def _policy(row: Options) -> Policy:
    name = row.word("name", "")
    if not name:
        row.fail("name", "a policy has no name")
    return Policy(
        name=name,
        measure=row.word("measure", name),
        mode=row.word("mode", SPREAD, (SPREAD, PACK)),
        weight=row.millionths("weight", MILLION),
        threshold=row.millionths("threshold", THRESHOLD),
        capacity_threshold=row.millionths("capacity_threshold", CAPACITY),
        migrations=row.whole("max_migrations_per_cycle", MIGRATIONS, most=MOST_MIGRATIONS),
    )


def measured(problem: Problem, policies: tuple[Policy, ...]) -> Policies:
    """Measure each policy; one with a value out of bounds now is skipped, not bent.

    Raises:
        BadInput: a policy measures something that the fleet doesn't have.
    """
    for policy in policies:
        _refuse_unknown(problem, policy)
    scope = open_hosts(problem)
    found = [(policy, _measure(problem, policy)) for policy in policies]
    good = [(policy, each) for policy, each in found if _makes_sense(problem, each, scope)]
    active = tuple(policy for policy, _ in good)
    kept = [each for _, each in good]
    return Policies(
        active=active,
        skipped=tuple(policy.name for policy in policies if policy not in active),
        scope=scope,
        amounts=_columns([each.amounts for each in kept], len(problem.guests)),
        base=_columns([each.base for each in kept], len(problem.hosts)),
        cap=_columns([np.maximum(1, each.room) for each in kept], len(problem.hosts)),
    )


def _refuse_unknown(problem: Problem, policy: Policy) -> None:
    """Refuse what is nothing of this fleet: nobody has any of it, so that all would look well."""
    known = sorted({CPU, MEMORY, *problem.fleet.resources, *PRESSURES})
    if policy.measure not in known:
        near = get_close_matches(policy.measure, known, 1)
        meant = f"Did you mean {near[0]}? " if near else ""
        raise BadInput(
            f"the policy {policy.name} measures {policy.measure!r}, which this fleet doesn't have",
            place="goal.options.policies",
            hint=f"{meant}What can be measured: {', '.join(known)}",
        )


def _columns(found: list[Ints], rows: int) -> Ints:
    for column in found:
        times(int(column.sum()), MILLION)  # shares are counted in millionths
    return np.stack(found, axis=1) if found else np.zeros((rows, 0), dtype=np.int64)


def _measure(problem: Problem, policy: Policy) -> Measure:
    """Return what it measures: of pressure, hosts have what they say of themselves at least."""
    name = policy.measure
    found = measure(problem, name) if name not in PRESSURES else _stalls(problem, name)
    return taken_of(problem, name) if found is None else found


def _stalls(problem: Problem, name: str) -> Measure:
    found, part = measure(problem, name), PRESSURES[name]
    assert found is not None
    own = of_hosts(problem, lambda host: part(host.pressure))
    base = np.maximum(0, own - _loads(problem, found))
    return Measure(found.amounts, base, found.room)


def _loads(problem: Problem, found: Measure) -> Ints:
    loads = found.base.copy()
    placed = problem.start >= 0
    np.add.at(loads, problem.start[placed], found.amounts[placed])
    return loads


def _makes_sense(problem: Problem, found: Measure, scope: Flags) -> bool:
    loads = _loads(problem, found)[scope]
    return bool(((loads >= 0) & (loads <= found.room[scope])).all())
