# SPDX-License-Identifier: Apache-2.0
"""Rules as entries of a native document, after the fields of their classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from moorage.formats.native.notation import Notation
from moorage.formats.native.rule_forms import Named, RuleField, Shape, fields_of
from moorage.model.errors import Unsupported
from moorage.model.fleet import Fleet
from moorage.model.rule import Rule

Plain = dict[str, Any]


def encode_rules(fleet: Fleet, notation: Notation) -> list[Plain]:
    """Return an entry for each rule; each says its name, so that no number has to be counted.

    Raises:
        Unsupported: two rules have the same name.
    """
    names = Counter(rule.name for rule in fleet.rules if rule.name)
    for name, times in names.most_common(1):
        if times > 1:
            raise Unsupported(f"{times} rules are called {name}", hint="give each its own name")
    return [{rule.kind: _body(rule, fleet, notation)} for rule in fleet.rules]


def _body(rule: Rule, fleet: Fleet, notation: Notation) -> Plain:
    entry: Plain = {"name": rule.name}
    for field in fields_of(rule.kind):
        value = getattr(rule, field.name)
        if field.name != "name" and (field.required or value != field.default):
            entry[field.name] = _value(rule, field, value, fleet, notation)
    return entry


def _value(rule: Rule, field: RuleField, value: Any, fleet: Fleet, notation: Notation) -> Any:
    if field.shape is Shape.SETS:
        return [[_single(each) for each in part] for part in value]
    if field.shape is Shape.MANY:
        return [_single(each) for each in value]
    if field.shape is Shape.NUMBERS:
        if field.named is not Named.RESOURCES:
            return dict(value)
        return {key: notation.amount(fleet.unit_of(key))(amount) for key, amount in value.items()}
    if field.amount_of is not None:
        return notation.amount(fleet.unit_of(getattr(rule, field.amount_of)))(value)
    return _single(value)


def _single(value: Any) -> Any:
    """A word of an enumeration is written as its plain text."""
    return str(value) if isinstance(value, str) else value
