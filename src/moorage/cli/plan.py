# SPDX-License-Identifier: Apache-2.0
"""`moorage plan`: the best target, and a way there that breaks nothing at any instant."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument
from moorage.cli.exit_codes import ExitCode
from moorage.cli.solve import exit_code_of, progress, request_of, solving_options

if TYPE_CHECKING:
    from moorage.decide import Decision


@click.command
@source_argument
@solving_options
@click.option("--out", type=click.Path(dir_okay=False), help="Write the plan document here.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 if there are moves.")
@json_option
@click.option("--timings", is_flag=True, help="Add the seconds of each stage to the JSON.")
def command(
    source: str,
    source_format: str | None,
    out: str | None,
    detailed_exitcode: bool,
    as_json: bool,
    timings: bool,
    **asked: Any,
) -> int:
    """Plan for the fleet in SOURCE: where each guest should be, and how it gets there.

    The plan is replayed instant by instant before it is shown: a guest that moves holds room on
    both hosts, and no rule is broken on the way. A target that can't be reached exits 6, with the
    part of the way that can be gone.
    """
    began = time.monotonic()
    fleet = open_fleet(source, source_format)
    from moorage.decide import plan

    with progress(asked["time_s"], asked["effort"]) as watch:
        decision = plan(fleet, request_of(began, watch, asked))
    if out is not None:
        output.save(out, output.json_bytes(decision.to_dict(timings=timings)))
    if as_json:
        output.emit_json(decision.to_dict(timings=timings))
    else:
        from moorage.cli.targets import tell_decision

        tell_decision(decision)
    return _exit_code(decision, detailed=detailed_exitcode)


def _exit_code(decision: Decision, *, detailed: bool) -> int:
    found = exit_code_of(decision)
    if found == ExitCode.DONE and decision.plan is not None and not decision.plan.feasible:
        return ExitCode.PARTLY
    if found == ExitCode.DONE and detailed and decision.target.moves:
        return ExitCode.MOVES
    return found
