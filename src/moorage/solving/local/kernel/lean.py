# SPDX-License-Identifier: Apache-2.0
"""Compiling the kernel in less than half the time.

numba optimises each function by itself and makes machine code of it, then copies it into whatever
calls it and does all of that again, at every level. Of functions that only others call nobody ever
uses the first of these codes. Here they are left as they are until an entry takes them in.

numba offers no such switch. Where it is built otherwise than expected here, nothing is changed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from numba.core import codegen, event

_INNER: set[int] = set()
_AT_WORK = threading.local()


class _AtWork(event.Listener):  # type: ignore[misc]  # numba has no types of its own
    """Knows which function is being compiled, innermost last."""

    def on_start(self, event: Any) -> None:
        _stack().append(id(event.data.get("dispatcher")))

    def on_end(self, _event: Any) -> None:
        if _stack():  # empty for what another thread began before the kernel was loaded
            _stack().pop()


def _stack() -> list[int]:
    if not hasattr(_AT_WORK, "stack"):
        _AT_WORK.stack = []
    found: list[int] = _AT_WORK.stack
    return found


def leave_to_callers(dispatcher: Any) -> None:
    """Make no code of a function that is called by compiled functions only."""
    _INNER.add(id(dispatcher))


def _is_inner() -> bool:
    stack = _stack()
    return bool(stack) and stack[-1] in _INNER


def _install() -> None:
    library: Any = codegen.CPUCodeLibrary
    expected = (
        (library, "_optimize_final_module"),
        (library, "_finalize_final_module"),
        (library, "_finalize_dynamic_globals"),
        (codegen.JITCPUCodegen, "set_env"),
    )
    if not all(hasattr(holder, name) for holder, name in expected):
        return
    event.register("numba:compile", _AtWork())
    _unless_inner(library, "_optimize_final_module", lambda _self: None)
    _unless_inner(library, "_finalize_final_module", _close)
    _unless_inner(codegen.JITCPUCodegen, "set_env", lambda *_: None)


def _unless_inner(holder: Any, name: str, instead: Callable[..., None]) -> None:
    """Let a method do something else for functions that only others call."""
    usual = getattr(holder, name)

    def chosen(self: Any, *arguments: Any) -> None:
        (instead if _is_inner() else usual)(self, *arguments)

    setattr(holder, name, chosen)


def _close(library: Any) -> None:
    """Say that the code of *library* may be copied now."""
    library._finalize_dynamic_globals()  # noqa: SLF001
    library._finalized = True  # noqa: SLF001


_install()
