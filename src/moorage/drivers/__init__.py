# SPDX-License-Identifier: Apache-2.0
"""Drivers: how Moorage sees a platform and acts on it. One folder a platform."""
