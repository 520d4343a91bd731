# SPDX-License-Identifier: Apache-2.0
"""Which format a document is in, by the keys at its top."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from moorage.formats.json_text import looks_like_json
from moorage.formats.tree import YAML_1_1, YAML_1_2, Tree, parse
from moorage.model.errors import UnknownFormat

NATIVE: Final = "native"
PROXLB: Final = "proxlb"
BTRPLACE: Final = "btrplace"
GMRP: Final = "gmrp"
NAMES: Final = (NATIVE, PROXLB, BTRPLACE, GMRP)

# In this order: `hosts` is ours, whatever else stands beside it.
_TELLING_KEYS: Final = (
    (NATIVE, frozenset({"hosts", "guests"})),
    (PROXLB, frozenset({"nodes", "vms"})),
    (BTRPLACE, frozenset({"model", "mapping"})),
    (NATIVE, frozenset({"schema"})),
)
_TOP_KEY: Final = re.compile(r"""^(["']?)([A-Za-z_]+)\1[ ]*:(?:[ ]|$)""", re.MULTILINE)
_SHOWN_KEYS: Final = 6


def by_keys(keys: Collection[str]) -> str | None:
    """Return the format of a document with these *keys* at its top, if one has them."""
    present = set(keys)
    return next((name for name, telling in _TELLING_KEYS if telling & present), None)


def parse_as(text: str, *, name: str, format: str | None) -> tuple[Tree, str]:
    """Parse *text* in *format*, or in the one that it seems to be in.

    Returns:
        The tree and the format; the version of YAML follows the format.

    Raises:
        UnknownFormat: no reader would know what to do with it.
    """
    chosen = format or _guess(text)
    tree = parse(text, name=name, yaml_version=YAML_1_1 if chosen == PROXLB else YAML_1_2)
    return tree, format or detect(tree)


def _guess(text: str) -> str | None:
    """Guess from the lines that look like top-level keys: enough to pick a version of YAML."""
    if looks_like_json(text):
        return None
    return by_keys({match[2] for match in _TOP_KEY.finditer(text)})


def detect(tree: Tree) -> str:
    """Return the format of a parsed document.

    Raises:
        UnknownFormat: none has its keys.
    """
    found = by_keys(tree.value) if isinstance(tree.value, dict) else None
    if found is None:
        raise UnknownFormat(_seen(tree.value), place=tree.place(), hint=_choices(tree))
    return found


def _seen(value: Any) -> str:
    if value is None:
        return "the document is empty"
    if not isinstance(value, dict):
        return f"a fleet is a mapping, and this is a {type(value).__name__}"
    keys = [repr(key) for key in list(value)[:_SHOWN_KEYS]]
    rest = " …" if len(value) > _SHOWN_KEYS else ""
    return f"no known format has these keys: {', '.join(keys)}{rest}"


def _choices(tree: Tree) -> str:
    if re.fullmatch(r"[\d\s]+", (tree.text or "x")[:1000]):
        return "a GMRP source is MODEL:ASSIGNMENT, two paths and a colon"
    return f"formats are {', '.join(NAMES)}; a native one has hosts and guests"


def gmrp_paths(source: str | Path, *, forced: bool) -> tuple[Path, Path] | None:
    """Split MODEL:ASSIGNMENT at the colon at which both files exist.

    With *forced* it is split at the first colon if they don't, so that the missing one is named.
    """
    text = str(source)
    splits = [(text[:at], text[at + 1 :]) for at, char in enumerate(text) if char == ":"]
    for model, assignment in splits:
        if Path(model).is_file() and Path(assignment).is_file():
            return Path(model), Path(assignment)
    if not forced:
        return None
    if not splits:
        raise UnknownFormat(
            f"{text} names one file",
            hint="a GMRP source is MODEL:ASSIGNMENT, two paths and a colon",
        )
    model, assignment = splits[0]
    return Path(model), Path(assignment)
