# SPDX-License-Identifier: Apache-2.0
"""All rules that there are. A new file in this folder registers itself."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import moorage.rules
from moorage.model.fleet import Fleet
from moorage.model.frozen import FrozenMap
from moorage.model.rule import Rule


@cache
def registry() -> FrozenMap[str, type[Rule]]:
    """Return {kind: rule class}, found by looking at every module of the package."""
    found: dict[str, type[Rule]] = {}
    for module in pkgutil.iter_modules(moorage.rules.__path__):
        loaded = importlib.import_module(f"{moorage.rules.__name__}.{module.name}")
        for value in vars(loaded).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.kind:
                found[value.kind] = value
    return FrozenMap({kind: found[kind] for kind in sorted(found)})


@cache
def ambient_rules() -> tuple[Rule, ...]:
    """Return the rules that every fleet has without writing them down."""
    return tuple(rule(name=rule.kind) for rule in registry().values() if rule.ambient)


def rules_of(fleet: Fleet) -> tuple[Rule, ...]:
    """Return the rules that bind *fleet*: those written down, and the ambient ones.

    A written rule of an ambient kind that says how the kind works takes its place.
    """
    replaced = {r.kind for r in fleet.rules if r.ambient and r.replaces_ambient}
    return (*fleet.rules, *(r for r in ambient_rules() if r.kind not in replaced))
