# SPDX-License-Identifier: Apache-2.0
"""Readers and writers: the one door through which fleets come in and go out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from moorage.formats.detect import GMRP, NAMES, NATIVE, gmrp_paths, parse_as
from moorage.formats.detect import detect as format_of
from moorage.formats.source import read_text
from moorage.formats.tree import from_value
from moorage.model.errors import UnknownFormat, Unsupported
from moorage.model.fleet import Fleet

__all__ = ["NAMES", "Loaded", "load", "read", "write"]

Source = str | Path | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A fleet, the format that it came in, and its text where there is one.

    With the text at hand a writer keeps what it says beside the fleet: comments, order, quotes.
    """

    fleet: Fleet
    format: str
    text: str | None = None


def read(source: Source, format: str | None = None) -> Fleet:
    """Read a fleet.

    Args:
        source: a path, `-` for standard input, MODEL:ASSIGNMENT for two GMRP files, or a
            mapping as a parser of YAML or JSON gives it.
        format: one of `NAMES`; None finds out.

    Raises:
        BadInput: it can't be read as a fleet; with the place, and what to try.
        NotFound: there is no such file.
    """
    return load(source, format).fleet


def load(source: Source, format: str | None = None) -> Loaded:
    """Read a fleet like `read`, and tell its format and text too."""
    if format is not None and format not in NAMES:
        raise _unknown(format)
    if isinstance(source, Mapping):
        tree = from_value(source)
        name = format or format_of(tree)
        return Loaded(_named(_function(name, "read")(tree), tree.name), name)
    paths = gmrp_paths(source, forced=format == GMRP) if format in (None, GMRP) else None
    if paths is not None:
        return Loaded(_named(_function(GMRP, "read")(*paths), str(source)), GMRP)
    text = read_text(source)
    tree, name = parse_as(text.text, name=text.name, format=format)
    return Loaded(_named(_function(name, "read")(tree), str(source)), name, text.text)


def write(fleet: Fleet, format: str, *, base: str | None = None) -> str:
    """Return *fleet* as text.

    Args:
        fleet: what to write.
        format: one of `NAMES`.
        base: a text in the same format: what it says in other words is kept as it stands
            there. Only the native format can.

    Raises:
        Unsupported: the format has no words for something in the fleet, or can't be written.
    """
    if format not in NAMES:
        raise _unknown(format)
    if base is not None and format != NATIVE:
        raise Unsupported(f"{format} files are written anew", hint="leave out the base")
    if base is not None:
        return str(_function(format, "update")(base, fleet))
    return str(_function(format, "write")(fleet))


def _unknown(format: str) -> UnknownFormat:
    return UnknownFormat(f"there is no format {format!r}", hint=f"formats: {', '.join(NAMES)}")


def _function(format: str, verb: str) -> Callable[..., Any]:
    """Return what reads or writes *format*; its module loads when it is first needed."""
    module = import_module(f"moorage.formats.{format}")
    function: Callable[..., Any] | None = getattr(module, verb, None)
    if function is None:
        raise Unsupported(f"{format} is not written as one text", hint="write it as native")
    return function


def _named(fleet: Fleet, source: str) -> Fleet:
    return fleet.changed(source=source)
