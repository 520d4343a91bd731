# SPDX-License-Identifier: Apache-2.0
"""Draws docs/demo.svg: the first half of `moorage demo`, as a terminal shows it."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

from rich.console import Console

PICTURE = Path(__file__).parent.parent / "docs" / "demo.svg"
SOURCE = "sim:cluster"


def main() -> None:
    """Draw the picture anew; the same code always draws the same picture."""
    os.environ.update(LANG="C.UTF-8", LC_ALL="C.UTF-8")
    from moorage.cli.demo import Stage
    from moorage.cli.one_move import accepted_move, collision, refused_move
    from moorage.drivers.simulator import open_simulator

    out = Console(
        record=True, file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor",
        markup=False, highlight=False, emoji=False,
    )  # fmt: skip
    stage, simulator = Stage(out), open_simulator(SOURCE)
    fleet = simulator.snapshot()
    stage.show_hosts(fleet)
    stage.show_trouble(fleet)
    breach = collision(fleet)
    if breach is not None:
        stage.title("What the verifier says")
        refused = refused_move(fleet, simulator.state, breach)
        accepted = accepted_move(fleet, simulator.state, breach)
        if refused is not None and accepted is not None:
            stage.show_refused(refused)
            stage.show_accepted(accepted, breach)
    svg = out.export_svg(title="moorage demo", unique_id="moorage")
    # No font from elsewhere: a picture in a README loads nothing.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    PICTURE.write_text(svg.replace("Fira Code,", "") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
