# SPDX-License-Identifier: Apache-2.0
"""What the command line prints: data on stdout, talk on stderr.

rich is loaded only by `console`: JSON, warnings and errors do without it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import Console

# Tables keep this width in a narrow terminal: a line that wraps can still be read.
NARROWEST = 80
# A pipe has no width of its own; this one cuts no name of a real fleet.
PIPE_WIDTH = 200


def emit_json(document: Mapping[str, object]) -> None:
    """Print a document on stdout: UTF-8 whatever the locale, keys in the order given."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json_bytes(document))


def json_bytes(document: Mapping[str, object]) -> bytes:
    """Return a document as it is printed and as it is written to files."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    # A lone surrogate (from a file name that isn't UTF-8) turns into JSON's own \uXXXX.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def save(path: str | Path, data: bytes) -> None:
    """Write a file that was named on the command line.

    Raises:
        FileError: it can't be written.
    """
    from pathlib import Path

    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from None


def warn(text: str) -> None:
    """Say something on stderr that the reader should know, though the command goes on."""
    _talk("warning", "yellow", text)


def error(text: str) -> None:
    """Say on stderr why the command failed."""
    _talk("error", "red", text)


def hint(text: str) -> None:
    """Say on stderr what to try next."""
    _talk("hint", "cyan", text)


def _talk(kind: str, color: str, text: str) -> None:
    label = click.style(f"{kind}:", fg=color, bold=True)
    # click drops the colour when stderr is no terminal.
    click.echo(f"{label} {text}", err=True, color=None if wants_color() else False)


def wants_color() -> bool:
    """Tell whether colour is welcome where there is a terminal (https://no-color.org)."""
    return not os.environ.get("NO_COLOR")


def draws_unicode() -> bool:
    """Tell whether box lines and blocks can be shown, or ASCII has to do.

    Python itself turns the C locale into UTF-8 (PEP 538 sets LC_CTYPE to C.UTF-8), so the
    encoding of stdout doesn't tell what the terminal's user asked for: the variables do.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    if not encoding.lower().startswith("utf"):
        return False
    lang = os.environ.get("LANG", "")
    lc_ctype = os.environ.get("LC_CTYPE", "")
    if lc_ctype == "C.UTF-8" and lang in {"", "C", "POSIX"}:
        lc_ctype = ""
    return (os.environ.get("LC_ALL") or lc_ctype or lang) not in {"", "C", "POSIX"}


def console(*, stderr: bool = False) -> Console:
    """Make a rich console: plain where there is no terminal, ASCII in the C locale.

    Names from fleets are printed as they are: neither markup, nor emoji codes, nor highlights
    are looked for in them; use `rich.text.Text` and `style=` for colour.
    """
    from shutil import get_terminal_size

    from rich.console import Console

    class AsciiConsole(Console):
        """rich falls back to ASCII boxes and bars when it believes this encoding."""

        @property
        def encoding(self) -> str:
            return "ascii"

    stream = sys.stderr if stderr else sys.stdout
    terminal = stream.isatty()
    width = get_terminal_size().columns if terminal else PIPE_WIDTH
    return (Console if draws_unicode() else AsciiConsole)(
        file=stream,
        force_terminal=terminal,
        no_color=not (terminal and wants_color()),
        width=max(NARROWEST, width),
        markup=False,
        emoji=False,
        highlight=False,
    )
