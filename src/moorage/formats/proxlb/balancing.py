# SPDX-License-Identifier: Apache-2.0
"""The section `balancing`, and what the file expects of the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from moorage.formats.cursor import Cursor, floored
from moorage.formats.proxlb import words
from moorage.formats.remarks import Remarks
from moorage.model.fleet import GoalChoice
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.topology import MoveLimits

METHODS: Final = (
    *("memory", "cpu", "disk", "memory_psi", "cpu_psi", "io_psi"),
    *("memory_smart", "cpu_smart", "io_smart", "global_smart"),
)
MODES: Final = ("used", "assigned", "psi")


@dataclass(frozen=True, slots=True)
class Balancing:
    """What the section says: options of the goal, and what belongs to hosts and moves."""

    goal: GoalChoice
    overcommit_permille: int
    limits: MoveLimits


def _percent(cursor: Cursor) -> int | float:
    cursor.number(words.MOST_PERCENT)
    value: int | float = cursor.value
    return value


def _weight(cursor: Cursor) -> int:
    return cursor.whole(words.MOST_WEIGHT)


OPTIONS: Final[dict[str, Callable[[Cursor], Any]]] = {
    "method": Cursor.name,
    "mode": Cursor.name,
    "balanciness": lambda cursor: cursor.whole(5, least=1),
    "memory_threshold": _percent,
    "cpu_threshold": _percent,
    "disk_threshold": _percent,
    "w_balance": _weight,
    "w_stickiness": _weight,
    "w_cpu_usage": _weight,
    "w_mem_usage": _weight,
    "w_io_usage": _weight,
    "w_cpu_psi": _weight,
    "w_mem_psi": _weight,
    "w_io_psi": _weight,
    "w_global_mem": _weight,
    "w_global_cpu": _weight,
    "w_global_io": _weight,
}
"""Of the goal: kept as the file has them, so that defaults stay where the goal is."""

ELSEWHERE: Final = ("cpu_overcommit", "max_parallel_migrations", "max_node_inflow")


def read_balancing(top: Cursor, remarks: Remarks) -> Balancing:
    """Read the section; without one every default holds."""
    section = top.optional("balancing")
    if section is None:
        limits = MoveLimits(into_host=words.DEFAULT_INFLOW)
        return Balancing(GoalChoice(words.GOAL), words.DEFAULT_OVERCOMMIT_PERMILLE, limits)
    section.only({*OPTIONS, *ELSEWHERE}, remarks)
    found = {key: section.optional(key) for key in OPTIONS}
    options = {key: OPTIONS[key](cursor) for key, cursor in found.items() if cursor is not None}
    _remark_on_unknown_words(section, options, remarks)
    goal = GoalChoice(words.GOAL, FrozenMap(options))
    return Balancing(goal, _overcommit(section), _limits(section, remarks))


def _remark_on_unknown_words(section: Cursor, options: dict[str, Any], remarks: Remarks) -> None:
    method, mode = options.get("method", METHODS[0]), options.get("mode", MODES[0])
    if method not in METHODS:
        text = f"unknown method {method!r}: the original then balances disk"
        remarks.add("unknown methods", section.at("method").place, text)
    if mode not in MODES:
        text = f"unknown mode {mode!r} is read as {MODES[0]!r}"
        remarks.add("unknown modes", section.at("mode").place, text)


def _overcommit(section: Cursor) -> int:
    cursor = section.optional("cpu_overcommit")
    if cursor is None:
        return words.DEFAULT_OVERCOMMIT_PERMILLE
    return floored(cursor.number(words.MOST_OVERCOMMIT), words.MILLI)


def _limits(section: Cursor, remarks: Remarks) -> MoveLimits:
    """Nothing and null are no limit for moves at once; zero is none into a node."""
    at_once, inflow = section.optional("max_parallel_migrations"), section.optional(ELSEWHERE[2])
    parallel = None if at_once is None else at_once.whole(words.MOST_MOVES)
    into = words.DEFAULT_INFLOW if inflow is None else inflow.whole(words.MOST_MOVES)
    if at_once is not None and parallel == 0:
        text = "max_parallel_migrations is 0, which is read as no limit"
        remarks.add("limits of zero", at_once.place, text)
    return MoveLimits(at_once=parallel or None, into_host=into or None)


EXPECTATIONS: Final[dict[str, Callable[[Cursor], Any]]] = {
    "feasible": Cursor.flag,
    "constraints_satisfied": Cursor.flag,
    "spread_improved": Cursor.flag,
    "max_migrations": lambda cursor: cursor.whole(words.MOST_MOVES),
    "placements": lambda cursor: FrozenMap({g: at.name() for g, at in cursor.entries()}),
    "node_empty": Cursor.name,
    "path_feasible": Cursor.flag,
}


def read_expectations(top: Cursor, remarks: Remarks) -> FrozenMap[str, Any]:
    """Read what the file expects: nothing here acts on it, but it is written back."""
    section = top.optional(words.EXPECT)
    if section is None:
        return EMPTY
    section.only(EXPECTATIONS, remarks)
    found = {key: section.optional(key) for key in EXPECTATIONS}
    return FrozenMap({k: EXPECTATIONS[k](at) for k, at in found.items() if at is not None})
