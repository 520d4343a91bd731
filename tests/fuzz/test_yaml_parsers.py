# SPDX-License-Identifier: Apache-2.0
"""The quick YAML parser reads what the full one reads, or nothing."""

from __future__ import annotations

import random

import pytest

from moorage.formats.events import Event, Kind, Unread, quick_events, yaml_events
from moorage.formats.tree import YAML_1_2
from moorage.model.errors import BadInput
from tests.fuzz.readers import TEXTS, damage


def quickly(text: str) -> list[Event] | None:
    try:
        return list(quick_events(text, YAML_1_2))
    except Unread:
        return None


def fully(text: str) -> list[Event] | None:
    try:
        return list(yaml_events(text, "x", YAML_1_2))
    except BadInput:
        return None


def said(events: list[Event] | None) -> list[Event] | None:
    """The events without the places of what isn't there: ends, and values left out."""
    if events is None:
        return None
    return [e if _is_there(e) else e._replace(line=0, column=0) for e in events]


def _is_there(event: Event) -> bool:
    if event.kind is Kind.SCALAR:
        return bool(event.text) or not event.plain
    return event.kind is not Kind.END


@pytest.mark.parametrize("kind", ["native", "proxlb", "json"])
def test_what_is_read_quickly_is_read_right(kind: str) -> None:
    """Of 700 damaged texts, each that libyaml reads gives the events of the full parser."""
    read = 0
    for number in range(700):
        text = damage(random.Random(f"yaml {kind} {number}"), TEXTS[kind]).decode(
            "utf-8", "replace"
        )
        found = quickly(text)
        if found is not None:
            read += 1
            assert said(found) == said(fully(text)), text
    assert read > 100


def test_fleets_are_read_quickly() -> None:
    """The YAML that people write needs no second reading."""
    assert all(quickly(TEXTS[kind]) is not None for kind in ("native", "proxlb"))
