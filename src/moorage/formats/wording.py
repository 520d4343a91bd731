# SPDX-License-Identifier: Apache-2.0
"""How errors show names from documents, and which known name was probably meant."""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher, get_close_matches
from typing import Any, Final

_LONGEST: Final = 60
_COMPARED: Final = 1_000
_LIKE: Final = 0.6


def shown(value: Any) -> str:
    """Return *value* as errors show it, shortened to a part of a line."""
    text = repr(value[:_LONGEST] if isinstance(value, str) else value)
    cut = isinstance(value, str) and len(value) > _LONGEST
    if len(text) > _LONGEST + 2:
        text, cut = text[: _LONGEST + 2], True
    return text + " …" if cut else text


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the one of *known* that looks most like *name*, if any does."""
    if len(name) > _LONGEST:
        return None
    lowered = {each.lower(): each for each in known}
    if name.lower() in lowered:
        return lowered[name.lower()]
    candidates = [k for k in known if abs(len(k) - len(name)) <= len(name) // 2 + 1]
    if len(candidates) > _COMPARED:
        return _by_prefix(name, candidates)
    found = get_close_matches(name, candidates, n=1, cutoff=_LIKE)
    return found[0] if found else None


def _by_prefix(name: str, candidates: list[str]) -> str | None:
    """Among very many, only those that begin alike are compared."""
    alike = [k for k in candidates if k[:3] == name[:3]][:_COMPARED]
    ratio, best = max(
        ((SequenceMatcher(None, name, k).quick_ratio(), k) for k in alike), default=(0.0, None)
    )
    return best if ratio >= _LIKE else None


def did_you_mean(name: str, known: Collection[str]) -> str | None:
    """Return a hint that names the nearest of *known*, or a few of them."""
    near = nearest(name, known)
    if near is not None:
        return f"did you mean {near}?"
    few = sorted(known)[:8]
    if not few:
        return None
    return f"known are {', '.join(few)}{' …' if len(known) > len(few) else ''}"
