# SPDX-License-Identifier: Apache-2.0
"""`moorage convert`: a fleet in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moorage.cli import output
from moorage.cli.arguments import source_argument

if TYPE_CHECKING:
    from moorage.formats import Loaded
    from moorage.model import Fleet


@click.command
@source_argument
@click.option(
    "--to",
    "wanted",
    type=click.Choice(["native", "proxlb", "gmrp"]),
    required=True,
    help="Format to write.",
)
@click.option("-o", "--output", "target", default="-", help="File to write; - is stdout.")
@click.option("--json", "as_json", is_flag=True, help="Write the native format as JSON.")
@click.option("--lossy", is_flag=True, help="Leave out what proxlb has no words for.")
def command(
    source: str, source_format: str | None, wanted: str, target: str, as_json: bool, lossy: bool
) -> None:
    """Write the fleet in SOURCE in another format.

    A native file stays as it is, comments and all. For gmrp, -o takes MODEL:ASSIGNMENT and
    writes both files.
    """
    if as_json and wanted != "native":
        raise click.UsageError("--json is for --to native")
    loaded = _load(source, source_format)
    for warning in loaded.fleet.warnings:
        output.warn(warning)
    texts = _texts(loaded, wanted, as_json=as_json, lossy=lossy)
    for path, text in zip(_targets(target, len(texts)), texts, strict=True):
        if path is None:
            click.echo(text, nl=False)
        else:
            output.save(path, text.encode("utf-8"))


def _load(source: str, source_format: str | None) -> Loaded:
    from moorage import formats, sources

    if sources.is_url(source):
        return formats.Loaded(sources.open_source(source, source_format), "")
    return formats.load(source, source_format)


def _texts(loaded: Loaded, wanted: str, *, as_json: bool, lossy: bool) -> list[str]:
    """The files to write: one, or for GMRP the model and the assignment."""
    fleet = loaded.fleet
    if wanted == "proxlb":
        from moorage.formats import proxlb

        return [proxlb.write(fleet, lossy=lossy)]
    if wanted == "gmrp":
        return _gmrp(fleet)
    from moorage.formats import native

    if loaded.format == wanted and loaded.text is not None and not as_json:
        return [native.update(loaded.text, fleet)]
    return [native.write(fleet, json=as_json)]


def _gmrp(fleet: Fleet) -> list[str]:
    from moorage.formats import gmrp

    assignment = gmrp.write_solution(fleet, fleet.placement)
    return [gmrp.write_model(fleet), assignment.rstrip("\n") + "\n"]


def _targets(target: str, count: int) -> list[Path | None]:
    if target == "-":
        return [None] * count
    paths = target.split(":") if count > 1 else [target]
    if len(paths) != count:
        raise click.BadParameter(f"give {count} files, joined by a colon", param_hint="'-o'")
    return [Path(path) for path in paths]
