# SPDX-License-Identifier: Apache-2.0
"""Lists modules over 400 lines and functions over 50, and tells the median module.

Fails when such a module doesn't say why: a line of its docstring starts with "Long because".
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_MODULE = 400
LONGEST_FUNCTION = 50
EXCUSE = "Long because"


class Module(NamedTuple):
    """A source file, read and parsed."""

    path: Path
    lines: int
    tree: ast.Module

    @property
    def is_long(self) -> bool:
        """Tell whether the file has more lines than a module should."""
        return self.lines > LONGEST_MODULE

    @property
    def says_why(self) -> bool:
        """Tell whether the docstring gives a reason for the length."""
        docstring = ast.get_docstring(self.tree) or ""
        return any(line.startswith(EXCUSE) for line in docstring.splitlines())

    def long_functions(self) -> Iterator[tuple[str, int]]:
        """Yield the place and the length of each function that fits no screen."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    yield f"{self.path}:{node.lineno} {node.name}", lines


def read_modules(root: Path) -> list[Module]:
    """Parse every module under a folder, in the order of their paths."""
    texts = [(path, path.read_text("utf-8")) for path in sorted(root.rglob("*.py"))]
    return [Module(path, len(text.splitlines()), ast.parse(text)) for path, text in texts]


def main(root: Path) -> int:
    """Print what is long; return 1 if a long module gives no reason."""
    modules = read_modules(root)
    print(f"{len(modules)} modules, median {median(m.lines for m in modules):g} lines")
    for place, lines in (found for module in modules for found in module.long_functions()):
        print(f"{place}: a function of {lines} lines (over {LONGEST_FUNCTION})")
    silent = False
    for module in filter(lambda m: m.is_long, modules):
        verdict = "says why" if module.says_why else f'must say why: "{EXCUSE} …" in its docstring'
        print(f"{module.path}: {module.lines} lines (over {LONGEST_MODULE}), {verdict}")
        silent = silent or not module.says_why
    return int(silent)


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:]) if sys.argv[1:] else Path("src")))
