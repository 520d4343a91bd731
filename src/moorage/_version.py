# SPDX-License-Identifier: Apache-2.0
"""The version, alone in its file so that reading it costs nothing."""

__version__ = "0.1.0"
