# SPDX-License-Identifier: Apache-2.0
"""A group of commands that loads a command's module only when that command is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from click.shell_completion import CompletionItem

    from moorage.cli.commands import Entry


class LazyGroup(click.Group):
    """Lists, completes and suggests from a table; imports nothing but what is called.

    Args:
        table: the commands by name, in the order in which `--help` shows them.
        common: options that every command takes besides its own.
    """

    def __init__(
        self, *, table: Mapping[str, Entry], common: Iterable[click.Option] = (), **attributes: Any
    ) -> None:
        common = list(common)
        super().__init__(params=[*common], **attributes)
        self.table = table
        self.common = common

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the table's order."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command, once, or return nothing for an unknown name."""
        if cmd_name in self.table and cmd_name not in self.commands:
            self.commands[cmd_name] = self._load(self.table[cmd_name])
        return self.commands.get(cmd_name)

    def _load(self, entry: Entry) -> click.Command:
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        command.params += [option for option in self.common if option not in command.params]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one suggest from the whole table."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            name = error.command_name
            raise click.NoSuchCommand(name, possibilities=self.table, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, in one column over all of them."""
        width = max(map(len, self.table))
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.table.items():
            sections.setdefault(entry.section, []).append((name.ljust(width), entry.summary))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names from the table, and the group's own options."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=entry.summary)
            for name, entry in self.table.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)
