# SPDX-License-Identifier: Apache-2.0
"""Moorage decides where virtual machines run.

What is exported here is loaded when it is first used (PEP 562), so that `import moorage`
costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from moorage._version import __version__

if TYPE_CHECKING:
    from moorage.library import plan, route, solve
    from moorage.model import Fleet
    from moorage.sources import open_source as read
    from moorage.verifying import verify

__all__ = ["Fleet", "__version__", "plan", "read", "route", "solve", "verify"]

_HOMES = {
    "Fleet": ("moorage.model", "Fleet"),
    "plan": ("moorage.library", "plan"),
    "read": ("moorage.sources", "open_source"),
    "route": ("moorage.library", "route"),
    "solve": ("moorage.library", "solve"),
    "verify": ("moorage.verifying", "verify"),
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'moorage' has no attribute {name!r}")
    value: object = getattr(import_module(home[0]), home[1])
    globals()[name] = value  # from now on Python finds it without asking here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
