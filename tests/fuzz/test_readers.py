# SPDX-License-Identifier: Apache-2.0
"""No damaged document gets anything out of a reader but a typed error, quickly."""

from __future__ import annotations

import gzip
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from moorage import formats
from moorage.model.errors import BadInput, TooLarge
from tests.conftest import REPOSITORY
from tests.fuzz.readers import TEXTS

if TYPE_CHECKING:
    from pathlib import Path


def fuzz(kind: str, count: int, seed: int) -> str:
    arguments = [sys.executable, "-m", "tests.fuzz.readers", kind, str(count), str(seed)]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=REPOSITORY, timeout=1200)
    return done.stdout + (done.stderr if done.returncode else "")


@pytest.mark.parametrize("kind", TEXTS)
def test_damaged_documents_are_refused(kind: str) -> None:
    """Each of 600 damaged documents is read or refused in under a second and 256 MiB."""
    assert fuzz(kind, 600, 1) == ""


@pytest.mark.soak
@pytest.mark.parametrize("kind", TEXTS)
def test_many_damaged_documents_are_refused(kind: str) -> None:
    """The same for 20,000 documents of each format."""
    assert fuzz(kind, 20_000, 2) == ""


BILLION_LAUGHS = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


def test_an_alias_bomb_is_refused(tmp_path: Path) -> None:
    """A few lines of YAML that stand for a hundred billion values are too large."""
    path = tmp_path / "bomb.yaml"
    path.write_text(BILLION_LAUGHS + "hosts: *a11\n", encoding="utf-8")
    with pytest.raises(TooLarge):
        formats.read(str(path), "native")


def test_a_document_that_contains_itself_is_refused(tmp_path: Path) -> None:
    """An alias to the mapping that it stands in is refused, and never followed."""
    path = tmp_path / "loop.yaml"
    path.write_text("hosts: &h\n  a: *h\n", encoding="utf-8")
    with pytest.raises(BadInput):
        formats.read(str(path), "native")


@pytest.mark.parametrize("packed", [False, True])
def test_a_hundred_megabytes_are_refused_quickly(tmp_path: Path, packed: bool) -> None:
    """A file of 100 MB, packed or not, is refused with less than two seconds of CPU."""
    path = tmp_path / "large.yaml"
    chunk = b"# nothing but a comment, many times over ----------------------------\n" * 15_000
    with gzip.open(path, "wb", 1) if packed else path.open("wb") as file:
        for _ in range(100):
            file.write(chunk)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with pytest.raises(TooLarge):
        formats.read(str(path))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 2
