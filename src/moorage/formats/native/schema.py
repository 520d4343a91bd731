# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the native format, for editors; published in docs/schema."""

from __future__ import annotations

from typing import Any, Final

from moorage.formats.native.document import SCHEMA
from moorage.formats.native.reading import document_model

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the schema, generated from what the reader validates with."""
    generated = _tidied(document_model().model_json_schema(by_alias=True))
    return {"$schema": DIALECT, "title": SCHEMA, **generated}


def _tidied(node: Any, *, names: bool = False) -> Any:
    """Leave out titles, which repeat names, and defaults that mean that a key is absent.

    Where *names* is set the keys of *node* are names of properties, whatever they look like.
    """
    if isinstance(node, list):
        return [_tidied(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _tidied(value, names=key in ("properties", "$defs") and not names)
        for key, value in node.items()
        if names or not (key == "title" or (key == "default" and value is None))
    }
