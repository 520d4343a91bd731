# SPDX-License-Identifier: Apache-2.0
"""Amounts as people write them: exact or refused, and shown so that they read back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moorage.formats.native import notation, quantities
from moorage.formats.native.notation import FOR_PEOPLE, FOR_PROGRAMS, Notation, Show
from moorage.formats.native.quantities import BadAmount, Unit

INT64 = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize(
    ("unit", "value", "amount"),
    [
        (quantities.mib, 8192, 8192),
        (quantities.mib, "8 GiB", 8192),
        (quantities.mib, "8GiB", 8192),
        (quantities.mib, " 1.5 GiB ", 1536),
        (quantities.mib, "2Ti", 2 << 20),
        (quantities.mib, "1024 KiB", 1),
        (quantities.mib, "131.072 MB", 125),
        (quantities.mib, "512", 512),
        (quantities.mib, 512.0, 512),
        (quantities.mib, 0, 0),
        (quantities.millicores, 4, 4000),
        (quantities.millicores, 0.1, 100),
        (quantities.millicores, 2.675, 2675),
        (quantities.millicores, "500m", 500),
        (quantities.millicores, "0.5", 500),
        (quantities.permille, 1.2, 1200),
        (quantities.permille, "120%", 1200),
        (quantities.basis_points, 12.5, 1250),
        (quantities.basis_points, "12.345 %", 1234),
        (quantities.seconds, "90s", 90),
        (quantities.seconds, "1.5 h", 5400),
        (quantities.seconds, "2000 ms", 2),
        (quantities.milliseconds, 0.5, 500),
        (quantities.milliseconds, "250 ms", 250),
        (quantities.kib_per_s, "20 MiB/s", 20480),
        (quantities.mbps, "2.5 Gb/s", 2500),
        (quantities.mbps, "10Gbit/s", 10_000),
        (quantities.measured_millicores, 0.33333, 333),
        (quantities.measured_mib, "300000 KiB", 293),
    ],
)
def test_amounts_are_read_exactly(unit: Unit, value: Any, amount: int) -> None:
    """An amount is the integer that it says, in whichever unit it is written."""
    assert unit(value) == amount


@pytest.mark.parametrize(
    ("unit", "value", "message", "hint"),
    [
        (quantities.mib, "8.3 GiB", "'8.3 GiB' is no whole number of MiB",
         "it is 8499.2 MiB; write 8499 or 8500"),
        (quantities.mib, "10 GB", "'10 GB' is no whole number of MiB",
         "it is 9536.74316406 MiB; write 9536 or 9537"),
        (quantities.mib, "8G", "'8G' could be read in two ways",
         "write GiB for powers of 1024, GB for powers of 1000"),
        (quantities.mib, "8 gigs", "'8 gigs' has an unknown unit",
         f"write a number, or one with a unit: {', '.join(quantities.mib.factors)}"),
        (quantities.mib, -1, "an amount can't be negative", None),
        (quantities.mib, -0.5, "an amount can't be negative", None),
        (quantities.mib, "- 8 GiB", "an amount can't be negative", None),
        (quantities.mib, 2**63, "9223372036854775808 is more than 64 bits hold", None),
        (quantities.mib, "90000000000 PiB", "'90000000000 PiB' is more than 64 bits hold", None),
        (quantities.millicores, 2**60, f"{2**60} is more than 64 bits hold", None),
        (quantities.millicores, 0.0005, "0.0005 is no whole number of millicores",
         "it is 0.5 millicores; write 0 or 0.001"),
        (quantities.count, 1.5, "1.5 is no whole number of units",
         "it is 1.5 units; write 1 or 2"),
        (quantities.count, True, "true or false is no amount", "write a number"),
        (quantities.mbps, "80 MB/s", "'80 MB/s' could be read in two ways",
         "MB/s are bytes; write bits: Mb/s"),
        (quantities.permille, None, "nothing is no amount",
         "write a number (one is 1000 thousandths), or one with a unit: %"),
    ],
)  # fmt: skip
def test_what_would_be_rounded_is_refused(
    unit: Unit, value: Any, message: str, hint: str | None
) -> None:
    """An amount that isn't whole, or could be meant otherwise, is refused with what to write."""
    with pytest.raises(BadAmount) as refused:
        unit(value)
    assert (str(refused.value), refused.value.hint) == (message, hint)


PAIRS: tuple[tuple[str, Unit], ...] = (
    ("mib", quantities.mib),
    ("seconds", quantities.seconds),
    ("milliseconds", quantities.milliseconds),
    ("kib_per_s", quantities.kib_per_s),
    ("mbps", quantities.mbps),
)


@pytest.mark.parametrize("style", [FOR_PEOPLE, FOR_PROGRAMS], ids=["people", "programs"])
@pytest.mark.parametrize(("name", "unit"), PAIRS, ids=[name for name, _ in PAIRS])
@given(amount=INT64)
def test_shown_amounts_read_back(style: Notation, name: str, unit: Unit, amount: int) -> None:
    """Whatever amount is shown, with a unit or bare, reads to the same amount."""
    show: Show = getattr(style, name)
    assert unit(show(amount)) == amount


@given(amount=INT64)
def test_shown_decimals_read_back(amount: int) -> None:
    """Cores, factors and percents are shown as decimals that read to the same amount."""
    assert quantities.millicores(notation.thousandths(amount)) == amount
    assert quantities.permille(notation.thousandths(amount)) == amount
    assert quantities.basis_points(notation.hundredths(amount)) == amount


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (FOR_PEOPLE.mib(8192), "8 GiB"),
        (FOR_PEOPLE.mib(1536), "1536 MiB"),
        (FOR_PEOPLE.mib(2 << 20), "2 TiB"),
        (FOR_PEOPLE.mib(0), 0),
        (FOR_PROGRAMS.mib(8192), 8192),
        (notation.thousandths(4000), 4),
        (notation.thousandths(500), 0.5),
        (FOR_PEOPLE.mbps(2500), "2500 Mb/s"),
        (FOR_PEOPLE.milliseconds(500), "500 ms"),
        (FOR_PROGRAMS.milliseconds(250), 0.25),
    ],
)
def test_amounts_are_shown_in_the_largest_whole_unit(shown: object, text: object) -> None:
    """People see the largest unit in which an amount is whole; programs see the number."""
    assert shown == text
