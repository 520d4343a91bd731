# SPDX-License-Identifier: Apache-2.0
"""Sources: a name is enough to get a fleet, wherever it lives."""

from __future__ import annotations

import pytest

from moorage.model import BadInput, NotFound, Unsupported
from moorage.sources import open_source


def test_a_simulated_fleet_is_opened_by_its_name() -> None:
    """`sim:NAME` gives the fleet at its beginning; options choose another seed or instant."""
    fleet = open_source("sim:cluster")
    assert len(fleet.hosts) == 14
    assert fleet == open_source("sim:cluster?seed=1&at=0")
    assert fleet.version != open_source("sim:cluster?seed=2").version
    assert fleet.version != open_source("sim:cluster?at=3600").version


@pytest.mark.parametrize("url", ["proxmox://pve.example", "openstack://mycloud"])
def test_live_systems_are_refused_clearly(url: str) -> None:
    """This version reads no live systems, and says so with what to try."""
    with pytest.raises(Unsupported, match="no live systems yet") as caught:
        open_source(url)
    assert "sim:cluster" in (caught.value.hint or "")


def test_a_password_in_a_url_is_not_repeated() -> None:
    """What stands before an @ is not shown in the error."""
    with pytest.raises(Unsupported) as caught:
        open_source("proxmox://root:secret@pve.example")
    assert "secret" not in str(caught.value)


def test_a_simulated_fleet_has_no_format() -> None:
    """A format for a simulation is bad input."""
    with pytest.raises(BadInput):
        open_source("sim:cluster", format="proxlb")


def test_everything_else_is_a_file() -> None:
    """A path that doesn't exist is not found."""
    with pytest.raises(NotFound):
        open_source("no/such/fleet.yaml")
