# SPDX-License-Identifier: Apache-2.0
"""How the kernel of the local search is compiled."""

from __future__ import annotations

from numba.core import codegen

from moorage.solving.local.kernel import entries, jit, lean


def test_numba_is_built_as_the_shortcut_expects() -> None:
    """A numba without the places where compiling is cut short would take three times as long."""
    for holder, name in (
        (codegen.CPUCodeLibrary, "_optimize_final_module"),
        (codegen.CPUCodeLibrary, "_finalize_final_module"),
        (codegen.JITCPUCodegen, "set_env"),
    ):
        assert getattr(holder, name).__module__ == lean.__name__


def test_other_code_is_compiled_as_ever() -> None:
    """Functions that aren't of the kernel have code of their own, and do what they say."""

    @jit.entry
    def twice(number: int) -> int:
        return number * 2

    assert twice(21) == 42
    assert entries.WALK != entries.HEAL
