# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for small fleets, placements and plans, used by all property tests.

They make the same choices as the seeded generators in `tests.oracle`, so that what one finds
the other can find again; hypothesis makes a failing example small.
"""

from __future__ import annotations

from hypothesis import strategies as st

from moorage.model.fleet import Fleet
from moorage.model.plan import Plan
from moorage.model.rule import Rule
from moorage.rules.registry import registry
from tests.oracle.choices import Drawn
from tests.oracle.random_fleets import some_fleet, some_limits, some_placement
from tests.oracle.random_plans import some_plan
from tests.oracle.random_rules import some_rule

Placement = dict[str, str | None]


@st.composite
def fleets(draw: st.DrawFn, *, rules: bool = True, limits: bool = False) -> Fleet:
    """Two to five hosts and one to seven guests, with rules of every kind there is."""
    choices = Drawn(draw)
    fleet = some_fleet(choices, rules=rules)
    return some_limits(choices, fleet) if limits else fleet


@st.composite
def rules_for(draw: st.DrawFn, fleet: Fleet, kind: str | None = None, name: str = "rule") -> Rule:
    """A rule of one kind, or of any, about the guests and hosts of a fleet."""
    choices = Drawn(draw)
    return some_rule(choices, fleet, kind or choices.one_of(list(registry())), name)


@st.composite
def placements(draw: st.DrawFn, fleet: Fleet) -> Placement:
    """A host or none for each guest; many stay where they are."""
    return some_placement(Drawn(draw), fleet)


@st.composite
def plans(draw: st.DrawFn, fleet: Fleet) -> Plan:
    """Steps in a row or at once, with parking and moves in company, whose sources are right."""
    return some_plan(Drawn(draw), fleet)


@st.composite
def placed_fleets(draw: st.DrawFn) -> tuple[Fleet, Placement]:
    """A fleet with rules, and a placement of its guests."""
    fleet = draw(fleets())
    return fleet, draw(placements(fleet))


@st.composite
def planned_fleets(draw: st.DrawFn) -> tuple[Fleet, Plan]:
    """A fleet with rules, links and limits, and a plan for it."""
    fleet = draw(fleets(limits=True))
    return fleet, draw(plans(fleet))
