# SPDX-License-Identifier: Apache-2.0
"""Where text comes from: files, gzip and standard input, within limits."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from moorage.formats.limits import MAX_BYTES
from moorage.formats.source import read_text
from moorage.model.errors import BadInput, NotFound, TooLarge

if TYPE_CHECKING:
    from pathlib import Path


def written(path: Path, content: bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(content)
    return path


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    """The text comes with the name by which errors will call it."""
    path = written(tmp_path / "fleet.yaml", "name: Zürich\n".encode())
    found = read_text(path)
    assert (found.name, found.text) == (str(path), "name: Zürich\n")


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    """The mark that some editors put before UTF-8 is left out."""
    path = written(tmp_path / "fleet.yaml", b"\xef\xbb\xbfname: x\n")
    assert read_text(path).text == "name: x\n"


def test_lines_keep_their_ends(tmp_path: Path) -> None:
    """Line ends come through as they are, so that a file can be written back as it was."""
    assert read_text(written(tmp_path / "f", b"a: 1\r\nb: 2\n")).text == "a: 1\r\nb: 2\n"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is read whole, and called by its name in errors."""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"name: x\n")))
    found = read_text("-")
    assert (found.name, found.text) == ("<stdin>", "name: x\n")


def test_gzip_is_recognised_by_its_content(tmp_path: Path) -> None:
    """A compressed file is unpacked whatever it is called, member after member, padding and all."""
    packed = gzip.compress(b"name: ") + gzip.compress(b"x\n") + b"\0" * 512
    assert read_text(written(tmp_path / "fleet.yaml", packed)).text == "name: x\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"name: x\n" * 1000)[:-9], "the compressed file ends too early"),
        (b"\x1f\x8bnonsense", "the compressed file is damaged"),
        (gzip.compress(b"name: x\n") + b"rest", "the compressed file is damaged"),
    ],
    ids=["cut", "nonsense", "followed by something else"],
)
def test_damaged_gzip_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    """A compressed file that can't be unpacked whole is never read in part."""
    path = written(tmp_path / "fleet.yaml.gz", content)
    with pytest.raises(BadInput) as refused:
        read_text(path)
    assert refused.value.place == str(path)
    assert refused.value.message.startswith(message)


def test_a_missing_file_is_named() -> None:
    """A file that is not there is not found, by its name."""
    with pytest.raises(NotFound) as refused:
        read_text("no/such/fleet.yaml")
    assert refused.value.message == "there is no file no/such/fleet.yaml"
    assert refused.value.exit_code == 65


@pytest.mark.parametrize("name", ["", "\0"])
def test_a_name_that_names_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """A folder and an impossible name are bad input, not a crash."""
    with pytest.raises(BadInput, match="can't be read"):
        read_text(f"{tmp_path}/{name}")


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        ("é\nab".encode() + b"\xff", ":2:3", "byte 0xff is no UTF-8 text"),
        ("name: x\n".encode("utf-16"), "", "is UTF-16 text, not UTF-8"),
    ],
)
def test_other_encodings_are_refused(
    tmp_path: Path, content: bytes, place: str, message: str
) -> None:
    """What is not UTF-8 is refused with the line and column of the first byte that isn't."""
    path = written(tmp_path / "fleet.yaml", content)
    with pytest.raises(BadInput) as refused:
        read_text(path)
    assert (refused.value.place, refused.value.message) == (f"{path}{place}", message)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    """A file of 100 MB is refused without reading it."""
    path = tmp_path / "fleet.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge) as refused:
            read_text(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert refused.value.message == "has more than 64 MiB"


def test_a_gzip_bomb_is_refused_at_the_limit(tmp_path: Path) -> None:
    """What would unpack to a gigabyte is given up at the limit, in little more memory than that."""
    mebibyte = gzip.compress(b"\0" * (1 << 20))
    path = written(tmp_path / "bomb.gz", mebibyte * 1024)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            read_text(path)
        assert tracemalloc.get_traced_memory()[1] < 2 * MAX_BYTES
    finally:
        tracemalloc.stop()
