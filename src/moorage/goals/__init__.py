# SPDX-License-Identifier: Apache-2.0
"""What is optimised: each goal states its tiers over a compiled problem."""
