# SPDX-License-Identifier: Apache-2.0
"""Amounts as they are written: with units for people, or bare for programs. Always exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

Shown = int | float | str
Show = Callable[[int], Shown]


def thousandths(amount: int) -> Shown:
    """Show a thousandth as a decimal: 500 is 0.5."""
    return _decimal(amount, 1000)


def hundredths(amount: int) -> Shown:
    """Show a hundredth as a decimal: 1250 is 12.5."""
    return _decimal(amount, 100)


def _decimal(amount: int, parts: int) -> Shown:
    """Return a number, or text where a float would not be exact."""
    if amount % parts == 0:
        return amount // parts
    exact = Decimal(amount) / parts
    number = amount / parts
    return number if Decimal(repr(number)) == exact else format(exact, "f")


def bare(amount: int) -> Shown:
    """Show nothing but the number."""
    return amount


def _stepped(units: tuple[str, ...], step: int) -> Show:
    """Show an amount in the largest of *units* in which it is whole."""

    def show(amount: int) -> Shown:
        at = 0
        while amount and amount % step == 0 and at < len(units) - 1:
            amount, at = amount // step, at + 1
        return f"{amount} {units[at]}" if amount else 0

    return show


@dataclass(frozen=True, slots=True)
class Notation:
    """How amounts with units are shown."""

    mib: Show
    seconds: Show
    milliseconds: Show
    kib_per_s: Show
    mbps: Show

    def amount(self, unit: str) -> Show:
        """Return what shows amounts of a resource that is measured in *unit*."""
        if unit == "MiB":
            return self.mib
        return thousandths if unit == "millicores" else bare


FOR_PEOPLE: Final = Notation(
    mib=_stepped(("MiB", "GiB", "TiB", "PiB"), 1024),
    seconds=_stepped(("s",), 60),
    milliseconds=_stepped(("ms", "s"), 1000),
    kib_per_s=_stepped(("KiB/s", "MiB/s", "GiB/s"), 1024),
    mbps=_stepped(("Mb/s", "Gb/s"), 1000),
)
FOR_PROGRAMS: Final = Notation(
    mib=bare, seconds=bare, milliseconds=thousandths, kib_per_s=bare, mbps=bare
)
