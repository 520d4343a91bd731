# SPDX-License-Identifier: Apache-2.0
"""`moorage check`: a fleet as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument
from moorage.cli.exit_codes import ExitCode
from moorage.cli.findings import tell_collisions, tell_conflicts, tell_violations
from moorage.cli.marks import marks

if TYPE_CHECKING:
    from moorage.model import Violation
    from moorage.verifying import CheckAnswer


@click.command
@source_argument
@json_option
@click.option("--strict", is_flag=True, help="Exit 9 if a must-rule is broken now.")
def command(source: str, source_format: str | None, as_json: bool, strict: bool) -> int:
    """Validate a fleet and its rules, and name what is broken now.

    Rules that contradict each other exit 4; a fleet that can't be read exits 65.
    """
    fleet = open_fleet(source, source_format)
    from moorage.verifying import check

    answer = check(fleet)
    if as_json:
        output.emit_json(answer.to_dict())
    else:
        _tell(answer)
    if answer.is_contradictory:
        return ExitCode.CONFLICT
    if strict and answer.violations:
        return ExitCode.VERIFICATION_FAILED
    return ExitCode.DONE


def _tell(answer: CheckAnswer) -> None:
    from moorage.verifying.answers import warnings_of

    fleet, out = answer.fleet, output.console()
    name = f"{fleet.name}: " if fleet.name else ""
    counts = (("host", fleet.hosts), ("guest", fleet.guests), ("rule", fleet.rules))
    parts = (f"{len(each)} {what}{'' if len(each) == 1 else 's'}" for what, each in counts)
    out.print(f"{name}{', '.join(parts)}, version {fleet.version}")
    for warning in warnings_of(fleet):
        output.warn(warning)
    if answer.conflicts:
        out.print("\nRules that can't all hold:" if answer.is_contradictory else "\nOdd rules:")
        tell_conflicts(out, answer.conflicts)
    if answer.violations:
        out.print("\nBroken now:")
        tell_violations(out, fleet, _as_now(answer))
    if answer.collisions:
        out.print("\nNot as it should be:")
        tell_collisions(out, answer.collisions)
    if not (answer.conflicts or answer.violations):
        out.print(f"{marks().good} every must-rule holds", style="green")


def _as_now(answer: CheckAnswer) -> list[Violation]:
    """What is broken now needs no word about what was before."""
    return [replace(v, pre_existing=False) for v in answer.violations]
