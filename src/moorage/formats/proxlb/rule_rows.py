# SPDX-License-Identifier: Apache-2.0
"""Rules as rows of the section `constraints`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from moorage.formats.losses import Losses
from moorage.formats.proxlb import words
from moorage.formats.proxlb.tags import tag_rules
from moorage.model.fleet import HOST_DOMAIN, Fleet
from moorage.model.rule import Rule
from moorage.rules.apart import Apart
from moorage.rules.drain import Drain
from moorage.rules.pin import Pin
from moorage.rules.stay import Stay
from moorage.rules.together import Together

Row = dict[str, Any]


@dataclass(slots=True)
class RuleRows:
    """What the rules of a fleet become; what has no words goes to *losses*.

    Attributes:
        unmeant: names of rules that tags would make and that the fleet has not: their tags
            can't be written.
    """

    losses: Losses
    affinity: list[Row] = field(default_factory=list)
    anti_affinity: list[Row] = field(default_factory=list)
    pin: list[Row] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)
    evacuate: str | None = None
    unmeant: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, fleet: Fleet, losses: Losses) -> RuleRows:
        """Return the rows for *fleet*; rules that its tags make need none."""
        rows = cls(losses)
        for rule in rows._without_tags(fleet):
            rows._add(rule)
        return rows

    def constraints(self) -> dict[str, Any]:
        """Return the section, without what is empty."""
        section = {
            "affinity": self.affinity,
            "anti_affinity": self.anti_affinity,
            "pin": self.pin,
            "ignore": self.ignore,
        }
        return {key: rows for key, rows in section.items() if rows}

    def _without_tags(self, fleet: Fleet) -> Iterable[Rule]:
        """The rules that no tag stands for."""
        left = dict(enumerate(fleet.rules))
        by_content = {_nameless(rule): number for number, rule in reversed(left.items())}
        for meant in tag_rules(fleet.guests, fleet.hosts):
            number = by_content.get(_nameless(meant))
            if number is not None and _is_called(left.get(number), meant.name):
                del left[number]
            else:
                self.unmeant.add(meant.name)
                self.losses.add(f"a tag that is not a rule: {meant.name}")
        return left.values()

    def _add(self, rule: Rule) -> None:
        if self._is_plain(rule):
            if isinstance(rule, Together) and rule.domain == HOST_DOMAIN and not rule.parts:
                self.affinity.append(_group_row(rule, rule.guests))
                return
            if isinstance(rule, Apart) and rule.domain == HOST_DOMAIN and _is_pairwise(rule):
                self.anti_affinity.append(_group_row(rule, rule.guests))
                return
            if rule.is_must and self._add_hard(rule):
                return
        self.losses.add(f"rule {rule.label} ({rule.kind})")

    def _add_hard(self, rule: Rule) -> bool:
        """Add a rule of which the format knows no soft form."""
        if isinstance(rule, Pin) and rule.origin in ("", words.DEFAULT_ORIGIN):
            self._add_pin(rule)
        elif isinstance(rule, Stay):
            self.ignore += [guest for guest in rule.guests if guest not in self.ignore]
        elif isinstance(rule, Drain) and len(rule.hosts) == 1 and self.evacuate is None:
            self.evacuate = rule.hosts[0]
        else:
            return False
        return True

    def _add_pin(self, rule: Pin) -> None:
        for guest in rule.guests:
            usual = f"pin-{len(self.pin) + 1}"
            named: Row = {} if rule.name == usual or len(rule.guests) > 1 else {"name": rule.name}
            self.pin.append({**named, "vm": guest, "nodes": list(rule.hosts)})

    @staticmethod
    def _is_plain(rule: Rule) -> bool:
        """Whether its weight and its time are those that every rule of the format has."""
        return rule.weight == 1 and rule.holds_always == replace(rule, when=None).holds_always


def _is_pairwise(rule: Apart) -> bool:
    return rule.most == 1 and rule.max_skew is None and rule.min_domains is None


def _nameless(rule: Rule) -> Rule:
    return replace(rule, name="")


def _is_called(rule: Rule | None, name: str) -> bool:
    """Whether *rule* has the *name*, or a numbered form of it."""
    return rule is not None and (rule.name == name or rule.name.startswith(f"{name} ("))


def _group_row(rule: Rule, guests: tuple[str, ...]) -> Row:
    row: Row = {"name": rule.name, "vms": list(guests)}
    if not rule.is_must:
        row["hard"] = False
    if rule.origin not in ("", words.DEFAULT_ORIGIN):
        row["origin"] = rule.origin
    return row
