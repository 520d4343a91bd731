# SPDX-License-Identifier: Apache-2.0
"""`python -m moorage` is `moorage`."""

from __future__ import annotations

from moorage.cli.main import main

if __name__ == "__main__":
    main()
