# SPDX-License-Identifier: Apache-2.0
"""Reading keeps pace with Python's own parser, whatever the machine."""

from __future__ import annotations

import json

from moorage.formats.native import read, write
from moorage.formats.tree import parse
from tools.bench_read import big_fleet, seconds

FLEET = big_fleet(500, 3_000)


def test_reading_json_keeps_pace() -> None:
    """Reading a fleet takes at most forty times what parsing its JSON takes anyhow."""
    text = write(FLEET, json=True)
    parsing = seconds(lambda: json.loads(text))
    assert seconds(lambda: read(parse(text, name="f"))) < 40 * parsing


def test_reading_yaml_keeps_pace() -> None:
    """YAML as Moorage writes it takes at most four hundred times what the same takes as JSON."""
    as_json, as_yaml = write(FLEET, json=True), write(FLEET)
    parsing = seconds(lambda: json.loads(as_json))
    assert seconds(lambda: read(parse(as_yaml, name="f"))) < 400 * parsing
