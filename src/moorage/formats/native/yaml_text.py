# SPDX-License-Identifier: Apache-2.0
"""Plain values as readable YAML, fast: block style outside, one line for what fits in one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from moorage.formats.limits import fits_int64
from moorage.formats.scalars import resolve_1_1, resolve_1_2
from moorage.model.errors import Unsupported

WIDTH: Final = 100
STEP: Final = 2
_LONGEST_KEY: Final = 1_000
"""Parsers give up looking for the colon after 1,024 characters."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_(][A-Za-z0-9_./()-]*)*")
_DATE_LIKE: Final = re.compile(r"[0-9]{4}-[0-9]")
_SHORT_TRUTHS: Final = frozenset({"y", "Y", "n", "N"})
# Printable for JSON, but not for YAML, or a line break in YAML 1.1.
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def scalar(value: Any) -> str:
    """Return a single value as YAML 1.2 (and 1.1, floats aside) reads it back.

    Raises:
        Unsupported: YAML has no form for it.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, int):
        if fits_int64(value):
            return str(value)
        raise Unsupported(f"the number {value} has more than 64 bits")
    if isinstance(value, float) and isfinite(value):
        return repr(value)
    raise Unsupported(f"{value!r} can't be written")


@lru_cache(maxsize=1 << 16)
def text(value: str) -> str:
    """Return a text plain where no reader can mistake it, else in double quotes."""
    if _PLAIN.fullmatch(value) and _is_text_everywhere(value):
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unsupported(f"{value!r} is no text that can be written") from None
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _is_text_everywhere(value: str) -> bool:
    if value in _SHORT_TRUTHS or _DATE_LIKE.match(value):
        return False
    try:
        return resolve_1_2(value) is value and resolve_1_1(value) is value
    except ValueError:
        return False


def key(value: str) -> str:
    """Return a key."""
    if len(value) > _LONGEST_KEY:
        raise Unsupported(f"a name of {len(value)} characters can't be a key of YAML")
    return text(value)


def flow(value: Any) -> str:
    """Return a value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def render(document: dict[str, Any], opened: dict[str, int]) -> str:
    """Return a whole document.

    Args:
        document: plain values by section.
        opened: how many levels of each section never share a line; 1 for those not named.
    """
    lines: list[str] = []
    for name, value in document.items():
        lines += entry(f"{key(name)}:", value, 0, opened.get(name, 1))
    return "\n".join(lines) + "\n"


def entry(head: str, value: Any, indent: int, opened: int = 0, step: int = STEP) -> Iterator[str]:
    """Yield the lines of *value* behind *head*, which ends with a colon or a dash.

    Args:
        head: what stands before the value on its first line, with its indentation.
        value: anything plain.
        indent: of the key that it belongs to.
        opened: levels that don't share a line even if they would fit.
        step: how much deeper a block is indented than its key.
    """
    below = indent + step
    if not isinstance(value, dict | list) or not value:
        yield f"{head} {flow(value)}"
        return
    if opened <= 0:
        line = f"{head} {flow(value)}"
        if len(line) <= WIDTH:
            yield line
            return
    if isinstance(value, dict):
        yield head
        for name, each in value.items():
            yield from entry(f"{' ' * below}{key(name)}:", each, below, opened - 1, step)
    elif any(isinstance(each, dict | list) for each in value):
        yield head
        for each in value:
            yield from item(each, below, step)
    else:
        yield from _wrapped(head, value, below)


def item(value: Any, indent: int, step: int = STEP) -> Iterator[str]:
    """Yield an item of a list: behind its dash, a mapping begins on the same line."""
    dash = f"{' ' * indent}-"
    line = f"{dash} {flow(value)}"
    if not isinstance(value, dict) or not value:
        yield from [line] if len(line) <= WIDTH else entry(dash, value, indent, 0, step)
        return
    head = f"{dash} "
    for name, each in value.items():
        yield from entry(f"{head}{key(name)}:", each, indent + 2, 0, step)
        head = " " * (indent + 2)


def _wrapped(head: str, values: list[Any], indent: int) -> Iterator[str]:
    """Yield a list of single values over as many lines as it needs."""
    yield f"{head} ["
    line = " " * indent
    for value in values:
        word = f"{scalar(value)}, "
        if len(line) + len(word) > WIDTH and line.strip():
            yield line.rstrip()
            line = " " * indent
        line += word
    yield line.rstrip(", ") + "]"
