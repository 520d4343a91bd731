# SPDX-License-Identifier: Apache-2.0
"""`moorage rules`: the rules of a fleet, or all kinds that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from moorage.cli import output
from moorage.cli.arguments import FORMATS, json_option, open_fleet
from moorage.cli.marks import marks

if TYPE_CHECKING:
    from rich.table import Table

    from moorage.model import Breach, Fleet, Rule

SCHEMA = "moorage/rules/v1"
KINDS_SCHEMA = "moorage/rule-kinds/v1"


@click.command
@click.argument("source", required=False)
@click.option("--format", "source_format", type=click.Choice(FORMATS), help="Format of SOURCE.")
@json_option
@click.option("--kinds", is_flag=True, help="List the kinds of rules that there are instead.")
@click.option("--all", "with_ambient", is_flag=True, help="Also the rules that every fleet has.")
def command(
    source: str | None, source_format: str | None, as_json: bool, kinds: bool, with_ambient: bool
) -> None:
    """List the rules of the fleet in SOURCE and whether they hold now."""
    if kinds:
        _list_kinds(as_json=as_json)
        return
    if source is None:
        raise click.UsageError("say which fleet: moorage rules SOURCE, or --kinds")
    fleet = open_fleet(source, source_format)
    from moorage.model import View
    from moorage.rules.registry import rules_of

    view = View(fleet, fleet.placement, at_end=True)
    rules = rules_of(fleet) if with_ambient else fleet.rules
    found = [(rule, list(rule.check(view))) for rule in rules]
    if as_json:
        summary = {"version": fleet.version, "hosts": len(fleet.hosts), "guests": len(fleet.guests)}
        rows = [_row(fleet, rule, broken) for rule, broken in found]
        output.emit_json({"schema": SCHEMA, "fleet": summary, "rules": rows})
    else:
        output.console().print(_table(fleet, found))


def _row(fleet: Fleet, rule: Rule, broken: list[Breach]) -> dict[str, Any]:
    named = rule.guests_named(fleet)
    return {
        "name": rule.label,
        "kind": rule.kind,
        "strength": rule.strength.value,
        "weight": rule.weight,
        "when": "always" if rule.holds_always else "at_end",
        "origin": rule.origin or None,
        "guests": None if named is None else list(named),
        "holds": not broken,
        "breaches": [{"text": b.text, "code": b.code, "guests": list(b.guests)} for b in broken],
    }


def _table(fleet: Fleet, found: list[tuple[Rule, list[Breach]]]) -> Table:
    from rich import box
    from rich.table import Table

    from moorage.rules.wording import names

    table = Table(box=box.SIMPLE_HEAD)
    for title in ("rule", "kind", "strength", "when", "for", "holds"):
        table.add_column(title, overflow="fold")
    for rule, broken in found:
        guests = rule.guests_named(fleet)
        strength = rule.strength.value if rule.is_must else f"should ({rule.weight})"
        holds = f"{marks().bad} {broken[0].text}" if broken else marks().good
        table.add_row(
            rule.label,
            rule.kind,
            strength,
            "always" if rule.holds_always else "at end",
            "any guest" if guests is None else names(guests),
            holds,
        )
    return table


def _list_kinds(*, as_json: bool) -> None:
    from moorage.rules.registry import registry

    kinds = [
        {"kind": kind, "ambient": rule.ambient, "invariant": rule.invariant, "remedy": rule.remedy}
        for kind, rule in registry().items()
    ]
    if as_json:
        output.emit_json({"schema": KINDS_SCHEMA, "kinds": kinds})
        return
    out = output.console()
    for row in kinds:
        ambient = "  (every fleet has it)" if row["ambient"] else ""
        out.print(f"{row['kind']}{ambient}", style="bold")
        out.print(f"    {row['invariant']}\n")
