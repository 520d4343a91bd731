# SPDX-License-Identifier: Apache-2.0
"""Where text comes from: a file, a compressed file or standard input, within limits."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from moorage.formats.limits import MAX_BYTES
from moorage.model.errors import BadInput, NotFound, TooLarge

STDIN: Final = "-"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 20
_ANY_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_UTF16_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a source, and the name by which errors call it."""

    name: str
    text: str


def read_text(source: str | Path) -> Text:
    """Read all of *source*: a path, or `-` for standard input. Gzip is unpacked.

    Raises:
        NotFound: there is no such file.
        TooLarge: it has, or unpacks to, more than 64 MiB.
        BadInput: it can't be read, or is no UTF-8 text.
    """
    name = "<stdin>" if source == STDIN else str(source)
    try:
        raw = _read_stdin(name) if source == STDIN else _read_file(name, Path(source))
    except FileNotFoundError:
        raise NotFound(f"there is no file {name}", hint="check the path") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"can't be read: {why or error}", place=name) from None
    return Text(name, _decode(name, raw))


def _read_stdin(name: str) -> bytes:
    return _gather(name, _chunks(name, sys.stdin.buffer))


def _read_file(name: str, path: Path) -> bytes:
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        raise _too_large(name)
    with path.open("rb") as file:
        return _gather(name, _chunks(name, file))


def _chunks(name: str, file: BinaryIO) -> Iterator[bytes]:
    """Yield the content piece by piece, unpacked if it starts like gzip."""
    first = file.read(_CHUNK)
    pieces = _pieces(first, file)
    if first.startswith(_GZIP_MAGIC):
        return _unpack(name, pieces)
    return pieces


def _pieces(first: bytes, file: BinaryIO) -> Iterator[bytes]:
    piece = first
    while piece:
        yield piece
        piece = file.read(_CHUNK)


def _unpack(name: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip members one after the other, never more than a chunk at once."""
    member = zlib.decompressobj(_ANY_GZIP_WINDOW)
    rest = b""
    try:
        for piece in pieces:
            rest += piece
            while rest:
                if member.eof:
                    member = zlib.decompressobj(_ANY_GZIP_WINDOW)
                yield member.decompress(rest, _CHUNK)
                rest = _after_member(member) if member.eof else member.unconsumed_tail
        yield member.flush()
    except zlib.error as error:
        raise BadInput(f"the compressed file is damaged: {error}", place=name) from None
    if not member.eof:
        raise BadInput("the compressed file ends too early", place=name)


def _after_member(member: zlib._Decompress) -> bytes:
    """What follows a whole member; tapes and some tools pad with zeros."""
    return member.unused_data.lstrip(b"\0")


def _gather(name: str, pieces: Iterator[bytes]) -> bytes:
    gathered = bytearray()
    for piece in pieces:
        gathered += piece
        if len(gathered) > MAX_BYTES:
            raise _too_large(name)
    return bytes(gathered)


def _too_large(name: str) -> TooLarge:
    limit = f"{MAX_BYTES >> 20} MiB"
    return TooLarge(f"has more than {limit}", place=name, hint=f"a fleet is read up to {limit}")


def _decode(name: str, raw: bytes) -> str:
    if raw.startswith(_UTF16_BOMS):
        raise BadInput("is UTF-16 text, not UTF-8", place=name, hint="save it as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"{name}:{_position(raw, error.start)}"
        message = f"byte 0x{raw[error.start]:02x} is no UTF-8 text"
        raise BadInput(message, place=place, hint="save the file as UTF-8") from None


def _position(raw: bytes, at: int) -> str:
    """Line and column of the byte *at*; what stands before it is valid UTF-8."""
    line_start = raw.rfind(b"\n", 0, at) + 1
    column = len(raw[line_start:at].decode("utf-8", "replace")) + 1
    line = raw.count(b"\n", 0, at) + 1
    return f"{line}:{column}"
