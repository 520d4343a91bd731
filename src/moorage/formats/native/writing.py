# SPDX-License-Identifier: Apache-2.0
"""From a fleet to native text: canonical, so that equal fleets in the same order are equal text."""

from __future__ import annotations

import json
from typing import Any, Final

from moorage.formats.native.encoding import encode
from moorage.formats.native.notation import FOR_PEOPLE, FOR_PROGRAMS
from moorage.formats.native.yaml_text import render
from moorage.model.errors import Unsupported
from moorage.model.fleet import Fleet

OPENED: Final = {"hosts": 2}
"""A host has its keys on lines of their own; a guest fits in one."""


def write(fleet: Fleet, *, json: bool = False) -> str:
    """Return *fleet* as native YAML, or as JSON with bare numbers.

    Raises:
        Unsupported: the fleet holds what no document can say.
    """
    if json:
        return _json_text(encode(fleet, FOR_PROGRAMS))
    return render(encode(fleet, FOR_PEOPLE), OPENED)


def _json_text(document: dict[str, Any]) -> str:
    """Return JSON with one line for each entry of a section."""
    sections = [f"  {json.dumps(name)}: {_section(value)}" for name, value in document.items()]
    text = "{\n" + ",\n".join(sections) + "\n}\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unsupported("the fleet has a text that can't be written") from None
    return text


def _section(value: Any) -> str:
    if isinstance(value, dict):
        entries = [f"    {_dumped(k)}: {_dumped(v)}" for k, v in value.items()]
        return "{\n" + ",\n".join(entries) + "\n  }"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"    {_dumped(each)}" for each in value) + "\n  ]"
    return _dumped(value)


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise Unsupported(f"a number can't be written: {error}") from None
