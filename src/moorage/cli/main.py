# SPDX-License-Identifier: Apache-2.0
"""The entry: everything the command line does starts and ends here.

This module and what it imports at the top load only click and the standard library, so that
`--help`, `--version` and a TAB answer at once.
"""

from __future__ import annotations

import os
import sys

import click

from moorage._version import __version__
from moorage.cli.commands import COMMANDS
from moorage.cli.exit_codes import ExitCode
from moorage.cli.lazy import LazyGroup

PROGRAM = "moorage"
COMPLETION_VARIABLE = "_MOORAGE_COMPLETE"


def _help_width() -> int:
    """As wide as the terminal, within reason; `shutil` would add 2 ms to each start."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (OSError, ValueError):
        columns = 80
    return max(50, min(columns, 100) - 2)


class Wishes:
    """What was asked for on the way to a command, whichever command it is."""

    traceback = False


def _wish_traceback(ctx: click.Context, _option: click.Parameter, wished: bool) -> None:
    wishes = ctx.find_object(Wishes)
    if wished and wishes is not None:
        wishes.traceback = True


cli = LazyGroup(
    name=PROGRAM,
    help="Moorage decides where virtual machines run, and says why.",
    epilog=f"'{PROGRAM} COMMAND --help' tells more of a command.",
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": _help_width()},
    table=COMMANDS,
    common=[
        click.Option(
            ["--debug"],
            is_flag=True,
            envvar="MOORAGE_DEBUG",
            show_envvar=True,
            expose_value=False,
            is_eager=True,
            callback=_wish_traceback,
            help="Show the traceback of an error.",
        )
    ],
)
click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")(cli)


def _invoke(arguments: list[str], wishes: Wishes) -> int:
    try:
        with cli.make_context(PROGRAM, arguments, obj=wishes) as context:
            returned = cli.invoke(context)
        code = returned if isinstance(returned, int) else ExitCode.DONE
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    sys.stdout.flush()  # here, so that a reader who has gone is noticed while we can say so
    return code


def run(arguments: list[str]) -> int:
    """Run one command line and return what to exit with.

    A command returns nothing when done, or an `ExitCode`, or raises: this is the one place
    where errors turn into exit codes.
    """
    wishes = Wishes()
    try:
        return _invoke(arguments, wishes)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last stop
        from moorage.cli import failures  # a command line that goes well does without

        return failures.report(error, traceback=wishes.traceback)


def main() -> None:
    """Run the command line of this process, or answer a shell that asks for completions."""
    instruction = os.environ.get(COMPLETION_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(cli, {}, PROGRAM, COMPLETION_VARIABLE, instruction))
    sys.exit(run(sys.argv[1:]))
