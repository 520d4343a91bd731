# SPDX-License-Identifier: Apache-2.0
"""Proofs without search: what they name, how much they say, and how fast they are."""

from __future__ import annotations

import time

import numpy as np

from moorage.model.fleet import Fleet
from moorage.model.hosts import Health, Host, Verdict
from moorage.model.resources import Resource
from moorage.model.rule import Rule
from moorage.problem import REPAIRS, Objective, Tier, compile_fleet, plain
from moorage.problem.bounds import Cause, Certificate, certificates, lower_bounds
from moorage.problem.problem import COLLISION
from moorage.rules.apart import Apart
from moorage.rules.pin import Pin
from moorage.rules.together import Together
from tests.tiny import fleet, guest, host

CRITICAL = Verdict(Health.CRITICAL)


def proof(of: Fleet) -> Certificate:
    """The one certificate of a fleet."""
    (found,) = certificates(compile_fleet(of))
    return found


def repairs(of: Fleet) -> int | None:
    """The bound of repairs, in collisions' weight."""
    (found,) = lower_bounds(compile_fleet(of), (REPAIRS,))
    return found


def racks(count: int) -> list[Host]:
    return [host(f"h{i}", 100, rack=f"r{i}") for i in range(count)]


def moves(of: Fleet) -> int | None:
    """The bound of the number of moves, once all is repaired."""
    problem = compile_fleet(of)
    prices = np.ones(len(problem.guests), dtype=np.int64)
    counted = Objective(**{**plain(problem), "move_price": prices})
    return lower_bounds(problem, (REPAIRS, Tier("moves", objective=counted)), (0, 0))[1]


def test_five_replicas_on_four_racks() -> None:
    """A group larger than its domain is proved by counting, within ten milliseconds."""
    replicas = [guest(f"g{i}") for i in range(5)]
    apart = Apart(name="spread", guests=tuple(g.id for g in replicas), domain="rack")
    problem = compile_fleet(fleet(racks(4), replicas, apart))
    began = time.process_time()
    (found,) = certificates(problem)
    assert time.process_time() - began < 0.010
    assert found.cause is Cause.DOMAINS
    assert found.rules == ("spread",)
    assert found.severity == COLLISION
    assert "5 guests" in found.text


def test_replicas_pinned_to_too_few_racks() -> None:
    """Only those of the group count that compete, and the pins are named."""
    replicas = [guest(f"g{i}") for i in range(4)]
    names = tuple(g.id for g in replicas)
    rules: list[Rule] = [Apart(name="spread", guests=names, domain="rack")]
    rules.append(Pin(name="two", guests=names[:3], hosts=("h0", "h1")))
    found = proof(fleet(racks(5), replicas, *rules))
    assert found.cause is Cause.PINS
    assert found.rules == ("spread", "two")
    assert found.guests == names[:3]


def test_a_guest_larger_than_every_host() -> None:
    """It is named with what is missing at the roomiest host, and it alone."""
    found = proof(fleet(racks(3), [guest("big", memory=130), guest("small")]))
    assert (found.cause, found.guests) == (Cause.GUEST_TOO_LARGE, ("big",))
    assert found.amounts == {"memory": 30}


def test_all_hosts_unhealthy() -> None:
    """Newcomers find no host; those who run stay without complaint."""
    hosts = [host(f"h{i}", verdict=CRITICAL) for i in range(3)]
    found = proof(fleet(hosts, [guest("new"), guest("old", "h0")]))
    assert (found.cause, found.guests) == (Cause.HEALTH, ("new",))
    assert found.rules == ("health",)


def test_pins_that_overfill_their_hosts() -> None:
    """What pinned guests want is summed over the hosts that they share."""
    guests = [guest(f"g{i}", memory=60) for i in range(4)]
    pin = Pin(name="left", guests=tuple(g.id for g in guests), hosts=("h0", "h1"))
    found = proof(fleet(racks(4), guests, pin))
    assert found.cause is Cause.PINS
    assert found.rules == ("capacity", "left")
    assert found.amounts == {"memory": 40}


def test_a_together_group_without_a_common_place() -> None:
    """Members that are pinned to different hosts keep at least one apart."""
    pins = [Pin(name=f"pin{i}", guests=(f"g{i}",), hosts=(f"h{i}",)) for i in range(2)]
    group = Together(name="pair", guests=("g0", "g1"))
    found = proof(fleet(racks(3), [guest("g0"), guest("g1")], group, *pins))
    assert found.cause is Cause.PINS
    assert found.rules == ("pair", "pin0", "pin1")


