# SPDX-License-Identifier: Apache-2.0
"""Where the verifier and the oracle differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from moorage.model.fleet import Fleet
from moorage.model.plan import Plan
from moorage.rules.registry import rules_of
from moorage.verifying import collisions_of, verify
from tests.oracle.instants import Placement, end_of
from tests.oracle.invariants import troubles
from tests.oracle.limits import exceeded
from tests.oracle.replay import findings

# Of these the sentence speaks of hosts or domain values one by one, so that the places have to
# agree and not the rules alone.
PLACED_KINDS = {
    "ban", "capacity", "cpu_compatible", "dedicated", "devices", "drain", "exclusive_volume",
    "health", "in_service", "locked", "maintenance", "pin", "prefer", "split", "stay",
    "vcpus_fit", "volume_locality",
}  # fmt: skip

# Of these it speaks of amounts, so that the sums have to agree.
MEASURED_KINDS = {"capacity", "group_capacity", "guest_count", "host_count", "prefer", "quota"}


@dataclass
class Tally:
    """How often each kind of rule held and was broken, so that no agreement is an empty one."""

    held: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)

    def lacks(self, kinds: set[str], least: int) -> set[str]:
        """The kinds that didn't hold, or weren't broken, often enough."""
        return {k for k in kinds if self.held[k] < least or self.broken[k] < least}


def differences_at_end(fleet: Fleet, placement: Placement, tally: Tally) -> Iterator[str]:
    """Compare the two on a placement, rule by rule: must and should."""
    found = [v.breach for v in verify(fleet, placement)]
    found += [breach for _, breach in collisions_of(fleet, placement)]
    final = end_of(fleet, placement)
    for rule in rules_of(fleet):
        theirs = [breach for breach in found if breach.rule == rule.label]
        ours = troubles(rule, final)
        (tally.broken if ours else tally.held)[rule.kind] += 1
        if bool(ours) != bool(theirs):
            yield f"{rule}: the oracle finds {ours}, the verifier {theirs}"
        if rule.kind in PLACED_KINDS and {t.place for t in ours} != {b.where for b in theirs}:
            yield f"{rule}: the oracle finds {ours} and the verifier {theirs} elsewhere"
        if rule.kind in MEASURED_KINDS and sum(t.amount for t in ours) != sum(
            b.amount for b in theirs
        ):
            yield f"{rule}: the oracle measures {ours}, the verifier {theirs}"


def differences_on_the_way(fleet: Fleet, plan: Plan, tally: Tally) -> Iterator[str]:
    """Compare the two on a plan whose steps fit together, instant by instant and rule by rule."""
    rules = rules_of(fleet)
    kind_of = {rule.label: rule.kind for rule in rules}
    violations = [v for v in verify(fleet, plan) if v.breach.rule in kind_of]
    ours = findings(fleet, rules, plan)
    said = {(v.at_s, v.breach.rule) for v in violations if v.at_s is not None}
    due = {(f.at_s, f.rule) for f in ours if f.at_s is not None and f.is_new}
    allowed = {(f.at_s, f.rule) for f in ours if f.at_s is not None and f.may_be_said}
    for at_s, rule in due - said:
        yield f"at {at_s} s the verifier misses {rule}"
    for at_s, rule in said - allowed:
        yield f"at {at_s} s the verifier sees {rule}, which holds or is no worse than before"
    tally.broken.update(kind_of[rule] for _, rule in due)
    tally.held.update(kind_of[r] for r in kind_of.keys() - {rule for _, rule in due})
    for rule in kind_of:
        final = [f for f in ours if f.at_s is None and f.rule == rule]
        theirs = [v for v in violations if v.at_s is None and v.breach.rule == rule]
        if bool(final) != bool(theirs):
            yield f"at the end {rule}: the oracle finds {final}, the verifier {theirs}"
        judged = not any(f.arguable for f in final)
        if judged and all(f.old for f in final) != all(v.pre_existing for v in theirs):
            yield f"at the end {rule} is not as old to the verifier: {final}, {theirs}"


def differences_in_limits(fleet: Fleet, plan: Plan, tally: Tally) -> Iterator[str]:
    """Compare the two on how many moves run at once: the first instant of each excess."""
    worst: dict[str, int] = {}
    due: set[tuple[int, str, int]] = set()
    for at_s, use, excess in exceeded(fleet, plan):
        if excess > worst.get(use, 0):
            worst[use] = excess
            due.add((at_s, use, excess))
            tally.broken[use.split()[0]] += 1
    said = {
        (v.at_s or 0, v.breach.where, v.breach.amount)
        for v in verify(fleet, plan)
        if v.breach.rule == "limits"
    }
    if due != said:
        yield f"the oracle counts {sorted(due)}, the verifier {sorted(said)}"
