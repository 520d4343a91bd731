# SPDX-License-Identifier: Apache-2.0
"""Rules about single guests: where they may be, and what their host must have."""

from __future__ import annotations

import pytest

from moorage.model.frozen import FrozenMap
from moorage.model.guests import Volume
from moorage.model.hosts import HostState
from moorage.model.reasons import Reason
from moorage.model.rule import Strength, When
from moorage.rules.ban import Ban
from moorage.rules.cpu_compatible import CpuCompatible
from moorage.rules.devices import Devices
from moorage.rules.locked import Locked
from moorage.rules.pin import Pin
from moorage.rules.placed import Placed
from moorage.rules.prefer import Prefer
from moorage.rules.stay import Stay
from moorage.rules.vcpus_fit import VcpusFit
from moorage.rules.volume_locality import VolumeLocality
from moorage.verifying import broken_now, verify
from tests.tiny import costs, fleet, guest, host, plan, step, texts, the_breach, violations

ABC = [host("a"), host("b"), host("c")]
A_TO_B = plan(step(0, 10, ("g", "a", "b")))
AWAY_AND_BACK = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "a")))
VIA_B_TO_C = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "c")))


# --- pin ---------------------------------------------------------------------------------------


def test_a_pinned_guest_stays_among_its_hosts() -> None:
    """A guest that starts on its pin may move within it, and at no instant off it."""
    cluster = fleet(ABC, [guest("g", "a")], Pin(name="pin", guests=("g",), hosts=("a", "c")))
    text = "g is on b, pinned to a, c"
    assert texts(cluster, VIA_B_TO_C) == [(0, text)]
    assert verify(cluster, {"g": "c"}) == []
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.host, breach.amount) == (Reason.PINNED_ELSEWHERE, "b", 1)
    assert Pin.remedy == "add a host to the pin, or make room on one of its hosts"


def test_a_guest_that_starts_off_its_pin_may_park() -> None:
    """On the way to its pin a guest may stand anywhere, and at the end it has to be there."""
    cluster = fleet(ABC, [guest("g", "a")], Pin(name="pin", guests=("g",), hosts=("c",)))
    assert texts(cluster, VIA_B_TO_C) == []
    assert the_breach(cluster, {"g": "b"}).where == "b"
    assert [v.pre_existing for v in verify(cluster, {})] == [True]


def test_a_pinned_guest_that_has_no_host_yet_starts_on_its_pin() -> None:
    """A guest from nowhere has no start to park from: its pin binds from the first instant."""
    cluster = fleet(ABC, [guest("g")], Pin(name="pin", guests=("g",), hosts=("c",)))
    parked = plan(step(0, 10, ("g", None, "b")), step(10, 20, ("g", "b", "c")))
    assert texts(cluster, parked) == [(0, "g is on b, pinned to c")]
    assert texts(cluster, plan(step(0, 10, ("g", None, "c")))) == []


def test_a_pin_to_nothing_lets_the_guest_be_nowhere() -> None:
    """A pin without hosts is broken wherever its guest is, and says so in words."""
    cluster = fleet(ABC, [guest("g")], Pin(name="pin", guests=("g",), hosts=()))
    assert the_breach(cluster, {"g": "a"}).text == "g is on a, pinned to no host"


# --- ban ---------------------------------------------------------------------------------------


def test_a_banned_guest_enters_at_no_instant() -> None:
    """Passing through a banned host is as forbidden as ending there."""
    cluster = fleet(ABC, [guest("g", "a")], Ban(name="ban", guests=("g",), hosts=("b",)))
    assert texts(cluster, VIA_B_TO_C) == [(0, "g is on b, from which it is banned")]
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.host) == (Reason.BANNED, "b")


def test_a_guest_may_leave_the_banned_host_that_it_starts_on() -> None:
    """Standing on a banned host at the start is old trouble, and the way out is free."""
    cluster = fleet(ABC, [guest("g", "a")], Ban(name="ban", guests=("g",), hosts=("a",)))
    assert texts(cluster, A_TO_B) == []
    assert verify(cluster, {"g": "b"}) == []
    assert [v.pre_existing for v in verify(cluster, {})] == [True]


def test_one_may_not_join_another_on_a_banned_host() -> None:
    """A banned host that holds one guest of the rule since the start takes no second one."""
    rule = Ban(name="ban", guests=("g", "h"), hosts=("a",))
    cluster = fleet(ABC, [guest("g", "a"), guest("h", "b")], rule)
    assert [v.breach.guests for v in violations(cluster, {"h": "a"})] == [("g", "h")]


# --- stay and locked ---------------------------------------------------------------------------


