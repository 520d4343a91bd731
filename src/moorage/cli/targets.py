# SPDX-License-Identifier: Apache-2.0
"""A target for people: what moves, why, what it gains, and how far it is from the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moorage.cli import output
from moorage.cli.findings import tell, tell_violations
from moorage.cli.marks import marks
from moorage.model.resources import format_amount
from moorage.model.target import Status

if TYPE_CHECKING:
    from rich.console import Console

    from moorage.decide import Decision
    from moorage.model.target import Move, Target, TierValue

SHOWN_MOVES = 30
SHOWN_REASONS = 12
STYLES = {
    Status.OPTIMAL: "green",
    Status.FEASIBLE: "green",
    Status.UNKNOWN: "yellow",
    Status.INFEASIBLE: "red",
    Status.CONFLICT: "red",
}


def tell_decision(decision: Decision) -> None:
    """Print the whole answer of a solve."""
    out, target = output.console(), decision.target
    for warning in decision.warnings:
        output.warn(warning)
    _tell_moves(out, target)
    if decision.plan is not None and target.moves:
        from moorage.cli.ways import tell_plan

        out.print("\nThe way:")
        tell_plan(out, decision.plan)
    _tell_contradiction(out, target)
    fresh = [v for v in decision.violations if not v.pre_existing]
    if fresh:
        out.print("\nRefused by the verifier:")
        tell_violations(out, decision.fleet, fresh)
    out.print()
    _tell_worth(out, decision)


def _tell_moves(out: Console, target: Target) -> None:
    if not target.moves:
        out.print(f"{marks().good} nothing to move", style="green")
        return
    count = len(target.moves)
    out.print(f"{count} move{'s' if count > 1 else ''}:")
    for move in target.moves[:SHOWN_MOVES]:
        _tell_move(out, move)
    if count > SHOWN_MOVES:
        out.print(f"  and {count - SHOWN_MOVES} more; --json lists all", style="dim")


def _tell_move(out: Console, move: Move) -> None:
    from rich.text import Text

    path = f"{move.source or 'nowhere'} {marks().then} {move.target}"
    size = format_amount(move.memory_mib, "MiB")
    if move.disk_mib:
        size += f" + {format_amount(move.disk_mib, 'MiB')} disk"
    out.print(
        Text.assemble(
            f"  {move.guest}  ", (path, "bold"), f"  {size}  {move.duration_s} s  {move.gain:+.2f}"
        )
    )
    out.print(f"      {move.reason}", style="dim")


def _tell_contradiction(out: Console, target: Target) -> None:
    if target.contradiction is not None:
        out.print("\nCan't all hold:")
        for statement in target.contradiction.statements[:SHOWN_REASONS]:
            text = f"{statement.about} {statement.name}: {statement.text}"
            tell(out, marks().bad, "red", text, statement.code)
    for stuck in target.stuck[:SHOWN_REASONS]:
        tell(out, marks().odd, "yellow", stuck.text, stuck.code)
    if len(target.stuck) > SHOWN_REASONS:
        out.print(f"  and {len(target.stuck) - SHOWN_REASONS} more guests", style="dim")


def _tell_worth(out: Console, decision: Decision) -> None:
    target = decision.target
    proof = f", proved by {target.proved_by}" if target.proved_by else ""
    out.print(f"{target.status}{proof}", style=STYLES[target.status])
    out.print(f"score {target.score_before:.2f} {marks().then} {target.score_after:.2f}")
    for tier in target.tiers:
        out.print(f"{tier.name} {tier.value}{_bound(tier)}", style="dim")


def _bound(tier: TierValue) -> str:
    if tier.is_proved:
        return " (proved)"
    gap = tier.gap
    return "" if gap is None else f" (bound {tier.bound}, gap {100 * gap:.2f} %)"
