# SPDX-License-Identifier: Apache-2.0
"""`moorage completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell: bash, zsh or fish.

    Load it where the shell starts, for instance in ~/.bashrc:

    \b
        eval "$(moorage completion bash)"
    """  # noqa: D301 - \b is the mark by which click leaves a paragraph as it is
    program = ctx.find_root().command
    completion = get_completion_class(shell)
    assert completion is not None, "click completes the three shells of the choice"
    name = str(program.name)
    click.echo(completion(program, {}, name, f"_{name.upper()}_COMPLETE").source())
