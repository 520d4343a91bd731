# SPDX-License-Identifier: Apache-2.0
"""The benchmarks, one file a family; `benchmarks.suite` lists them."""
