# SPDX-License-Identifier: Apache-2.0
"""Programs that run inside a peer's environment: a request in JSON in, an answer in JSON out."""
