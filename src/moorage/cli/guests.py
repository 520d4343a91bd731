# SPDX-License-Identifier: Apache-2.0
"""`moorage guests`: every guest and where it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument

if TYPE_CHECKING:
    from rich.table import Table

    from moorage.model import Fleet, Guest

SCHEMA = "moorage/guests/v1"


@click.command
@source_argument
@json_option
@click.option("--host", "hosts", multiple=True, help="Only guests on this host; may be repeated.")
@click.option("--project", help="Only guests of this project.")
@click.option("--tag", help="Only guests with this tag.")
def command(
    source: str,
    source_format: str | None,
    as_json: bool,
    hosts: tuple[str, ...],
    project: str | None,
    tag: str | None,
) -> None:
    """List guests: kind, host, demand, and the rules that name them."""
    fleet = open_fleet(source, source_format)
    unknown = [h for h in hosts if h not in fleet.hosts]
    if unknown:
        raise click.BadParameter(f"no host {unknown[0]!r} in the fleet", param_hint="--host")
    from moorage.model import natural_key

    chosen = [
        g
        for g in sorted(fleet.guests.values(), key=lambda g: natural_key(g.id))
        if (not hosts or g.host in hosts)
        and project in (None, g.project)
        and (tag is None or tag in g.tags)
    ]
    rules = _rules_of_guests(fleet)
    if as_json:
        rows = [_row(fleet, guest, rules.get(guest.id, [])) for guest in chosen]
        summary = {"version": fleet.version, "hosts": len(fleet.hosts), "guests": len(fleet.guests)}
        output.emit_json({"schema": SCHEMA, "fleet": summary, "guests": rows})
    else:
        output.console().print(_table(fleet, chosen, rules))


def _rules_of_guests(fleet: Fleet) -> dict[str, list[str]]:
    """Return {guest: names of the written rules that name it}."""
    found: dict[str, list[str]] = {}
    for rule in fleet.rules:
        for guest in rule.guests_named(fleet) or ():
            found.setdefault(guest, []).append(rule.label)
    return found


def _row(fleet: Fleet, guest: Guest, rules: list[str]) -> dict[str, Any]:
    return {
        "id": guest.id,
        "name": guest.name or guest.id,
        "kind": guest.kind.value,
        "host": guest.host,
        "stopped": guest.stopped,
        "demand": dict(sorted(fleet.demand_of(guest.id).items())),
        "priority": guest.priority,
        "lock": guest.lock,
        "project": guest.project,
        "group": guest.group,
        "tags": list(guest.tags),
        "rules": rules,
    }


def _table(fleet: Fleet, guests: list[Guest], rules: dict[str, list[str]]) -> Table:
    from rich import box
    from rich.table import Table

    from moorage.model import CPU, MEMORY, format_amount

    table = Table(box=box.SIMPLE_HEAD)
    for title in ("guest", "kind", "host"):
        table.add_column(title, overflow="fold")
    for title in ("memory", "cpu"):
        table.add_column(title, justify="right")
    table.add_column("disks")
    table.add_column("rules", overflow="fold")
    for guest in guests:
        demand = fleet.demand_of(guest.id)
        name = f"{guest.id} ({guest.name})" if guest.name and guest.name != guest.id else guest.id
        disks = (
            f"{r.removeprefix('disk:')} {format_amount(amount, 'MiB')}"
            for r, amount in sorted(demand.items())
            if r.startswith("disk:") and amount
        )
        table.add_row(
            name,
            guest.kind.value,
            _whereabouts(guest),
            format_amount(demand.get(MEMORY, 0), fleet.unit_of(MEMORY)),
            format_amount(demand.get(CPU, 0), fleet.unit_of(CPU)),
            ", ".join(disks),
            ", ".join(rules.get(guest.id, ())),
        )
    return table


def _whereabouts(guest: Guest) -> str:
    notes = [
        note for note, on in (("stopped", guest.stopped), (f"lock: {guest.lock}", guest.lock)) if on
    ]
    return f"{guest.host or '-'}{f' ({chr(44).join(notes)})' if notes else ''}"
