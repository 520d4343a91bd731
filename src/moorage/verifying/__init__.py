# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: shares nothing with solving or routing, and trusts nobody.

`verify` is the gate that every plan has to pass before anything acts on it.
"""

from moorage.verifying.answers import CheckAnswer, VerifyAnswer, check, verify_document
from moorage.verifying.proof import broken_now, collisions_of, is_refused, verify

__all__ = [
    "CheckAnswer",
    "VerifyAnswer",
    "broken_now",
    "check",
    "collisions_of",
    "is_refused",
    "verify",
    "verify_document",
]
