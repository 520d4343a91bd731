# SPDX-License-Identifier: Apache-2.0
"""Rules that close hosts: maintenance, drain, service, health, quarantine."""

from __future__ import annotations

import pytest

from moorage.model.hosts import Health, Host, HostState, Verdict
from moorage.model.plan import Plan, Step
from moorage.model.reasons import Reason
from moorage.model.rule import Rule, Strength, When
from moorage.rules.drain import Drain
from moorage.rules.health import HealthGate
from moorage.rules.in_service import InService
from moorage.rules.maintenance import Maintenance
from moorage.rules.quarantine import Quarantine
from moorage.verifying import broken_now, is_refused, verify
from tests.tiny import costs, fleet, guest, host, plan, step, texts, the_breach, violations

A_TO_B = plan(step(0, 10, ("g", "a", "b")))
AWAY_AND_BACK = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "a")))


def unwell(name: str, health: Health, *findings: str) -> Host:
    return host(name, verdict=Verdict(health, findings))


# --- maintenance and drain ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "rule", "code", "why"),
    [
        (HostState.MAINTENANCE, Maintenance, Reason.MAINTENANCE, "which is in maintenance"),
        (HostState.DRAINING, Drain, Reason.DRAINING, "which is being emptied"),
    ],
)
def test_nobody_enters_a_host_that_is_emptied(
    state: HostState, rule: type[Rule], code: Reason, why: str
) -> None:
    """A guest that moves onto such a host is refused from the instant at which its move starts."""
    cluster = fleet([host("a"), host("b", state=state)], [guest("g", "a")])
    assert texts(cluster, A_TO_B) == [(0, f"g is on b, {why}"), (None, f"g is on b, {why}")]
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.rule, breach.code, breach.host) == (rule.kind, code, "b")


@pytest.mark.parametrize("state", [HostState.MAINTENANCE, HostState.DRAINING])
def test_residents_of_a_host_that_is_emptied_have_time_to_go(state: HostState) -> None:
    """On the way a resident may still be there; at the end it is broken as it was before."""
    cluster = fleet([host("a", state=state), host("b")], [guest("g", "a"), guest("h", "b")])
    assert [v.breach.guests for v in broken_now(cluster)] == [("g",)]
    assert texts(cluster, A_TO_B) == []
    (left,) = verify(cluster, plan())
    assert (left.at_s, left.pre_existing) == (None, True)
    assert not is_refused(verify(cluster, plan()))


@pytest.mark.parametrize("state", [HostState.MAINTENANCE, HostState.DRAINING])
def test_nobody_comes_back_to_a_host_that_is_emptied(state: HostState) -> None:
    """That a guest was there at the start is no leave to move it there again."""
    cluster = fleet([host("a", state=state), host("b")], [guest("g", "a")])
    assert [v.at_s for v in violations(cluster, AWAY_AND_BACK)] == [10]
    and_off_again = Plan((*AWAY_AND_BACK.steps, Step(2, 20, 30, A_TO_B.steps[0].actions)))
    assert [v.at_s for v in violations(cluster, and_off_again)] == [10]


@pytest.mark.parametrize("kind", [Maintenance, Drain])
def test_a_named_host_is_closed_whatever_its_state(kind: type[Maintenance | Drain]) -> None:
    """A rule that names hosts closes those, and leaves the states to the rule of every fleet."""
    closed = kind(name="window", hosts=("b",))
    cluster = fleet([host("a"), host("b"), host("c")], [guest("g", "a")], closed)
    assert violations(cluster, {"g": "c"}) == []
    assert the_breach(cluster, {"g": "b"}).rule == "window"


def test_a_named_maintenance_leaves_the_states_in_force() -> None:
    """Naming one host doesn't open another that is in maintenance by its state."""
    rule = Maintenance(name="window", hosts=("b",))
    hosts = [host("a"), host("b"), host("c", state=HostState.MAINTENANCE)]
    cluster = fleet(hosts, [guest("g", "a")], rule)
    assert the_breach(cluster, {"g": "c"}).rule == "maintenance"


def test_the_remedy_names_the_host() -> None:
    """What would help is said with the name of the host that is concerned."""
    cluster = fleet([host("a"), host("b", state=HostState.DRAINING)], [guest("g", "a")])
    assert "b" in Drain().remedy_for(the_breach(cluster, {"g": "b"})).split()


# --- in service --------------------------------------------------------------------------------


