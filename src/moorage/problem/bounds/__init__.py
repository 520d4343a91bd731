# SPDX-License-Identifier: Apache-2.0
"""Bounds that hold whatever an engine finds, and proofs that need no search.

Nothing here is shared with any engine.
"""

from moorage.problem.bounds.certificate import Cause, Certificate
from moorage.problem.bounds.lower import lower_bounds
from moorage.problem.bounds.proofs import certificates

__all__ = ["Cause", "Certificate", "certificates", "lower_bounds"]
