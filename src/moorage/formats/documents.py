# SPDX-License-Identifier: Apache-2.0
"""Documents that aren't fleets: plans, targets, requests; as plain values."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - types resolve at run time
from typing import Any

from moorage.formats.source import read_text
from moorage.formats.tree import parse
from moorage.model.errors import BadInput


def read_mapping(source: str | Path) -> dict[str, Any]:
    """Read a mapping from a JSON or YAML file, or from standard input for a dash.

    Raises:
        BadInput: it can't be read, or is no mapping.
        NotFound: there is no such file.
    """
    text = read_text(source)
    tree = parse(text.text, name=text.name)
    if not isinstance(tree.value, dict):
        hint = "a plan document, its plan, or a target: {guest: host}"
        raise BadInput("this is not a mapping", place=tree.place(), hint=hint)
    return tree.value