def test_nobody_stays_on_a_host_that_is_down() -> None:
    """A guest on a dead host is broken now, and a plan that leaves it there heals nothing."""
    cluster = fleet([host("a", state=HostState.DOWN), host("b")], [guest("g", "a")])
    (now,) = broken_now(cluster)
    assert (now.breach.code, now.breach.text) == (
        Reason.HOST_UNREACHABLE,
        "g is on a, which is down",
    )
    assert verify(cluster, {"g": "b"}) == []


def test_a_disabled_host_keeps_what_it_has() -> None:
    """Residents of a disabled host may stay, and nobody new may come."""
    hosts = [host("a", state=HostState.DISABLED), host("b")]
    cluster = fleet(hosts, [guest("g", "a"), guest("h", "b")])
    assert verify(cluster, {}) == []
    breach = the_breach(cluster, {"h": "a"})
    assert breach.code == Reason.HOST_DISABLED
    assert breach.text == "h is on a, which takes no new guests"
    assert breach.guests == ("h",)


def test_a_guest_that_left_a_disabled_host_may_not_return() -> None:
    """Parking off a disabled host is a way out and none back in."""
    cluster = fleet([host("a", state=HostState.DISABLED), host("b")], [guest("g", "a")])
    assert texts(cluster, AWAY_AND_BACK) == [
        (10, "g is on a, which takes no new guests"),
        (None, "g is on a, which takes no new guests"),
    ]


def test_service_can_be_a_wish() -> None:
    """Written down as should, the rule replaces the one of every fleet and refuses nothing."""
    wish = InService(name="wish", strength=Strength.SHOULD)
    cluster = fleet([host("a"), host("b", state=HostState.DISABLED)], [guest("g", "a")], wish)
    assert verify(cluster, {"g": "b"}) == []
    assert costs(cluster, {"g": "b"}) == [("g is on b, which takes no new guests", 1)]


# --- health ------------------------------------------------------------------------------------


def test_admitting_and_draining_are_two_things() -> None:
    """A critical host admits nobody, and its residents stay unless the gate drains critical."""
    cluster = fleet([unwell("a", Health.CRITICAL, "steal 45 %"), host("b")], [guest("g", "a")])
    assert verify(cluster, {}) == []
    draining = cluster.changed(rules=(HealthGate(name="gate", drain=(Health.CRITICAL,)),))
    (now,) = broken_now(draining)
    assert now.breach.text == "g is on a, whose health is critical (steal 45 %)"
    assert verify(draining, {"g": "b"}) == []


@pytest.mark.parametrize(
    ("health", "code"),
    [
        (Health.DEGRADED, Reason.HEALTH_DEGRADED),
        (Health.CRITICAL, Reason.HEALTH_CRITICAL),
        (Health.PARTITIONED, Reason.HEALTH_PARTITIONED),
        (Health.UNKNOWN, Reason.HEALTH_UNKNOWN),
    ],
)
def test_each_verdict_has_its_code(health: Health, code: Reason) -> None:
    """A host that is not nominal refuses newcomers with the code of its verdict."""
    cluster = fleet([host("a"), unwell("b", health)], [guest("g", "a")])
    breach = the_breach(cluster, {"g": "b"})
    assert (breach.code, breach.text) == (code, f"g is on b, whose health is {health}")


@pytest.mark.parametrize("health", Health)
def test_no_verdict_drains_by_default(health: Health) -> None:
    """Whatever telemetry says, the gate that every fleet has makes nobody leave."""
    assert broken_now(fleet([unwell("a", health)], [guest("g", "a")])) == []


def test_a_degraded_state_counts_as_degraded() -> None:
    """A host that its operator calls degraded takes nobody, with or without telemetry."""
    for verdict in (None, Verdict(Health.NOMINAL)):
        degraded = host("b", state=HostState.DEGRADED, verdict=verdict)
        breach = the_breach(fleet([host("a"), degraded], [guest("g", "a")]), {"g": "b"})
        assert (breach.code, breach.text) == (
            Reason.HEALTH_DEGRADED,
            "g is on b, whose health is degraded",
        )


def test_a_degraded_state_is_no_excuse_for_a_worse_verdict() -> None:
    """Admitting degraded hosts admits none whose verdict is critical."""
    gate = HealthGate(name="gate", admit=(Health.NOMINAL, Health.DEGRADED))
    worse = host("b", state=HostState.DEGRADED, verdict=Verdict(Health.CRITICAL))
    cluster = fleet([host("a"), worse], [guest("g", "a")], gate)
    assert the_breach(cluster, {"g": "b"}).code == Reason.HEALTH_CRITICAL


