# SPDX-License-Identifier: Apache-2.0
"""What a fleet is. Standard library only, no input or output."""

from moorage.model.errors import (
    BadInput,
    MoorageError,
    NotFound,
    Stale,
    TooLarge,
    UnknownFormat,
    Unsupported,
    VerificationFailed,
)
from moorage.model.fleet import HOST_DOMAIN, STANDARD_RESOURCES, Fleet, GoalChoice
from moorage.model.frozen import EMPTY, FrozenMap
from moorage.model.guests import Dirtying, Guest, GuestKind, Load, Volume
from moorage.model.hosts import Health, Host, HostState, Pressure, Verdict
from moorage.model.natural import natural_key
from moorage.model.plan import Action, ActionKind, Plan, Step, Violation
from moorage.model.prices import BalancePrice, PairPrices, Prices
from moorage.model.reasons import Reason
from moorage.model.resources import CPU, DISK_PREFIX, MEMORY, Resource, disk, format_amount
from moorage.model.rule import Breach, Focus, Rule, Strength, When
from moorage.model.topology import Link, MoveLimits
from moorage.model.view import View

__all__ = [
    "CPU",
    "DISK_PREFIX",
    "EMPTY",
    "HOST_DOMAIN",
    "MEMORY",
    "STANDARD_RESOURCES",
    "Action",
    "ActionKind",
    "BadInput",
    "BalancePrice",
    "Breach",
    "Dirtying",
    "Fleet",
    "Focus",
    "FrozenMap",
    "GoalChoice",
    "Guest",
    "GuestKind",
    "Health",
    "Host",
    "HostState",
    "Link",
    "Load",
    "MoorageError",
    "MoveLimits",
    "NotFound",
    "PairPrices",
    "Plan",
    "Pressure",
    "Prices",
    "Reason",
    "Resource",
    "Rule",
    "Stale",
    "Step",
    "Strength",
    "TooLarge",
    "UnknownFormat",
    "Unsupported",
    "Verdict",
    "VerificationFailed",
    "View",
    "Violation",
    "Volume",
    "When",
    "disk",
    "format_amount",
    "natural_key",
]
