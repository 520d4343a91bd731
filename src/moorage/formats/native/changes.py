# SPDX-License-Identifier: Apache-2.0
"""What differs between two documents, as few and as small changes as say it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from moorage.formats.tree import Path

Plain = dict[str, Any]


class _Nothing:
    """Stands where a key is not there."""


NOTHING: Final = _Nothing()


@dataclass(frozen=True, slots=True)
class Change:
    """A path, and its new value; NOTHING takes it away."""

    path: Path
    value: Any

    @property
    def removes(self) -> bool:
        """Whether the path is gone afterwards."""
        return self.value is NOTHING


def changes(old: Plain, new: Plain) -> list[Change]:
    """Return the changes that turn the document *old* into *new*."""
    found: list[Change] = []
    for change in _between(old, new, ()):
        if change.path == ("rules",) and not change.removes and "rules" in old:
            found += _between_rules(old["rules"], new["rules"])
        else:
            found.append(change)
    return found


def _between(old: Plain, new: Plain, path: Path) -> Iterator[Change]:
    for key, value in new.items():
        was = old.get(key, NOTHING)
        if was == value and type(was) is type(value):
            continue
        if isinstance(was, dict) and isinstance(value, dict):
            yield from _between(was, value, (*path, key))
        else:
            yield Change((*path, key), value)
    for key in old:
        if key not in new:
            yield Change((*path, key), NOTHING)


def _between_rules(old: list[Plain], new: list[Plain]) -> list[Change]:
    """Rules are the same if kind and name are; new ones stand at the end."""
    places = {_identity(rule): index for index, rule in enumerate(old)}
    kept = [rule for rule in new if _identity(rule) in places]
    added = new[len(kept) :]
    order = [places[_identity(rule)] for rule in kept]
    if [*kept, *added] != new or order != sorted(order) or len(places) < len(old):
        return [Change(("rules",), new)]
    found: list[Change] = []
    for rule, index in zip(kept, order, strict=True):
        found += _between(old[index], rule, ("rules", index))
    gone = set(range(len(old))) - set(order)
    found += [Change(("rules", index), NOTHING) for index in sorted(gone)]
    found += [Change(("rules", len(old) + at), rule) for at, rule in enumerate(added)]
    return found


def with_rules_in_old_places(old: Plain, new: Plain) -> Plain:
    """Return *new* with its rules by the number that they have in *old*, where they do."""
    if "rules" not in old or "rules" not in new:
        return new
    renewed = {_identity(rule): rule for rule in new["rules"]}
    places = enumerate(map(_identity, old["rules"]))
    return new | {"rules": {index: renewed[each] for index, each in places if each in renewed}}


def _identity(rule: Plain) -> tuple[str, str]:
    ((kind, body),) = rule.items()
    return kind, body["name"]


def coarsened(found: list[Change], new: Plain) -> list[Change]:
    """Return changes that replace whole entries: a host, a guest, all rules."""
    paths = dict.fromkeys(c.path[: 1 if c.path[0] == "rules" else 2] for c in found)
    return [Change(path, value_at(new, path)) for path in paths]


def value_at(document: Any, path: Path) -> Any:
    """Return what stands at *path*, or NOTHING."""
    for key in path:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return NOTHING
    return document
