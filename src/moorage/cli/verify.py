# SPDX-License-Identifier: Apache-2.0
"""`moorage verify`: replay a plan or a target against a fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument
from moorage.cli.exit_codes import ExitCode
from moorage.cli.findings import tell_violations
from moorage.cli.marks import marks

if TYPE_CHECKING:
    from moorage.verifying import VerifyAnswer


@click.command
@source_argument
@click.argument("document")
@json_option
def command(source: str, source_format: str | None, document: str, as_json: bool) -> int:
    """Replay DOCUMENT against the fleet in SOURCE, instant by instant.

    DOCUMENT is what `solve --json` printed, a plan, or a target: {guest: host}, in JSON or
    YAML, or - for standard input. Anything new or worse than before exits 9.
    """
    fleet = open_fleet(source, source_format)
    from moorage.formats.documents import read_mapping
    from moorage.verifying import verify_document

    answer = verify_document(fleet, read_mapping(document))
    if as_json:
        output.emit_json(answer.to_dict())
    else:
        _tell(answer)
    return ExitCode.VERIFICATION_FAILED if answer.is_refused else ExitCode.DONE


def _tell(answer: VerifyAnswer) -> None:
    out = output.console()
    for warning in answer.warnings:
        output.warn(warning)
    tell_violations(out, answer.fleet, answer.violations)
    fresh = sum(not v.pre_existing for v in answer.violations)
    if fresh:
        what = "violation" if fresh == 1 else "violations"
        out.print(f"{marks().bad} refused: {fresh} new {what}", style="red")
    else:
        out.print(f"{marks().good} verified: nothing is broken that held before", style="green")
