# SPDX-License-Identifier: Apache-2.0
"""The page about the simulator tells all there is, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path

from ruamel.yaml import YAML

from moorage.drivers.simulator import NAMES, Effect, open_simulator, read_faults
from moorage.drivers.simulator.address import OPTIONS
from moorage.drivers.simulator.faults import KINDS, check_names
from moorage.drivers.simulator.load import Shape
from moorage.drivers.simulator.storing import SCHEMA
from moorage.model import Action

PAGE = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text("utf-8")


def block(language: str) -> str:
    """The first example in a language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_page_names_everything() -> None:
    """Every fleet, option, shape and fault, and the schema of a state, stands on the page."""
    words = [*NAMES, *Effect, *KINDS, SCHEMA]
    assert [w for w in words if f"`{w}`" not in PAGE] == []
    assert [s for s in Shape if f"*{s}*" not in PAGE] == []
    assert [o for o in OPTIONS if f"{o}=" not in PAGE] == []


def test_the_faults_of_the_page_are_read() -> None:
    """The example of faults is valid, and fits the cluster."""
    faults = read_faults(YAML(typ="safe").load(block("yaml")))
    assert len(faults) == 6
    check_names(faults, open_simulator("sim:cluster").snapshot())


def test_the_python_of_the_page_runs() -> None:
    """The example in Python runs as it stands."""
    names: dict[str, object] = {}
    exec(compile(block("python"), "simulator.md", "exec"), names)
    assert names["Action"] is Action


def test_the_addresses_of_the_page_open() -> None:
    """Every address in the examples opens a fleet."""
    addresses = re.findall(r"sim:[a-z]+(?:\?[a-z0-9=&]+)?", block("console"))
    assert len(addresses) == 2
    for address in addresses:
        assert open_simulator(address).snapshot().hosts
