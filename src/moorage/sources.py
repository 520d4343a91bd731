# SPDX-License-Identifier: Apache-2.0
"""From the name of a source to the fleet that it holds: a file, a live system, a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from moorage.model.errors import BadInput, Unsupported
from moorage.model.fleet import Fleet

Source: TypeAlias = str | Path | Mapping[str, Any]

SIMULATION = "sim:"
LIVE = ("proxmox://", "openstack://")


def is_url(source: object) -> bool:
    """Whether *source* names a driver, and not a file."""
    return isinstance(source, str) and source.startswith((SIMULATION, *LIVE))


def open_source(source: Source, format: str | None = None) -> Fleet:
    """Return the fleet that *source* names, as it is now.

    Args:
        source: a path, `-` for standard input, a mapping that was read already, or the URL of a
            driver: `sim:cluster`, `sim:cluster?seed=7&at=3600`.
        format: of a file; recognised where it isn't given.
    """
    if isinstance(source, str) and source.startswith(SIMULATION):
        return _simulated(source, format)
    if isinstance(source, str) and source.startswith(LIVE):
        scheme = source.partition(":")[0]
        raise Unsupported(
            f"this version reads no live systems yet, so no {scheme} source",
            place=_without_password(source),
            hint="write the fleet to a file, or try a simulated one: sim:cluster",
        )
    from moorage import formats  # a simulation needs none of the readers

    return formats.read(source, format=format)


def _simulated(source: str, format: str | None) -> Fleet:
    if format is not None:
        raise BadInput(f"a simulated fleet has no format, so not {format!r} either", place=source)
    from moorage.drivers.simulator import open_simulator

    return open_simulator(source).snapshot()


def _without_password(url: str) -> str:
    """Return *url* as it may be shown: without what stands before an @."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
