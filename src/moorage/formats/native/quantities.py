# SPDX-License-Identifier: Apache-2.0
"""Amounts as people write them, read exactly: 8 GiB, 0.5 cores, 12.5 percent, 10 Gb/s.

What would have to be rounded is refused, with what it comes to; only measured values are
rounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from moorage.formats.limits import MAX_INT
from moorage.formats.wording import shown

_QUANTITY: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?) ?([A-Za-z%/]*)")
_EXACT_BELOW: Final = 1e9
"""Up to here a float has digits to spare, so that dividing back tells if it was exact."""
_MOST: Final = "is more than 64 bits hold"


class BadAmount(ValueError):
    """An amount that can't be taken as it is written; with what to write instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Unit:
    """One kind of amount: what a bare number means, and the units it may be written in.

    Args:
        one: name of the unit that amounts are held in.
        bare: how many of it a bare number stands for; None where a unit is required.
        factors: how many of it each written unit is.
        traps: units that people mean differently, with what to write.
        rounds: round to whole ones, for what was measured.
    """

    def __init__(
        self,
        one: str,
        bare: int,
        factors: Mapping[str, int | Fraction],
        *,
        traps: Mapping[str, str] | None = None,
        rounds: bool = False,
    ) -> None:
        self.one = one
        self.bare = bare
        self.factors = factors
        self.traps = traps or {}
        self.rounds = rounds

    def __call__(self, value: Any) -> int:
        """Return *value* in whole ones.

        Raises:
            BadAmount: it is no such amount, negative, or no whole number of them.
        """
        if type(value) is int:
            if value >= 0 and value * self.bare <= MAX_INT:
                return value * self.bare
            raise BadAmount(_NEGATIVE if value < 0 else f"{value} {_MOST}")
        if type(value) is float and 0 <= value < _EXACT_BELOW:
            nearest = round(value * self.bare)
            if self.rounds or nearest / self.bare == value:
                return nearest
        if type(value) is str:
            return self._of_text(value)
        return self._converted(value)

    @lru_cache(maxsize=4096)  # noqa: B019 - units live as long as the program
    def _of_text(self, value: str) -> int:
        """Sizes repeat: thousands of guests have 8 GiB."""
        return self._converted(value)

    def _converted(self, value: Any) -> int:
        number, unit = self._parts(value)
        factor = Fraction(self.bare) if not unit else self._factor(value, unit)
        return self._whole(value, number * factor)

    def _parts(self, value: Any) -> tuple[Fraction, str]:
        if type(value) is float:
            if value < 0:
                raise BadAmount(_NEGATIVE)
            return Fraction(Decimal(repr(value))), ""
        if type(value) is not str:
            raise BadAmount(f"{_KINDS.get(type(value), 'this')} is no amount", self._examples())
        text = value.strip()
        if re.match(r"-\s*[0-9.]", text):
            raise BadAmount(_NEGATIVE)
        match = _QUANTITY.fullmatch(text)
        if match is None:
            raise BadAmount(f"{shown(value)} is no amount", self._examples())
        return Fraction(match[1]), match[2]

    def _factor(self, value: Any, unit: str) -> Fraction:
        if unit in self.traps:
            raise BadAmount(f"{shown(value)} could be read in two ways", self.traps[unit])
        factor = self.factors.get(unit)
        if factor is None:
            raise BadAmount(f"{shown(value)} has an unknown unit", self._examples())
        return Fraction(factor)

    def _whole(self, value: Any, amount: Fraction) -> int:
        if self.rounds:
            amount = Fraction(round(amount))
        if amount.denominator != 1:
            exact = f"{float(amount):.12g}"
            raise BadAmount(
                f"{shown(value)} is no whole number of {self.one}",
                f"it is {exact} {self.one}; write {self._around(amount)}",
            )
        if amount > MAX_INT:
            raise BadAmount(f"{shown(value)} {_MOST}")
        return amount.numerator

    def _around(self, amount: Fraction) -> str:
        low = amount.numerator // amount.denominator
        if self.bare == 1:
            return f"{low} or {low + 1}"
        return f"{Decimal(low) / self.bare} or {Decimal(low + 1) / self.bare}"

    def _examples(self) -> str:
        units = ", ".join(self.factors)
        bare = "a number" if self.bare == 1 else f"a number (one is {self.bare} {self.one})"
        return f"write {bare}{f', or one with a unit: {units}' if units else ''}"


_NEGATIVE: Final = "an amount can't be negative"
_KINDS: Final = {
    bool: "true or false",
    dict: "a mapping",
    list: "a list",
    type(None): "nothing",
}
_MIB: Final = 1 << 20
_BINARY: Final[dict[str, int | Fraction]] = {
    f"{letter}iB": Fraction(1 << (10 * power), _MIB) for power, letter in enumerate("KMGTP", 1)
}
_KUBERNETES: Final[dict[str, int | Fraction]] = {
    name.removesuffix("B"): factor for name, factor in _BINARY.items()
}
_DECIMAL_BYTES: Final[dict[str, int | Fraction]] = {
    f"{letter}B": Fraction(1000**power, _MIB) for power, letter in enumerate("KMGTP", 1)
}
_LETTERS: Final = {
    form: f"write {form.upper()}iB for powers of 1024, {form.upper()}B for powers of 1000"
    for letter in "kmgtp"
    for form in (letter, letter.upper())
}
_BINARY_RATES: Final[dict[str, int | Fraction]] = {"KiB/s": 1, "MiB/s": 1024, "GiB/s": 1 << 20}
_TIMES: Final = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_BITS: Final = {"Mb/s": 1, "Gb/s": 1000, "Mbit/s": 1, "Gbit/s": 1000, "Tb/s": 1000**2}
_BYTES_A_SECOND: Final = {
    f"{letter}B/s": f"{letter}B/s are bytes; write bits: {letter}b/s" for letter in "MG"
}

_SIZES: Final = {**_BINARY, **_KUBERNETES, **_DECIMAL_BYTES}
mib: Final = Unit("MiB", 1, _SIZES, traps=_LETTERS)
measured_mib: Final = Unit("MiB", 1, _SIZES, traps=_LETTERS, rounds=True)
millicores: Final = Unit("millicores", 1000, {"m": 1})
measured_millicores: Final = Unit("millicores", 1000, {"m": 1}, rounds=True)
count: Final = Unit("units", 1, {})
permille: Final = Unit("thousandths", 1000, {"%": 10})
basis_points: Final = Unit("basis points", 100, {"%": 100}, rounds=True)
seconds: Final = Unit("seconds", 1, {**_TIMES, "ms": Fraction(1, 1000)})
milliseconds: Final = Unit(
    "milliseconds", 1000, {k: v * 1000 for k, v in _TIMES.items()} | {"ms": 1}
)
kib_per_s: Final = Unit("KiB/s", 1, _BINARY_RATES)
mbps: Final = Unit("Mb/s", 1, _BITS, traps=_BYTES_A_SECOND)

_BY_UNIT: Final[Mapping[str, Callable[[Any], int]]] = {"MiB": mib, "millicores": millicores}


def amount_in(unit: str) -> Callable[[Any], int]:
    """Return what reads amounts of a resource that is measured in *unit*."""
    return _BY_UNIT.get(unit, count)
