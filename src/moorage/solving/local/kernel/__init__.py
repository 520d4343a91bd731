# SPDX-License-Identifier: Apache-2.0
"""The part of the local search that runs as machine code. Nothing else imports numba."""
