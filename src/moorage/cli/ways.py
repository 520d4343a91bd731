# SPDX-License-Identifier: Apache-2.0
"""A plan for people: what moves when, what waits for what, and how long it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moorage.cli.findings import tell
from moorage.cli.marks import marks
from moorage.model.plan import ActionKind
from moorage.model.reasons import sentence

if TYPE_CHECKING:
    from rich.console import Console

    from moorage.model.plan import Plan, Step

SHOWN_STEPS = 40
NOTES = {
    ActionKind.PLACE: "starts there",
    ActionKind.PARK: "parks on the way",
    ActionKind.RETURN: "goes on from where it was parked",
    ActionKind.CO_MOVE: "along with it",
}


def tell_plan(out: Console, plan: Plan) -> None:
    """Print each step with its time, then the whole."""
    for step in plan.steps[:SHOWN_STEPS]:
        _tell_step(out, step)
    if len(plan.steps) > SHOWN_STEPS:
        out.print(
            f"  and {len(plan.steps) - SHOWN_STEPS} more steps; --json lists all", style="dim"
        )
    for guest, code in plan.unreachable:
        tell(out, marks().odd, "yellow", f"{guest} stays: {sentence(code)}", code)
    if plan.steps:
        longer = plan.makespan_s - plan.makespan_bound_s
        proved = " (proved)" if longer <= 0 else f" (at least {plan.makespan_bound_s} s)"
        steps = "1 step" if len(plan.steps) == 1 else f"{len(plan.steps)} steps"
        out.print(f"{steps}, {plan.makespan_s} s{proved}", style="dim")
    elif plan.feasible:
        out.print(f"{marks().good} nothing to move", style="green")


def _tell_step(out: Console, step: Step) -> None:
    from rich.text import Text

    after = f"  after {', '.join(map(str, step.depends_on))}" if step.depends_on else ""
    for number, action in enumerate(step.actions):
        head = f"{step.index:>4}  {step.start_s:>5}-{step.end_s} s  " if not number else " " * 6
        path = f"{action.source or 'nowhere'} {marks().then} {action.target}"
        note = f"  {NOTES[action.kind]}" if action.kind in NOTES else ""
        tail = (f"{note}{'' if number else after}", "dim")
        out.print(Text.assemble(head, f"{action.guest}  ", (path, "bold"), tail))
