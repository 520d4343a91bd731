# SPDX-License-Identifier: Apache-2.0
"""How violations, conflicts and collisions are told to people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from moorage.cli.marks import marks

if TYPE_CHECKING:
    from rich.console import Console

    from moorage.model import Breach, Fleet, Rule, Violation
    from moorage.rules.conflicts import Conflict

SHOWN = 20


def rules_by_label(fleet: Fleet) -> dict[str, Rule]:
    """Return {label: rule} of all rules that bind *fleet*."""
    from moorage.rules.registry import rules_of

    return {rule.label: rule for rule in rules_of(fleet)}


def tell_violations(out: Console, fleet: Fleet, violations: Iterable[Violation]) -> None:
    """Print one line for each violation, and one with what would resolve it."""
    known = rules_by_label(fleet)
    rows = list(violations)
    for violation in rows[:SHOWN]:
        breach = violation.breach
        when = "" if violation.at_s is None else f"t={violation.at_s}s  "
        old = "  (stood at the start, no worse)" if violation.pre_existing else ""
        tell(out, marks().bad, "red", f"{when}{breach.rule}: {breach.text}{old}", breach.code)
        rule = known.get(breach.rule)
        if rule is not None and rule.remedy:
            out.print(f"    {marks().then} {rule.remedy_for(breach)}", style="dim")
    _tell_rest(out, len(rows))


def tell_conflicts(out: Console, conflicts: Iterable[Conflict]) -> None:
    """Print one line for each conflict with the names of the rules."""
    rows = list(conflicts)
    for conflict in rows[:SHOWN]:
        mark, style = (marks().bad, "red") if conflict.fatal else (marks().odd, "yellow")
        tell(out, mark, style, conflict.text, conflict.code)
        if conflict.rules:
            out.print(f"    rules: {', '.join(conflict.rules)}", style="dim")
    _tell_rest(out, len(rows))


def tell_collisions(out: Console, collisions: Iterable[tuple[Rule, Breach]]) -> None:
    """Print one line for each place where a should-rule doesn't hold."""
    rows = list(collisions)
    for _rule, breach in rows[:SHOWN]:
        tell(out, marks().odd, "yellow", f"{breach.rule}: {breach.text}", breach.code)
    _tell_rest(out, len(rows))


def tell(out: Console, mark: str, style: str, text: str, code: str) -> None:
    """Print *text* behind a mark, its code after it."""
    from rich.text import Text

    out.print(Text.assemble((f"{mark} ", style), text, (f"  [{code}]", "dim")))


def _tell_rest(out: Console, count: int) -> None:
    if count > SHOWN:
        out.print(f"  and {count - SHOWN} more; --json lists all", style="dim")
