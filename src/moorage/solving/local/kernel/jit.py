# SPDX-License-Identifier: Apache-2.0
"""How the kernel is compiled, and kept on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.extending import intrinsic

from moorage.solving.local.kernel.lean import leave_to_callers

Function = TypeVar("Function", bound=Callable[..., Any])

FLAGS = {
    "forceinline": False,
    "nogil": True,
    "_nrt": False,
    "boundscheck": False,
    "error_model": "numpy",
}


def _fingerprint() -> tuple[str, int]:
    """What the compiled code depends on: all files of the kernel, not the function's own alone."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in (*sorted(here.glob("*.py")), here.parent / "layout.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest(), 0


FINGERPRINT = _fingerprint()


def entry(function: Function) -> Function:
    """Compile *function* when it is first called, and keep the code for the next time.

    Where neither the package's folder nor the user's cache can be written, it is not kept.
    """
    try:
        found = numba.njit(cache=True, no_cfunc_wrapper=True, **FLAGS)(function)
    except RuntimeError:
        found = numba.njit(no_cfunc_wrapper=True, **FLAGS)(function)
    index = getattr(getattr(found, "_cache", None), "_cache_file", None)
    if index is not None:
        index._source_stamp = FINGERPRINT  # noqa: SLF001  # numba looks at one file only
    return cast("Function", found)


def compiled(function: Function) -> Function:
    """Compile *function* for other compiled ones only: what Python needs to call it is left out."""
    wrapped = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **FLAGS)(function)
    leave_to_callers(wrapped)
    return cast("Function", wrapped)


def inlined(function: Function) -> Function:
    """Compile *function* into whatever calls it."""
    flags = {**FLAGS, "forceinline": True}
    wrapped = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)(function)
    leave_to_callers(wrapped)
    return cast("Function", wrapped)


@intrinsic  # type: ignore[untyped-decorator]
def apart(_context: Any) -> Any:
    """Keep LLVM from copying the calling function into others: compiling would take minutes."""

    def lower(context: Any, builder: Any, _signature: Any, _values: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), lower
