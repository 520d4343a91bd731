# SPDX-License-Identifier: Apache-2.0
"""What several commands take: a SOURCE, its format, and whether to answer in JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from moorage.model import Fleet

FORMATS = ("native", "proxlb", "btrplace", "gmrp")

Command = TypeVar("Command", bound=Callable[..., Any])


def source_argument(command: Command) -> Command:
    """Give *command* the argument SOURCE and the option --format."""
    option = click.option(
        "--format",
        "source_format",
        type=click.Choice(FORMATS),
        help="Format of SOURCE; recognised where it isn't given.",
    )
    return click.argument("source")(option(command))


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Answer in JSON; `schema` names its form."
)


def open_fleet(source: str, source_format: str | None) -> Fleet:
    """Read the fleet that SOURCE names."""
    from moorage.sources import open_source

    return open_source(source, source_format)