def test_a_degraded_state_drains_where_degraded_hosts_drain() -> None:
    """A verdict that merely isn't admitted doesn't hide a state whose guests have to leave."""
    gate = HealthGate(name="gate", drain=(Health.DEGRADED,))
    both = host("a", state=HostState.DEGRADED, verdict=Verdict(Health.CRITICAL))
    (now,) = broken_now(fleet([both], [guest("g", "a")], gate))
    assert now.breach.code == Reason.HEALTH_DEGRADED


def test_an_old_heartbeat_counts_as_unknown() -> None:
    """A host that wasn't heard of for too long takes nobody, whatever was last said of it."""
    gate = HealthGate(name="gate", max_heartbeat_age_s=60)
    silent = host("b", heartbeat_age_s=61, verdict=Verdict(Health.NOMINAL))
    cluster = fleet([host("a"), silent, host("c", heartbeat_age_s=60)], [guest("g", "a")], gate)
    breach = the_breach(cluster, {"g": "b"})
    assert breach.code == Reason.HEALTH_UNKNOWN
    assert breach.text == (
        "g is on b, whose health is unknown (last heard of 61 s ago, more than 60 s)"
    )
    assert verify(cluster, {"g": "c"}) == []


def test_an_old_heartbeat_never_drains_by_an_older_verdict() -> None:
    """What was said before a host fell silent is stale: the outage empties no host."""
    gate = HealthGate(name="gate", drain=(Health.CRITICAL,), max_heartbeat_age_s=60)
    silent = host("a", heartbeat_age_s=999, verdict=Verdict(Health.CRITICAL))
    assert broken_now(fleet([silent], [guest("g", "a")], gate)) == []


def test_exempt_hosts_have_no_gate() -> None:
    """An operator's exemption opens a host whatever its verdict, and no other host."""
    gate = HealthGate(name="gate", exempt=("b",))
    hosts = [host("a"), unwell("b", Health.CRITICAL), unwell("c", Health.CRITICAL)]
    cluster = fleet(hosts, [guest("g", "a")], gate)
    assert verify(cluster, {"g": "b"}) == []
    assert the_breach(cluster, {"g": "c"}).rule == "gate"


def test_no_verdict_is_admitted_and_drained_at_once() -> None:
    """A gate that contradicts itself is refused when it is made."""
    with pytest.raises(ValueError, match="critical can't be admitted and drained at once"):
        HealthGate(admit=(Health.CRITICAL,), drain=(Health.CRITICAL,))


# --- quarantine --------------------------------------------------------------------------------


def test_nothing_leaves_quarantine() -> None:
    """A guest that starts to leave a quarantined host is refused at that instant."""
    cluster = fleet([host("a"), host("b")], [guest("g", "a")], Quarantine(name="q", hosts=("a",)))
    text = "g is moved off a, which is in quarantine"
    assert texts(cluster, A_TO_B) == [(0, text), (None, text)]
    assert the_breach(cluster, {"g": "b"}).code == Reason.QUARANTINED


def test_nothing_enters_quarantine() -> None:
    """A guest that starts to enter a quarantined host is refused, and others may move."""
    cluster = fleet([host("a"), host("b")], [guest("g", "a")], Quarantine(name="q", hosts=("b",)))
    assert the_breach(cluster, {"g": "b"}).text == "g is moved onto b, which is in quarantine"
    assert verify(cluster, {}) == []


def test_quarantine_sees_a_guest_that_came_back() -> None:
    """Leaving and returning ends where it began and still broke the quarantine on the way."""
    cluster = fleet([host("a"), host("b")], [guest("g", "a")], Quarantine(name="q", hosts=("a",)))
    assert texts(cluster, AWAY_AND_BACK) == [
        (0, "g is moved off a, which is in quarantine"),
        (10, "g is moved onto a, which is in quarantine"),
        (None, "g is moved onto a, which is in quarantine"),
    ]


def test_quarantine_at_the_end_sees_a_guest_that_passed_through() -> None:
    """A rule that binds at the end alone still knows that somebody was moved onto its host."""
    rule = Quarantine(name="q", hosts=("b",), when=When.AT_END)
    cluster = fleet([host("a"), host("b"), host("c")], [guest("g", "a")], rule)
    through = plan(step(0, 10, ("g", "a", "b")), step(10, 20, ("g", "b", "c")))
    assert texts(cluster, through) == [(None, "g is moved onto b, which is in quarantine")]
