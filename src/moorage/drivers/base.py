# SPDX-License-Identifier: Apache-2.0
"""What every driver can do, and what may be relied upon. Contracts stand in the comments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol, runtime_checkable

from moorage.model.errors import MoorageError, NotFound
from moorage.model.fleet import Fleet
from moorage.model.plan import Action


class TaskState(StrEnum):
    """What a platform says of a task. The last three are final."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen to the task."""
        return self is not TaskState.RUNNING


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task has come, as far as the platform tells.

    Attributes:
        percent: 0 to 100; 100 only when done. It may stand still, it never goes back.
        transferred_mib: memory and disks copied so far, what was sent twice included.
        remaining_s: an estimate; None where there is none, as for a task that hangs.
        reason: the code of what went wrong; empty unless failed or cancelled.
        text: *reason* in a sentence.
    """

    state: TaskState
    percent: int = 0
    transferred_mib: int = 0
    remaining_s: int | None = None
    reason: str = ""
    text: str = ""


class Refused(MoorageError):
    """The platform won't start the task; nothing has changed, and asking again won't help.

    Attributes:
        reason: the code of why not.
    """

    code: ClassVar[str] = "refused"
    exit_code: ClassVar[int] = 6

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Unreachable(MoorageError):
    """The platform didn't answer; what was asked may or may not have happened."""

    code: ClassVar[str] = "unreachable"
    exit_code: ClassVar[int] = 8


class UnknownTask(NotFound):
    """A task that the platform has never heard of, or has forgotten."""

    code: ClassVar[str] = "unknown_task"


@runtime_checkable
class Driver(Protocol):
    """A platform: it is looked at, and asked to move guests one at a time.

    A move counts as done only when the guest is seen on its target in a *fresh* snapshot.
    A task that says `done` or `failed` is a hint to look, nothing more: platforms report
    failures of moves that happened, and successes of moves that didn't.

    Every method may raise `Unreachable`.
    """

    @property
    def now_s(self) -> int:
        """Seconds on the platform's own clock. It never goes back."""
        ...

    def snapshot(self) -> Fleet:
        """Return what is there now, seen at one instant.

        A guest on the move is on its source until it runs on its target, and is locked. A
        host that doesn't answer is there, as down. A guest that is gone is missing.
        """
        ...

    def start(self, action: Action) -> str:
        """Ask for one move, and return the task's id at once: never wait for the move.

        Raises `Refused` if the platform says no: then nothing has changed. After
        `Unreachable` nobody knows: look at a snapshot before asking again.
        """
        ...

    def poll(self, task: str) -> Progress:
        """Return how far *task* is. Asking changes nothing. Raises `UnknownTask`."""
        ...

    def cancel(self, task: str) -> None:
        """Ask to stop *task*; a final one is left as it is. Raises `UnknownTask`.

        It may still be done: what became of it, `poll` and a snapshot tell.
        """
        ...
