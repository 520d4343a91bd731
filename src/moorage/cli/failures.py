# SPDX-License-Identifier: Apache-2.0
"""How each kind of error is told on stderr, and the exit code that it becomes."""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import TYPE_CHECKING

import click

from moorage.cli import output
from moorage.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from moorage.model.errors import MoorageError


def report(error: BaseException, *, traceback: bool) -> int:
    """Say what went wrong and what to try, and return the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        output.error("interrupted")
        return ExitCode.INTERRUPTED
    if isinstance(error, click.ClickException):
        return _report_usage(error)
    if isinstance(error, BrokenPipeError) and _reader_is_gone():
        _die_of_sigpipe()
    if traceback:
        _print_traceback(error)
    # Only here: a command line that succeeds need not load the model for its errors.
    from moorage.model.errors import MoorageError

    if isinstance(error, MoorageError):
        return _report_known(error)
    return _report_unexpected(error, traceback=traceback)


def _report_usage(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return ExitCode.USAGE
    near: list[str] | None = getattr(error, "possibilities", None)
    output.error(error.message if near else error.format_message())
    if near:
        output.hint("did you mean " + " or ".join(near) + "?")
    elif isinstance(error, click.UsageError) and error.ctx is not None:
        output.hint(f"see '{error.ctx.command_path} --help'")
    return ExitCode.USAGE


def _report_known(error: MoorageError) -> int:
    output.error(f"{error.place}: {error.message}" if error.place else error.message)
    if error.hint:
        output.hint(error.hint)
    return error.exit_code


def _report_unexpected(error: BaseException, *, traceback: bool) -> int:
    in_one_line = " ".join(str(error).split())
    output.error(f"unexpected {type(error).__name__}" + (in_one_line and f": {in_one_line}"))
    if not traceback:
        output.hint("run again with --debug for the traceback")
    return ExitCode.UNEXPECTED


def _print_traceback(error: BaseException) -> None:
    from traceback import print_exception

    print_exception(error, file=sys.stderr)


def _reader_is_gone() -> bool:
    """Tell a reader of our stdout who has left from any other pipe or socket that broke."""
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _die_of_sigpipe() -> None:
    """End as `cat` does when its reader leaves: without a word, and never as if done."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
