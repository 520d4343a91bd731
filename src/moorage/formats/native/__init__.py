# SPDX-License-Identifier: Apache-2.0
"""The native format: YAML or JSON that people write by hand. See docs/native-format.md."""

from __future__ import annotations

from moorage.formats.native.editing import update
from moorage.formats.native.reading import read
from moorage.formats.native.writing import write

__all__ = ["read", "update", "write"]