@pytest.mark.parametrize("locked", [False, True])
def test_a_guest_that_stays_may_not_even_come_back(locked: bool) -> None:
    """Parking and returning ends where it began, and the guest was moved all the same."""
    g = guest("g", "a", lock="backup" if locked else None)
    rules = () if locked else (Stay(name="stay", guests=("g",)),)
    cluster = fleet(ABC, [g], *rules)
    text = (
        "g is moved off a although locked (backup)" if locked else "g must stay on a but is moved"
    )
    assert texts(cluster, AWAY_AND_BACK) == [(0, text), (None, text)]
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.host) == (Reason.LOCKED if locked else Reason.STAY, "a")


@pytest.mark.parametrize("locked", [False, True])
def test_a_guest_that_has_no_host_has_nowhere_to_stay(locked: bool) -> None:
    """A guest from nowhere may be placed, whether it stays or is locked."""
    g = guest("g", lock="create" if locked else None)
    rules = () if locked else (Stay(name="stay", guests=("g",)),)
    cluster = fleet(ABC, [g], *rules)
    assert texts(cluster, plan(step(0, 10, ("g", None, "b")))) == []


def test_a_stopped_guest_that_is_locked_is_left_in_peace() -> None:
    """A stopped guest holds no host, and its lock complains of nothing."""
    cluster = fleet(ABC, [guest("g", "a", stopped=True, lock="backup")])
    assert verify(cluster, {}) == []


def test_remedies_of_frozen_guests() -> None:
    """What would free a guest is said in words."""
    assert Stay.remedy == "allow the guest to move"
    assert Locked.remedy == "wait until the lock is gone"


# --- prefer ------------------------------------------------------------------------------------


def test_each_missed_point_of_priority_costs_once() -> None:
    """A should-rule counts how far each guest's host is below the best, and refuses nothing."""
    rule = Prefer(name="like", guests=("g", "h"), hosts=FrozenMap(a=5, b=3))
    cluster = fleet(ABC, [guest("g", "a"), guest("h", "a")], rule)
    assert costs(cluster, {"g": "a", "h": "a"}) == []
    assert costs(cluster, {"g": "b", "h": "c"}) == [
        ("g is on b and would rather be on a", 2),
        ("h is on c and would rather be on a", 5),
    ]
    assert verify(cluster, {"g": "b", "h": "c"}) == []


def test_a_host_of_low_priority_is_worse_than_one_without() -> None:
    """Hosts that the rule doesn't name have priority 0, which is better than less."""
    rule = Prefer(name="dislike", guests=("g",), hosts=FrozenMap(a=-2))
    cluster = fleet(ABC, [guest("g", "a")], rule)
    assert costs(cluster, {}) == [("g is on a and would rather be on any other host", 2)]
    assert costs(cluster, {"g": "b"}) == []


def test_a_preference_may_be_a_must() -> None:
    """Made a must, a preference is broken by any host but the best."""
    rule = Prefer(name="like", guests=("g",), hosts=FrozenMap(a=1), strength=Strength.MUST)
    cluster = fleet(ABC, [guest("g", "a")], rule)
    assert the_breach(cluster, {"g": "b"}).code == Reason.NOT_PREFERRED


# --- what hosts must have ----------------------------------------------------------------------


def test_a_host_has_the_cpu_features_of_its_guests() -> None:
    """A guest enters no host whose CPU lacks a feature, and the text names what lacks."""
    hosts = [host("a", cpu_features=("aes", "avx")), host("b", cpu_features=("aes",))]
    cluster = fleet(hosts, [guest("g", "a", cpu_features=("aes", "avx"))])
    assert texts(cluster, A_TO_B) == [(0, "b lacks avx for g"), (None, "b lacks avx for g")]
    assert the_breach(cluster, {"g": "b"}).code == Reason.CPU_INCOMPATIBLE
    assert CpuCompatible.remedy == "give the guest a more general CPU type"


def test_a_guest_has_no_more_vcpus_than_its_host_has_cores() -> None:
    """As many is allowed, one more isn't, and unknown cores refuse nobody."""
    hosts = [host("a", cores=8), host("b", cores=4), host("c"), host("d", cores=5)]
    cluster = fleet(hosts, [guest("g", "a", vcpus=5)])
    assert verify(cluster, {"g": "c"}) == []
    assert verify(cluster, {"g": "d"}) == []
    breach = the_breach(cluster, {"g": "b"})
    assert breach.code == Reason.VCPUS_EXCEED_CORES
    assert breach.text == "g with up to 5 vCPUs on b, which has 4 cores"
    assert VcpusFit.remedy == "give the guest fewer vCPUs"


