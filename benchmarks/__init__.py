# SPDX-License-Identifier: Apache-2.0
"""Named workloads with thresholds, each a ratio to a peer or to a bound, in one run.

`moorage bench` finds this folder in a checkout; it isn't part of the wheel, because it needs
peers in environments of their own and instances that have other licences.
"""
