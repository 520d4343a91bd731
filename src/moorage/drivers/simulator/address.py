# SPDX-License-Identifier: Apache-2.0
"""Addresses of simulated fleets: `sim:cluster?seed=7&at=3600`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

from moorage.model.errors import BadInput

SCHEME = "sim:"
DEFAULT_SEED = 1
OPTIONS = ("seed", "at")


@dataclass(frozen=True, slots=True)
class Address:
    """A generated fleet: its name, the seed of all chance, and the second to look at it."""

    name: str
    seed: int = DEFAULT_SEED
    at_s: int = 0

    def __str__(self) -> str:
        options = [f"seed={self.seed}"] if self.seed != DEFAULT_SEED else []
        options += [f"at={self.at_s}"] if self.at_s else []
        return f"{SCHEME}{self.name}" + (f"?{'&'.join(options)}" if options else "")


def read_address(text: str) -> Address:
    """Read an address; unknown options and numbers that aren't any are refused."""
    name, _, query = text.removeprefix(SCHEME).partition("?")
    options = _options(text, query)
    seed, at_s = (_number(text, options, key) for key in OPTIONS)
    return Address(name, DEFAULT_SEED if seed is None else seed, at_s or 0)


def _options(text: str, query: str) -> dict[str, str]:
    pairs = parse_qsl(query, keep_blank_values=True)
    options = dict(pairs)
    unknown = [key for key in options if key not in OPTIONS]
    if unknown:
        raise BadInput(
            f"unknown option {unknown[0]!r}", place=text, hint=f"options: {', '.join(OPTIONS)}"
        )
    if len(options) < len(pairs):
        raise BadInput("an option is given twice", place=text)
    return options


def _number(text: str, options: dict[str, str], key: str) -> int | None:
    value = options.get(key)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 12):
        hint = "for instance sim:cluster?seed=7&at=3600"
        raise BadInput(f"{key} has to be a whole number, not {value!r}", place=text, hint=hint)
    return int(value)
