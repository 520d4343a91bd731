# SPDX-License-Identifier: Apache-2.0
"""Rules: one file each, with its data, its invariant, its check and its explanation."""
