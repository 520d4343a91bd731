# SPDX-License-Identifier: Apache-2.0
"""The local search: tables that rules fill, a compiled walk over placements, and its façade."""

from moorage.solving.local.search import LocalSearch

__all__ = ["LocalSearch"]
