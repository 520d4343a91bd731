# SPDX-License-Identifier: Apache-2.0
"""The scenario files of proxlb-solver: YAML with nodes, vms, constraints and expectations."""

from moorage.formats.proxlb.reader import read
from moorage.formats.proxlb.writer import write

__all__ = ["read", "write"]
