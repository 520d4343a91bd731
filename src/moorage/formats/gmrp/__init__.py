# SPDX-License-Identifier: Apache-2.0
"""The text files of the Google/ROADEF machine reassignment challenge: a model, an assignment."""

from moorage.formats.gmrp.reader import read
from moorage.formats.gmrp.writer import write_model, write_solution

__all__ = ["read", "write", "write_model", "write_solution"]

write = write_model
"""The fleet itself is the model; an assignment is a placement in it."""
