# SPDX-License-Identifier: Apache-2.0
"""`python -m moorage.solving.local` compiles the local search once, for all later starts."""

from __future__ import annotations

from moorage.solving.local.compiling import compile_kernel

if __name__ == "__main__":
    compile_kernel()
