# SPDX-License-Identifier: Apache-2.0
"""Words for decisions: why a guest moves, and why one can't."""
