# SPDX-License-Identifier: Apache-2.0
"""`moorage solve`: the best target, without the way to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument
from moorage.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from moorage.decide import Decision, Request
    from moorage.model.target import Status
    from moorage.problem.limits import Watcher

Command = TypeVar("Command", bound=Callable[..., Any])


def solving_options(command: Command) -> Command:
    """Give *command* the options that say what to look for, and for how long."""
    for option in reversed(
        (
            click.option("--goal", help="What to optimise; else the fleet's own, or balance."),
            click.option(
                "--option",
                "options",
                multiple=True,
                metavar="KEY=VALUE",
                help="An option of the goal; VALUE is YAML.",
            ),
            click.option(
                "--time",
                "time_s",
                type=float,
                help="Seconds by the wall clock; without --effort also that many units of work.",
            ),
            click.option(
                "--effort",
                type=float,
                help="Units of deterministic work, about a second each; 1 without --time.",
            ),
            click.option("--seed", type=int, default=1, show_default=True, help="Of all chance."),
            click.option(
                "--workers",
                type=int,
                default=1,
                show_default=True,
                help="Threads; with several, another run may give another answer.",
            ),
            click.option("--max-moves", type=int, help="How many guests may move at most."),
        )
    ):
        command = option(command)
    return command


@click.command
@source_argument
@solving_options
@click.option("--solution", type=click.Path(dir_okay=False), help="Write a GMRP assignment here.")
@json_option
@click.option("--timings", is_flag=True, help="Add the seconds of each stage to the JSON.")
def command(
    source: str,
    source_format: str | None,
    solution: str | None,
    as_json: bool,
    timings: bool,
    **asked: Any,
) -> int:
    """Find the best target for the fleet in SOURCE: where each guest should be.

    A target that breaks a must-rule because it has to exits 3, or 4 if the rules contradict each
    other; the rest of it is the best that can be done all the same. One that breaks a must-rule
    without a proof that it has to, as --max-moves may leave it, exits 6.
    """
    began = time.monotonic()
    fleet = open_fleet(source, source_format)
    from moorage.decide import solve

    with progress(asked["time_s"], asked["effort"]) as watch:
        decision = solve(fleet, request_of(began, watch, asked))
    if solution is not None:
        _write_solution(decision, solution)
    if as_json:
        output.emit_json(decision.to_dict(timings=timings))
    else:
        from moorage.cli.targets import tell_decision

        tell_decision(decision)
    return exit_code_of(decision)


def request_of(began: float, watch: Watcher | None, asked: dict[str, Any]) -> Request:
    """Return what the options of a command ask for."""
    from moorage.decide import Request

    options = _options(asked.pop("options"))
    return Request(began=began, watch=watch, options=options, **asked)


def _options(given: tuple[str, ...]) -> dict[str, Any]:
    """Return {key: value} of options of a goal; values are YAML."""
    found: dict[str, Any] = {}
    for entry in given:
        key, equals, value = entry.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{entry!r} is not KEY=VALUE", param_hint="--option")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    """Return what *text* stands for in YAML; JSON is YAML, too."""
    from moorage.formats.tree import parse
    from moorage.model.errors import BadInput

    try:
        # Below a key, because a text that begins with a brace would be held for JSON alone.
        found = parse(f"value: {text}", name="--option").value
    except BadInput as error:
        raise click.BadParameter(f"{text!r}: {error.message}", param_hint="--option") from None
    if set(found) != {"value"}:
        raise click.BadParameter(f"{text!r} is more than one value", param_hint="--option")
    return found["value"]


def exit_code_of(decision: Decision) -> int:
    """Return what the command exits with after *decision*."""
    if decision.is_refused:
        return ExitCode.VERIFICATION_FAILED
    return _codes().get(decision.target.status, ExitCode.DONE)


def _codes() -> dict[Status, ExitCode]:
    from moorage.model.target import Status

    return {
        Status.INFEASIBLE: ExitCode.INFEASIBLE,
        Status.CONFLICT: ExitCode.CONFLICT,
        Status.UNKNOWN: ExitCode.PARTLY,
    }


def _write_solution(decision: Decision, path: str) -> None:
    from moorage.formats.gmrp.writer import write_solution

    output.save(path, write_solution(decision.fleet, decision.target.placements).encode("utf-8"))


def progress(time_s: float | None, effort: float | None) -> AbstractContextManager[Any]:
    """Return a bar on stderr where somebody looks and it takes long enough to look."""
    import sys

    wait = time_s or effort or 1.0
    if not sys.stderr.isatty() or wait < 2:
        return nullcontext(None)
    from moorage.cli.progress import solving_bar

    return solving_bar()
