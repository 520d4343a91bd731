# SPDX-License-Identifier: Apache-2.0
"""Engines over a problem: exact, local search, and the portfolio that chooses among them."""
