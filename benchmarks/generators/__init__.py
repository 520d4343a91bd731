# SPDX-License-Identifier: Apache-2.0
"""Fleets made by rule: seeded, in integers, the same on every machine."""
