# SPDX-License-Identifier: Apache-2.0
"""The way to a target: how long each move takes."""
