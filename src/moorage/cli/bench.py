# SPDX-License-Identifier: Apache-2.0
"""`moorage bench`: named workloads, measured against peers and bounds."""

from __future__ import annotations

import math
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moorage.cli import output
from moorage.cli.arguments import json_option
from moorage.cli.exit_codes import ExitCode
from moorage.cli.marks import marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.table import Table

SCHEMA = "moorage/bench/v1"
MARKER = "benchmarks/suite.py"
PAGE = "docs/benchmarks.md"
DEFAULT_PEER_MEMORY_MIB = 8 * 1024


@click.command
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@click.option("--list", "only_list", is_flag=True, help="List benchmarks instead of running them.")
@click.option("--write", is_flag=True, help=f"Write the results to {PAGE}.")
@click.option(
    "--cases",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="MOORAGE_BENCH_CASES",
    help="Folder of instances that aren't part of the repository; rows without theirs are skipped.",
)
@click.option(
    "--peer-time",
    type=click.FloatRange(min=1),
    metavar="S",
    help="Time limit of peers, in place of each benchmark's own.",
)
@click.option(
    "--peer-memory",
    type=click.IntRange(min=0),
    metavar="MIB",
    default=DEFAULT_PEER_MEMORY_MIB,
    show_default=True,
    help="Address space that a peer may take; 0 is no limit.",
)
def command(
    names: tuple[str, ...],
    as_json: bool,
    only_list: bool,
    write: bool,
    cases: Path | None,
    peer_time: float | None,
    peer_memory: int,
) -> int:
    """Measure named workloads against peers and bounds, in one run.

    NAME may be the beginning of several names, or hold * and ?. Without one all are run, which
    takes more than an hour. Peers are installed from the package index into environments of
    their own, under build/peers. Exits 9 if a threshold is missed.
    """
    root = _checkout()
    chosen = _select(names)
    if only_list:
        _list(chosen, as_json=as_json)
        return ExitCode.DONE
    session = _session(root, cases, peer_time, peer_memory)
    rows = []
    for row in _measure(chosen, session):
        rows.append(row)
        if write:  # after each, so that whoever breaks off a run of an hour keeps what there is
            _write_page(root / PAGE, rows)
    if write:
        click.echo(f"wrote {PAGE}", err=True)
    if as_json:
        output.emit_json({"schema": SCHEMA, "rows": [row_to_dict(row) for row in rows]})
    else:
        output.console().print(results_table(rows))
    missed = any(row.passed is False for row in rows)
    return ExitCode.VERIFICATION_FAILED if missed else ExitCode.DONE


def _write_page(path: Path, rows: list[Any]) -> None:
    """Write what was measured; what wasn't this time stays on the page as it was."""
    order = [benchmark.name for benchmark in _select(())]
    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    text = import_module("benchmarks.page").page(rows, earlier, order)
    path.write_text(text, encoding="utf-8")


def _checkout() -> Path:
    """Return the checkout that has the benchmarks, and make them importable.

    Raises:
        NotFound: there is none: the wheel has no benchmarks.
    """
    places = (Path(__file__).resolve().parents[3], Path.cwd())
    root = next((place for place in places if (place / MARKER).is_file()), None)
    if root is None:
        from moorage.model.errors import NotFound

        raise NotFound(
            "the benchmarks are not here: they are part of the repository, not of the package",
            hint="call it in a checkout of Moorage, or `make bench` there",
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return root


def _select(names: tuple[str, ...]) -> list[Any]:
    suite = import_module("benchmarks.suite")
    try:
        chosen: list[Any] = suite.select(names)
    except KeyError as error:
        raise click.UsageError(
            f"no benchmark is called {error.args[0]!r}; `moorage bench --list` lists them"
        ) from None
    return chosen


def _session(
    root: Path, cases: Path | None, peer_time_s: float | None, peer_memory_mib: int
) -> Any:
    peers = import_module("benchmarks.peers.calls").Peers(root / "build" / "peers", peer_memory_mib)
    return import_module("benchmarks.session").Session(cases, peers, peer_time_s)


def _measure(chosen: list[Any], session: Any) -> Iterator[Any]:
    measured = import_module("benchmarks.benchmark").measured
    for number, benchmark in enumerate(chosen, 1):
        click.echo(f"[{number}/{len(chosen)}] {benchmark.name}", err=True)
        row = measured(benchmark, session)
        for line in _lines(row):
            click.echo(f"    {line}", err=True)
        yield row


def _lines(row: Any) -> Iterator[str]:
    """What is known already: a run takes long, and whoever breaks it off keeps these."""
    if row.skipped:
        yield f"skipped: {row.skipped}"
    for figure in row.figures:
        other = f", {figure.against} {figure.theirs}" if figure.against else ""
        yield f"{_verdict(figure.passed) or ' '} {figure.what}: {figure.ours}{other}"


def _list(chosen: list[Any], *, as_json: bool) -> None:
    if as_json:
        output.emit_json({"schema": SCHEMA, "benchmarks": [_described(b) for b in chosen]})
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for title in ("benchmark", "size", "against", "workload"):
        table.add_column(title, overflow="fold")
    for benchmark in chosen:
        table.add_row(benchmark.name, benchmark.size, benchmark.peer, benchmark.workload)
    output.console().print(table)


def _described(benchmark: Any) -> dict[str, str]:
    return {key: getattr(benchmark, key) for key in ("name", "size", "peer", "workload")}


def row_to_dict(row: Any) -> dict[str, Any]:
    """Return a row as JSON has it; a ratio to nothing at all is null."""
    figures = [
        {
            "what": figure.what,
            "ours": figure.ours,
            "against": figure.against or None,
            "theirs": figure.theirs or None,
            "ratio": figure.ratio if _is_finite(figure.ratio) else None,
            "threshold": figure.threshold,
            "passed": figure.passed,
        }
        for figure in row.figures
    ]
    verdict = {"passed": row.passed, "skipped": row.skipped or None}
    return {**_described(row.benchmark), **verdict, "figures": figures}


def _is_finite(ratio: float | None) -> bool:
    return ratio is not None and math.isfinite(ratio)


def results_table(rows: Iterable[Any]) -> Table:
    """Draw the results: a line for each figure, the name on the first of its benchmark."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for title in ("benchmark", "size", "figure"):
        table.add_column(title, overflow="fold")
    for title in ("ours", "theirs", "ratio", "at most"):
        table.add_column(title, justify="right", overflow="fold")
    table.add_column("against", overflow="fold")
    table.add_column("")
    for row in rows:
        for name, size, figure in _named(row):
            table.add_row(name, size, *_cells(figure), _verdict(figure.passed))
        if row.skipped:
            skipped = f"skipped: {row.skipped}"
            table.add_row(row.benchmark.name, row.benchmark.size, skipped, *[""] * 6)
    return table


def _named(row: Any) -> Iterator[tuple[str, str, Any]]:
    for number, figure in enumerate(row.figures):
        first = (row.benchmark.name, row.benchmark.size)
        yield (*(("", "") if number else first), figure)


def _cells(figure: Any) -> tuple[str, ...]:
    shown = import_module("benchmarks.benchmark").shown
    ratio = "" if figure.ratio is None else shown(figure.ratio)
    most = "" if figure.threshold is None else shown(figure.threshold)
    return figure.what, figure.ours, figure.theirs, ratio, most, figure.against


def _verdict(passed: bool | None) -> str:
    return {True: marks().good, False: marks().bad, None: ""}[passed]
