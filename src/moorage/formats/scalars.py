# SPDX-License-Identifier: Apache-2.0
"""What a plain word of YAML means: a number, a truth value, nothing, or text.

Times and dates stay text. In version 1.2 so do numbers with a leading zero, which one
reader takes for octal and the next for decimal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import Final

from moorage.formats.limits import MAX_INT_DIGITS, fits_int64

Scalar = str | int | float | bool | None
Resolve = Callable[[str], Scalar]


def resolver(version: tuple[int, int]) -> Resolve:
    """Return the function that resolves plain scalars of a YAML *version*."""
    return resolve_1_1 if version == (1, 1) else resolve_1_2


def resolve_1_2(text: str) -> Scalar:
    """Resolve a plain scalar by the core schema of YAML 1.2.

    Raises:
        ValueError: it is a number that no fleet can hold.
    """
    if text[:1] not in _FIRST_1_2:
        return text
    if text in _CONSTANTS_1_2:
        return _CONSTANTS_1_2[text]
    if _DECIMAL_1_2.fullmatch(text):
        return _integer(text, 10)
    if _FLOAT_1_2.fullmatch(text):
        return _number(text)
    if _BASED_1_2.fullmatch(text):
        return _integer(text[2:], 8 if text[1] == "o" else 16)
    _refuse_endless(text)
    return text


def resolve_1_1(text: str) -> Scalar:
    """Resolve a plain scalar by YAML 1.1, as PyYAML does it.

    Raises:
        ValueError: it is a number that no fleet can hold.
    """
    if text[:1] not in _FIRST_1_1:
        return text
    if text in _CONSTANTS_1_1:
        return _CONSTANTS_1_1[text]
    if _INT_1_1.fullmatch(text):
        return _integer_1_1(text.replace("_", ""))
    if _FLOAT_1_1.fullmatch(text):
        return _float_1_1(text.replace("_", ""))
    _refuse_endless(text)
    return text


def _words(*words: str) -> list[str]:
    return [form for word in words for form in (word, word.capitalize(), word.upper())]


_NULLS: Final = dict.fromkeys(["", "~", *_words("null")])
_CONSTANTS_1_2: Final[dict[str, bool | None]] = {
    **_NULLS,
    **dict.fromkeys(_words("true"), True),
    **dict.fromkeys(_words("false"), False),
}
_CONSTANTS_1_1: Final[dict[str, bool | None]] = {
    **_NULLS,
    **dict.fromkeys(_words("true", "yes", "on"), True),
    **dict.fromkeys(_words("false", "no", "off"), False),
}
# Most words are decided by their first character. The empty text is in every string.
_FIRST_1_2: Final = "0123456789+-.~nNtTfF"
_FIRST_1_1: Final = _FIRST_1_2 + "yYoO"
_DECIMAL_1_2: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED_1_2: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT_1_2: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
)
_ENDLESS: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INT_1_1: Final = re.compile(
    r"[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)"
)
_FLOAT_1_1: Final = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?"
    r"|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"
)


def _integer(digits: str, base: int) -> int:
    if len(digits) <= MAX_INT_DIGITS or len(digits.lstrip("+-0")) <= MAX_INT_DIGITS:
        number = int(digits, base)
        if fits_int64(number):
            return number
    raise ValueError("the number has more than 64 bits")


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("the number is too large")
    return number


def _refuse_endless(text: str) -> None:
    if _ENDLESS.fullmatch(text):
        raise ValueError(f"{text} is no number that can be worked with")


def _integer_1_1(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if ":" in digits:
        return sign * _sexagesimal(digits, _integer)
    if digits.startswith("0b"):
        return sign * _integer(digits[2:] or "0", 2)
    if digits.startswith("0x"):
        return sign * _integer(digits[2:] or "0", 16)
    return sign * _integer(digits, 8 if digits.startswith("0") else 10)


def _sexagesimal(digits: str, convert: Callable[[str, int], int]) -> int:
    value = 0
    for part in digits.split(":"):
        value = value * 60 + convert(part, 10)
        if not fits_int64(value):
            raise ValueError("the number has more than 64 bits")
    return value


def _float_1_1(text: str) -> float:
    if ":" not in text:
        return _number(text)
    sign = -1 if text.startswith("-") else 1
    *wholes, last = text.lstrip("+-").split(":")
    return sign * (_sexagesimal(":".join(wholes), _integer) * 60 + _number(last))
