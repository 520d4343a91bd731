# SPDX-License-Identifier: Apache-2.0
"""Plain values of a document as unchangeable ones of the model, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moorage.model.frozen import FrozenMap


def freeze(value: Any) -> Any:
    """Return *value* with tuples for lists and frozen maps for mappings."""
    if isinstance(value, dict):
        return FrozenMap({key: freeze(each) for key, each in value.items()})
    if isinstance(value, list):
        return tuple(freeze(each) for each in value)
    return value


def thaw(value: Any) -> Any:
    """Return *value* with plain lists and dicts."""
    if isinstance(value, Mapping):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(each) for each in value]
    return value
