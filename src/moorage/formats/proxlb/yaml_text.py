# SPDX-License-Identifier: Apache-2.0
"""YAML that every reader of version 1.1 and of 1.2 understands alike."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

WIDTH: Final = 90
INDENT: Final = "  "
NEWLINE: Final = "\n"

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS: Final = frozenset(
    {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"}
)
_UNSAFE: Final = re.compile(
    r'[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|["\\\u2028\u2029]'
)
# One paragraph of words with single blanks between them: folding it changes nothing.
_WORD: Final = r"[\x21-\x7e\xa1-\u1fff\u2010-\u2027\u2030-\u2fff\u3001-\ud7ff]+"
_PROSE: Final = re.compile(f"{_WORD}(?: {_WORD})*\\n?")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def quoted(text: str) -> str:
    """Return *text* plain where no reader takes it for anything else, else in quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def scalar(value: Any) -> str:
    """Return one value: numbers without exponents, which version 1.1 takes for text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        return _fixed(Decimal(repr(value)) if isinstance(value, float) else value)
    return quoted(str(value))


def _fixed(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _flow(value: Any) -> str:
    """Return *value* on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if _is_list(value):
        return "[" + ", ".join(_flow(each) for each in value) + "]"
    return scalar(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def block(mapping: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the lines of *mapping*; below its own keys, what fits stands on one line."""
    for key, value in mapping.items():
        yield from _entry(f"{INDENT * depth}{quoted(key)}:", value, depth)


def _entry(head: str, value: Any, depth: int) -> Iterator[str]:
    line = f"{head} {_flow(value)}"
    short = len(line) <= WIDTH
    if not value or (short and depth > 0 and not _holds_mappings(value)):
        yield line
    elif isinstance(value, Mapping):
        yield head
        yield from block(value, depth + 1)
    elif _is_list(value):
        yield head
        for each in value:
            yield from _listed(each, depth + 1)
    elif short or not isinstance(value, str) or not _PROSE.fullmatch(value):
        yield line
    else:
        yield f"{head} >{'' if value.endswith(NEWLINE) else '-'}"
        indent = INDENT * (depth + 1)
        yield from textwrap.wrap(
            value,
            width=WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _holds_mappings(value: Any) -> bool:
    return _is_list(value) and any(isinstance(each, Mapping) for each in value)


def _listed(value: Any, depth: int) -> Iterator[str]:
    """One entry of a list: a long mapping begins on the line of its dash."""
    dash = f"{INDENT * depth}- "
    line = dash + _flow(value)
    if len(line) <= WIDTH or not isinstance(value, Mapping):
        yield line
        return
    for number, text in enumerate(block(value, depth + 1)):
        yield dash + text[len(dash) :] if number == 0 else text
