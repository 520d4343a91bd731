# SPDX-License-Identifier: Apache-2.0
"""The one tree of errors: each has a code, a place where known, and a hint."""

from __future__ import annotations

from typing import ClassVar


class MoorageError(Exception):
    """Something that the person who asked can do something about.

    Attributes:
        code: stable name of the kind of error.
        exit_code: what the command line exits with.
        place: where, as `file:line:column` or a path inside the document.
        hint: what to try next.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, place: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class BadInput(MoorageError):
    """A document that can't be read as what it claims to be."""

    code = "bad_input"
    exit_code = 65


class UnknownFormat(BadInput):
    """No reader recognises the document."""

    code = "unknown_format"


class TooLarge(BadInput):
    """A document larger, deeper or more aliased than any real fleet."""

    code = "too_large"


class NotFound(MoorageError):
    """A file or a named fleet that does not exist."""

    code = "not_found"
    exit_code = 65


class Unsupported(MoorageError):
    """A fleet that the wished format has no words for."""

    code = "unsupported"
    exit_code = 65


class VerificationFailed(MoorageError):
    """A plan or target breaks something that held before."""

    code = "verification_failed"
    exit_code = 9


class Stale(MoorageError):
    """The fleet is no longer the one that the document was made for."""

    code = "stale"
    exit_code = 5
