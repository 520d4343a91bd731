# SPDX-License-Identifier: Apache-2.0
"""A fleet written over a text that says nearly the same: comments, order and quotes stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ruamel.yaml.error import YAMLError

from moorage.formats.native.changes import (
    Change,
    changes,
    coarsened,
    value_at,
    with_rules_in_old_places,
)
from moorage.formats.native.encoding import encode
from moorage.formats.native.normalising import over_defaults
from moorage.formats.native.notation import FOR_PEOPLE
from moorage.formats.native.reading import read
from moorage.formats.native.splicing import CannotSplice, Splicer
from moorage.formats.native.writing import write
from moorage.formats.tree import parse
from moorage.model.errors import BadInput
from moorage.model.fleet import Fleet

Plain = dict[str, Any]
BASE_NAME = "<base>"


def update(text: str, fleet: Fleet) -> str:
    """Return native text for *fleet*, as close to *text* as can be.

    What already says the same is returned byte for byte. Otherwise only the lines that
    differ are touched, and the outcome is read again to prove it; where that fails, whole
    entries are replaced, and at last the whole text.

    Raises:
        BadInput: *text* is no native document.
        Unsupported: *fleet* holds what no document can say.
    """
    tree = parse(text, name=BASE_NAME)
    before = read(tree)
    if before == fleet:
        return text
    if tree.is_json:
        return write(fleet, json=True)
    old, new = encode(before, FOR_PEOPLE), encode(fleet, FOR_PEOPLE)
    written = over_defaults(with_rules_in_old_places(old, new), tree.value.get("defaults"))
    for attempt in _attempts(tree.value, old, new):
        edited = _edited(text, written, attempt)
        if edited is not None and _reads_to(edited, fleet):
            return edited
    return write(fleet)


def _attempts(written: Plain, old: Plain, new: Plain) -> Iterator[list[Change]]:
    """Yield ways to say what changed, the gentlest first."""
    fine = changes(old, new)
    yield fine
    yield [*fine, *_names(written, old, fine)]
    yield coarsened(fine, new)


def _names(written: Plain, old: Plain, found: list[Change]) -> Iterator[Change]:
    """Write out the names of rules that have theirs only from counting."""
    touched = {change.path[:2] for change in found if len(change.path) == 2}
    for index, (said, meant) in enumerate(
        zip(written.get("rules") or (), old.get("rules", ()), strict=True)
    ):
        ((kind, body),) = said.items()
        if ("rules", index) not in touched and "name" not in (body or {}):
            yield Change(("rules", index, kind, "name"), meant[kind]["name"])


def _edited(text: str, written: Plain, attempt: list[Change]) -> str | None:
    """Cut the changes in; what they add says against the defaults what they say wrong of it."""
    try:
        return Splicer(text, written).apply([_as_written(c, written) for c in attempt])
    except (CannotSplice, YAMLError):
        return None


def _as_written(change: Change, written: Plain) -> Change:
    if isinstance(change.value, dict) and change.path[0] in ("hosts", "guests"):
        return Change(change.path, value_at(written, change.path))
    return change


def _reads_to(text: str, fleet: Fleet) -> bool:
    try:
        return read(parse(text, name=BASE_NAME)) == fleet
    except BadInput:
        return False
