# SPDX-License-Identifier: Apache-2.0
"""Moves while they run: a live bar for each on a terminal, plain lines anywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from moorage.cli.marks import marks
from moorage.drivers.base import Progress, TaskState

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from moorage.model import Action

PLAIN_EVERY_PERCENT = 25


class Shown(Protocol):
    """Where the progress of moves is shown."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None: ...

    def add(self, task: str, action: Action) -> None:
        """Show one more move."""
        ...

    def update(self, task: str, progress: Progress, at_s: int) -> None:
        """Show how far a move is at second *at_s* of the platform."""
        ...


def shown_moves(out: Console) -> Shown:
    """Return what suits *out*: bars that move, or lines."""
    return LiveMoves(out) if out.is_terminal else PlainMoves(out)


class LiveMoves:
    """A bar for each move, redrawn in place."""

    def __init__(self, out: Console) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        self._bars: Bars = Bars(
            TextColumn("  {task.description}"),
            BarColumn(bar_width=None, complete_style="cyan", finished_style="green"),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[figures]}", style="dim"),
            console=out,
            expand=True,
        )
        self._arrow = marks().then  # asked now: while bars run, stdout is not the terminal's
        self._rows: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def add(self, task: str, action: Action) -> None:
        """Show one more move."""
        label = f"{action.guest} {self._arrow} {action.target}"
        self._rows[task] = self._bars.add_task(label, total=100, figures="")

    def update(self, task: str, progress: Progress, at_s: int) -> None:
        """Redraw the bar of a move."""
        del at_s
        self._bars.update(
            self._rows[task], completed=progress.percent, figures=_figures(progress), refresh=True
        )


class PlainMoves:
    """A line at each quarter of a move."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._names: dict[str, str] = {}
        self._next: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        pass

    def add(self, task: str, action: Action) -> None:
        """Say that a move has begun."""
        self._names[task], self._next[task] = action.guest, PLAIN_EVERY_PERCENT
        self._out.print(f"  {action.guest} {marks().then} {action.target}")

    def update(self, task: str, progress: Progress, at_s: int) -> None:
        """Print a line, if the move has come to its next quarter or to its end."""
        if progress.percent < self._next[task] and not progress.state.is_final:
            return
        self._next[task] = progress.percent - progress.percent % PLAIN_EVERY_PERCENT
        self._next[task] += PLAIN_EVERY_PERCENT
        text = f"  t={at_s}s  {self._names[task]}  {progress.percent:>3}%  {_figures(progress)}"
        self._out.print(text.rstrip())


def _figures(progress: Progress) -> str:
    sent = f"{progress.transferred_mib / 1024:.1f} GiB"
    if progress.state is TaskState.DONE:
        return f"{sent} sent"
    if progress.state.is_final:
        return f"{progress.state.value}: {progress.text}"
    left = "stands still" if progress.remaining_s is None else f"{progress.remaining_s} s left"
    return f"{sent} sent, {left}"
