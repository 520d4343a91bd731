# SPDX-License-Identifier: Apache-2.0
"""Writes the published JSON Schema of the native format anew, after a key or a rule changed.

.venv/bin/python tools/write_schema.py
"""

from __future__ import annotations

import json
from pathlib import Path

from moorage.formats.native.schema import json_schema

SCHEMA_FILE = Path(__file__).parent.parent / "docs" / "schema" / "fleet-v1.schema.json"


def schema_text() -> str:
    """Return the text of the published file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), "utf-8")
    print(f"wrote {SCHEMA_FILE}")
