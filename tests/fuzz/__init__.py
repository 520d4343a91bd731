# SPDX-License-Identifier: Apache-2.0
"""Damaged documents for all readers."""
