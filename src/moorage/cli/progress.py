# SPDX-License-Identifier: Apache-2.0
"""A bar on stderr while a search runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from moorage.cli import output

if TYPE_CHECKING:
    from moorage.problem.limits import Progress, Watcher


@contextmanager
def solving_bar() -> Iterator[Watcher]:
    """Show a bar, and return what moves it."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[values]}", style="dim"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=output.console(stderr=True), transient=True) as bars:
        row = bars.add_task("looking", total=1.0, values="")

        def watch(progress: Progress) -> None:
            shown = " ".join(str(value) for value in progress.values)
            bars.update(row, description=progress.phase, completed=progress.done, values=shown)

        yield watch
