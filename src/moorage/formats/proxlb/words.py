# SPDX-License-Identifier: Apache-2.0
"""What reader and writer of scenarios have to agree on: units, bounds, defaults, words."""

from __future__ import annotations

from typing import Final

MIB_PER_GB: Final = 1024
"""The format says GB and means GiB."""

MILLI: Final = 1000
BP_PER_PERCENT: Final = 100

MOST_GB: Final = 10**9
MOST_CORES: Final = 10**6
MOST_PERCENT: Final = 10**6
MOST_PRIORITY: Final = 10**6
MOST_OVERCOMMIT: Final = 1000
MOST_WEIGHT: Final = 10**9
MOST_MOVES: Final = 10**6
"""Far beyond any cluster, far below what 64 bits hold."""

GOAL: Final = "proxlb"
DEFAULT_PRIORITY: Final = 2
DEFAULT_OVERCOMMIT_PERMILLE: Final = 2000
DEFAULT_INFLOW: Final = 1
DEFAULT_ORIGIN: Final = "plb"

EVACUATE: Final = "evacuate"
IGNORE: Final = "ignore"
AFFINITY_TAG: Final = "plb_affinity_"
ANTI_AFFINITY_TAG: Final = "plb_anti_affinity_"
PIN_TAG: Final = "plb_pin_"
IGNORE_TAG: Final = "plb_ignore"

DESCRIPTION: Final = "description"
EXPECT: Final = "expect"
"""What stands in the notes of a fleet, to be written back."""
