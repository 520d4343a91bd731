# SPDX-License-Identifier: Apache-2.0
"""Instances of BtrPlace: JSON with a model, constraints and an objective."""

from moorage.formats.btrplace.reader import read

__all__ = ["read"]
