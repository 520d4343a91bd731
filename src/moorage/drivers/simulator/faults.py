# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on demand: values that a simulation is given, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from moorage.drivers.simulator.records import read_record, unfolded
from moorage.model.errors import BadInput
from moorage.model.fleet import Fleet


class Effect(StrEnum):
    """What can happen to a move."""

    FAIL = "fail"
    """It fails; the guest stays."""
    HANG = "hang"
    """It stands still until it is cancelled."""
    STALL = "stall"
    """It stands still for a while, then goes on."""
    SAY_FAILED = "say_failed"
    """It is done, but reported as failed."""
    SAY_DONE = "say_done"
    """It is reported as done, but the guest stays."""
    NO_ANSWER = "no_answer"
    """Asking for its progress gets no answer for a while; it goes on all the same."""


@dataclass(frozen=True, slots=True)
class MoveFault:
    """Something that happens to the *nth* of all moves that fit, counted from the start.

    Attributes:
        guest: only moves of this guest; None is any.
        into: only moves into this host; None is any.
        at_percent: how far the move is when it strikes.
        for_s: how long a stall lasts, or the silence.
    """

    effect: Effect
    guest: str | None = None
    into: str | None = None
    nth: int = 1
    at_percent: int = 50
    for_s: int = 30

    def fits(self, guest: str, target: str) -> bool:
        """Whether a move of *guest* to *target* is one of those that are counted."""
        return self.guest in (None, guest) and self.into in (None, target)


@dataclass(frozen=True, slots=True)
class HostDies:
    """A host stops answering at a second, and perhaps comes back."""

    host: str
    at_s: int
    back_at_s: int | None = None

    def holds(self, at_s: int) -> bool:
        """Whether the host is dead at second *at_s*."""
        return self.at_s <= at_s and (self.back_at_s is None or at_s < self.back_at_s)


@dataclass(frozen=True, slots=True)
class GuestVanishes:
    """Somebody deletes a guest."""

    guest: str
    at_s: int


@dataclass(frozen=True, slots=True)
class SlowLink:
    """A host's network has only a part of its bandwidth for a while."""

    host: str
    permille: int
    at_s: int = 0
    until_s: int | None = None

    def holds(self, at_s: int) -> bool:
        """Whether the network is slow at second *at_s*."""
        return self.at_s <= at_s and (self.until_s is None or at_s < self.until_s)


@dataclass(frozen=True, slots=True)
class RandomFaults:
    """Moves that chance picks get an effect that chance picks: so many of 1000 moves."""

    permille: int
    effects: tuple[Effect, ...] = tuple(Effect)


Fault: TypeAlias = MoveFault | HostDies | GuestVanishes | SlowLink | RandomFaults

KINDS: Mapping[str, type[Fault]] = {
    "host_dies": HostDies,
    "guest_vanishes": GuestVanishes,
    "slow_link": SlowLink,
    "random": RandomFaults,
}
_BOUNDS = {"at_percent": (0, 100), "permille": (0, 1000), "nth": (1, 1_000_000)}


def read_faults(document: object, place: str = "faults") -> tuple[Fault, ...]:
    """Read a list of faults, each a mapping with one key: `{fail: {guest: db-1, nth: 2}}`.

    A mapping with the one key `faults` around the list is accepted too.
    """
    if isinstance(document, Mapping) and set(document) == {"faults"}:
        document = document["faults"]
    if isinstance(document, str) or not isinstance(document, Sequence):
        raise BadInput("faults have to be a list", place=place)
    return tuple(_read(row, f"{place}[{i}]") for i, row in enumerate(document))


def _read(row: object, place: str) -> Fault:
    if not isinstance(row, Mapping) or len(row) != 1:
        raise BadInput("a fault is a mapping with one key, its kind", place=place, hint=_hint())
    ((kind, options),) = row.items()
    place = f"{place}.{kind}"
    options = {} if options is None else options
    fault: Fault
    if kind in KINDS:
        fault = read_record(KINDS[kind], options, place)
    elif kind in set(Effect):
        if isinstance(options, Mapping) and "effect" in options:
            raise BadInput("unknown key 'effect'", place=place)
        fault = read_record(MoveFault, options, place, effect=Effect(kind))
    else:
        raise BadInput(f"unknown kind of fault {kind!r}", place=place, hint=_hint())
    _check_bounds(fault, place)
    return fault


def _hint() -> str:
    return f"kinds: {', '.join([*Effect, *KINDS])}"


def _check_bounds(fault: Fault, place: str) -> None:
    for field, (low, high) in _BOUNDS.items():
        value = getattr(fault, field, None)
        if value is not None and not low <= value <= high:
            text = f"{field} is {value}, but must be from {low} to {high}"
            raise BadInput(text, place=f"{place}.{field}")


def check_names(faults: Sequence[Fault], fleet: Fleet) -> None:
    """Refuse faults of hosts and guests that *fleet* doesn't know: they would never strike."""
    for i, fault in enumerate(faults):
        for field, known in (("host", fleet.hosts), ("into", fleet.hosts), ("guest", fleet.guests)):
            name = getattr(fault, field, None)
            if name is not None and name not in known:
                what = "guest" if field == "guest" else "host"
                raise BadInput(f"unknown {what} {name!r}", place=f"faults[{i}].{field}")


def write_faults(faults: Sequence[Fault]) -> list[dict[str, Any]]:
    """Return *faults* in the form that `read_faults` reads."""
    return [_written(fault) for fault in faults]


def _written(fault: Fault) -> dict[str, Any]:
    options = unfolded(fault)
    kind = options.pop("effect", None)
    return {kind or next(k for k, cls in KINDS.items() if isinstance(fault, cls)): options}
