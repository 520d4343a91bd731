# SPDX-License-Identifier: Apache-2.0
"""Values that somebody else has read: copied, and held to the bounds of a document."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from moorage.formats.limits import MAX_DEPTH, MAX_NODES, fits_int64
from moorage.model.errors import BadInput, TooLarge

Path = tuple[str | int, ...]


def dotted(path: Path) -> str:
    """Return *path* as people write it: hosts.pve1.labels, rules[2]."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix(".")


class Copier:
    """Copies a value into plain dicts and lists, and refuses what no document holds."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes = 0

    def copy(self, value: Any, path: Path = ()) -> Any:
        """Return a copy of *value*, which stands at *path*."""
        self._nodes += 1
        if len(path) > MAX_DEPTH or self._nodes > MAX_NODES:
            raise TooLarge("is deeper or has more values than any fleet", place=self.name)
        if isinstance(value, Mapping):
            return {self._key(k, path): self.copy(v, (*path, str(k))) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.copy(each, (*path, index)) for index, each in enumerate(value)]
        return self._scalar(value, path)

    def _scalar(self, value: Any, path: Path) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value, path)
        if isinstance(value, int):
            if fits_int64(value):
                return int(value)
            raise self._refusal(path, "the number has more than 64 bits")
        if isinstance(value, float):
            if isfinite(value):
                return float(value)
            raise self._refusal(path, f"{value} is no number that can be worked with")
        raise self._refusal(path, f"{type(value).__name__} is no value of a document")

    def _key(self, key: Any, path: Path) -> str:
        if isinstance(key, str | int | float):
            return self._text(str(key), path)
        raise self._refusal(path, f"{type(key).__name__} can't be a key")

    def _text(self, text: str, path: Path) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise self._refusal(path, "half of a character (a lone surrogate)") from None
        return str(text)

    def _refusal(self, path: Path, message: str) -> BadInput:
        where = dotted(path)
        return BadInput(message, place=f"{self.name}: {where}" if where else self.name)
