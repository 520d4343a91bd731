# SPDX-License-Identifier: Apache-2.0
"""Why a guest finds no host: what each host refuses it for, with everybody else in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from moorage.model.frozen import FrozenMap
from moorage.model.reasons import Reason, sentence
from moorage.model.rule import Focus, Rule
from moorage.model.target import Stuck
from moorage.model.view import View
from moorage.problem.problem import Problem

MOST_CHECKS: Final = 20_000
"""Guests x hosts that are looked at; beyond them a guest is named with its first reason only."""


def stuck_guests(problem: Problem, placements: Mapping[str, str | None]) -> Iterator[Stuck]:
    """Name each guest that has no host, or has to leave its own and doesn't."""
    view = View(problem.fleet, placements, at_end=True)
    refused = {b.key: b for rule in problem.must for b in rule.check(view)}
    checks_left = MOST_CHECKS
    for place, guest in enumerate(problem.guests):
        host = placements[guest]
        must_leave = bool(problem.restrictions.must_leave[place])
        if host is not None and not (must_leave and host == problem.fleet.placement[guest]):
            continue
        checks_left -= len(problem.hosts)
        own = next((b for b in refused.values() if guest in b.guests), None)
        code = own.code if own is not None else Reason.NOT_PLACED
        if checks_left < 0:
            yield Stuck(guest, code, sentence(code))
            continue
        yield _look(problem, placements, guest, code)


def _look(problem: Problem, placements: Mapping[str, str | None], guest: str, code: str) -> Stuck:
    """Try *guest* on every host in turn, and count what speaks against each."""
    view = View(problem.fleet, {**placements, guest: None}, at_end=True)
    counts: Counter[str] = Counter()
    before: str | None = None
    for host in problem.hosts:
        view.begin_move(guest, host)
        if before is not None:
            view.end_move(guest, before, host)
        before = host
        counts[_refusal(problem.must, view, guest, host) or code] += 1
    where = "is on no host" if placements[guest] is None else "has to leave its host"
    shown = ", ".join(f"{count} {why}" for why, count in _most_first(counts))
    text = f"{guest} {where}: of {len(problem.hosts)} hosts {shown}"
    main = _most_first(counts)[0][0] if counts else code
    return Stuck(guest, main, text, FrozenMap(counts))


def _refusal(rules: tuple[Rule, ...], view: View, guest: str, host: str) -> str | None:
    """The first reason why *guest*, who is on *host* in *view*, may not be there."""
    focus = Focus(frozenset({host}), frozenset({guest}))
    for rule in rules:
        for breach in rule.check(view, focus):
            if guest in breach.guests and breach.host in (None, host):
                return breach.code
    return None


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