def test_a_guest_runs_where_its_volumes_live() -> None:
    """A volume with a home holds its guest there at every instant; one without holds nobody."""
    homes = (Volume("v1", home="a"), Volume("v2"))
    cluster = fleet(
        ABC, [guest("g", "a", volumes=("v1",)), guest("h", "a", volumes=("v2",))], volumes=homes
    )
    assert verify(cluster, {"h": "b"}) == []
    breach = the_breach(cluster, {"g": "b"})
    assert breach.code == Reason.VOLUME_LOCALITY_NO_NODE
    assert breach.text == "g is on b, away from local volumes"
    assert [at_s for at_s, _ in texts(cluster, AWAY_AND_BACK)] == [0]
    assert VolumeLocality.remedy == "move the volume to another host first"


def test_volumes_with_two_homes_leave_no_host() -> None:
    """A guest whose volumes live on different hosts is broken wherever it is."""
    homes = (Volume("v1", home="a"), Volume("v2", home="b"))
    cluster = fleet(ABC, [guest("g", volumes=("v1", "v2"))], volumes=homes)
    for spot in "abc":
        assert the_breach(cluster, {"g": spot}).code == Reason.VOLUME_LOCALITY_NO_NODE


def test_an_exclusive_volume_has_one_user() -> None:
    """A second running guest is refused; a stopped one, or a volume to share, is no trouble."""
    shared = (Volume("v1"), Volume("v2", exclusive=False))
    guests = [
        guest("g", "a", volumes=("v1", "v2")),
        guest("h", volumes=("v1",)),
        guest("i", volumes=("v2",)),
        guest("j", "c", volumes=("v1",), stopped=True),
    ]
    cluster = fleet(ABC, guests, volumes=shared)
    assert violations(cluster, {"i": "b"}, "exclusive_volume") == []
    (found,) = violations(cluster, {"h": "b"}, "exclusive_volume")
    assert found.breach.code == Reason.VOLUME_IN_USE
    assert found.breach.text == "g, h all write to the exclusive volume v1"
    assert violations(cluster, A_TO_B, "exclusive_volume") == [], "a mover is one user"


def test_devices_are_given_once() -> None:
    """A guest on the move holds a device on both ends, so that an exchange is refused."""
    hosts = [host("a", devices=FrozenMap(gpu=1)), host("b", devices=FrozenMap(gpu=1))]
    guests = [guest("g", "a", devices=FrozenMap(gpu=1)), guest("h", "b", devices=FrozenMap(gpu=1))]
    cluster = fleet(hosts, guests)
    swap = plan(step(0, 10, ("g", "a", "b"), ("h", "b", "a")))
    assert texts(cluster, swap) == [
        (0, "g, h need 2 gpu on a, which has 1"),
        (0, "g, h need 2 gpu on b, which has 1"),
    ]
    assert verify(cluster, {"g": "b", "h": "a"}) == []
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.host, breach.amount) == (Reason.DEVICE_MISSING, "b", 1)
    assert Devices.remedy == "add a device to a host, or move another guest off it"


def test_a_host_without_devices_has_none() -> None:
    """A host that lists no device of a kind has none to give."""
    cluster = fleet(ABC, [guest("g", devices=FrozenMap(gpu=1))])
    assert the_breach(cluster, {"g": "a"}).text == "g needs 1 gpu on a, which has 0"


# --- placed ------------------------------------------------------------------------------------


def test_every_guest_that_should_run_has_a_host() -> None:
    """A target that takes a guest's host away is refused; one that never had any is old trouble."""
    cluster = fleet(ABC, [guest("g", "a"), guest("h")])
    (old,) = broken_now(cluster)
    assert (old.breach.code, old.breach.text) == (Reason.NOT_PLACED, "h has no host")
    (found,) = violations(cluster, {"g": None})
    assert found.breach.text == "g, h have no host"
    assert Placed.remedy == "make room for the guest"
    assert Placed.usual_when is When.AT_END


def test_a_stopped_guest_wants_no_host() -> None:
    """A guest that is off is no trouble, with or without a host."""
    assert broken_now(fleet(ABC, [guest("g", stopped=True), guest("h", "a", stopped=True)])) == []


def test_a_guest_on_a_host_outside_the_fleet_is_placed_nowhere() -> None:
    """A guest whose host isn't among the hosts may be placed like a new one."""
    cluster = fleet(ABC, [guest("g", "gone")])
    assert [v.breach.code for v in broken_now(cluster)] == [Reason.NOT_PLACED]
    assert verify(cluster, plan(step(0, 10, ("g", None, "a")))) == []


def test_a_guest_of_a_dead_host_is_started_anew() -> None:
    """From a host that is down a guest may be placed as from nowhere; from one that runs not."""
    dead = fleet([host("a", state=HostState.DOWN), host("b")], [guest("g", "a")])
    anew = plan(step(0, 10, ("g", None, "b")))
    assert verify(dead, anew) == []
    alive = fleet([host("a"), host("b")], [guest("g", "a")])
    assert texts(alive, anew)[0] == (0, "g is moved from nowhere but is on a")
