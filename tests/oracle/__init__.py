# SPDX-License-Identifier: Apache-2.0
"""A second opinion on rules: slow, plain, and written from the invariant sentences alone.

It reads the data classes of the model and nothing else of ours, so that it can't share a mistake
with a rule's `check`, with the view that checks look at, or with the verifier.
"""
