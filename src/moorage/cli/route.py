# SPDX-License-Identifier: Apache-2.0
"""`moorage route`: the way to a given target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument
from moorage.cli.exit_codes import ExitCode
from moorage.cli.findings import tell_violations

if TYPE_CHECKING:
    from moorage.decide import Way


@click.command
@source_argument
@click.argument("target")
@json_option
def command(source: str, source_format: str | None, target: str, as_json: bool) -> int:
    """Find the way from where the guests of SOURCE are to TARGET.

    TARGET is {guest: host} in JSON or YAML, or what `solve --json` printed, or - for standard
    input; guests that it doesn't name stay. The way is verified instant by instant. Where none
    leads there it exits 6, with the part that can be gone; a target that breaks a rule exits 9.
    """
    fleet = open_fleet(source, source_format)
    from moorage.decide import find_way
    from moorage.formats.documents import read_mapping

    way = find_way(fleet, read_mapping(target))
    if as_json:
        output.emit_json(way.to_dict())
    else:
        _tell(way)
    if way.is_refused:
        return ExitCode.VERIFICATION_FAILED
    return ExitCode.DONE if way.plan.feasible else ExitCode.PARTLY


def _tell(way: Way) -> None:
    from moorage.cli.ways import tell_plan

    out = output.console()
    tell_plan(out, way.plan)
    fresh = [v for v in way.violations if not v.pre_existing]
    if fresh:
        out.print("\nRefused by the verifier:")
        tell_violations(out, way.fleet, fresh)