def test_half_the_hosts_unhealthy() -> None:
    """500 newcomers that 50 hosts could take, and the 28 well ones can't, within 50 ms."""
    hosts = [host(f"h{i}", 100, verdict=CRITICAL if i < 22 else None) for i in range(50)]
    problem = compile_fleet(fleet(hosts, [guest(f"g{i}", memory=8) for i in range(500)]))
    began = time.process_time()
    (found,) = certificates(problem)
    assert time.process_time() - began < 0.050
    assert found.cause is Cause.HEALTH or found.cause is Cause.COMBINED
    assert found.amounts == {"memory": 1200}


def test_a_fleet_without_contradictions_has_no_certificate() -> None:
    """Nothing is proved where all rules can hold."""
    assert certificates(compile_fleet(fleet(racks(3), [guest("a"), guest("b", "h0")]))) == ()


def test_certificates_add_up_only_where_they_share_nothing() -> None:
    """A guest without host and a group without room are two troubles; the same guest is one."""
    replicas = [guest(f"g{i}") for i in range(5)]
    apart = Apart(name="spread", guests=tuple(g.id for g in replicas), domain="rack")
    assert repairs(fleet(racks(4), replicas, apart)) == COLLISION
    big = guest("big", memory=130)
    assert repairs(fleet(racks(4), [*replicas, big], apart)) == 2 * COLLISION
    again = Apart(name="again", guests=apart.guests, domain="host")
    assert repairs(fleet(racks(4), replicas, apart, again)) == COLLISION


def test_an_overfull_host_loses_its_largest_guests() -> None:
    """The fewest guests that free enough of every resource are counted."""
    disk = Resource("disk:local", "MiB")
    crowd = [guest(f"m{i}", "h0", 40, more={"disk:local": 1}) for i in range(3)]
    crowd += [guest(f"d{i}", "h0", 1, more={"disk:local": 40}) for i in range(3)]
    hosts = [host(f"h{i}", 100, more={"disk:local": 100}) for i in range(2)]
    assert moves(fleet(hosts, crowd, resources=(disk,))) == 2


def test_broken_groups_have_to_move() -> None:
    """Three that share a host and must not: two of them move, wherever else trouble stands."""
    hosts = [host(f"h{i}", 100) for i in range(4)]
    three = [guest(f"a{i}", "h0") for i in range(3)]
    pair = [guest("t0", "h1"), guest("t1", "h2")]
    apart = Apart(name="apart", guests=("a0", "a1", "a2"))
    together = Together(name="together", guests=("t0", "t1"))
    assert moves(fleet(hosts, [*three, *pair], apart, together)) == 3


def test_no_move_is_forced_where_repairs_are_not_made() -> None:
    """Without a value of repairs, a bound holds for staying put as well."""
    problem = compile_fleet(fleet([host("h0"), host("h1")], [guest("a", "h0", 12)]))
    prices = np.ones(1, dtype=np.int64)
    counted = Objective(**{**plain(problem), "move_price": prices})
    assert lower_bounds(problem, (REPAIRS, Tier("moves", objective=counted)))[1] == 0


def test_imbalance_is_bounded_by_what_residents_add_up_to() -> None:
    """Two guests of 4 on a host that should have 6: one moves, and 2 are lacking here or there."""
    problem = compile_fleet(
        fleet([host("h0", 20), host("h1", 20)], [guest(f"g{i}", "h0", 4) for i in range(3)])
    )
    fields = plain(problem, 1, 1)
    fields["amounts"][:, 0] = 4
    fields["high"][:], fields["low"][:], fields["price"][:] = 6, 6, 10
    fields["move_price"] += 7
    (bound,) = lower_bounds(problem, (Tier("balance", objective=Objective(**fields)),))
    assert bound == 47


def test_hosts_in_use_are_bounded_by_sizes_and_groups() -> None:
    """Three guests of 6 need three hosts of 10, though two would have room for their sum."""
    guests = [guest(f"g{i}", f"h{i}", 6) for i in range(3)]
    problem = compile_fleet(fleet([host(f"h{i}") for i in range(5)], guests))
    used = np.ones(5, dtype=np.int64)
    counted = Objective(**{**plain(problem), "used_price": used})
    assert lower_bounds(problem, (Tier("hosts", objective=counted),)) == (3,)
