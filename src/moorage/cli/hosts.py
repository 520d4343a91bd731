# SPDX-License-Identifier: Apache-2.0
"""`moorage hosts`: every host with what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from moorage.cli import output
from moorage.cli.arguments import json_option, open_fleet, source_argument

if TYPE_CHECKING:
    from rich.table import Table

    from moorage.model import Fleet, Host, View

SCHEMA = "moorage/hosts/v1"
COLUMNS = 4
"""Resources of its own that get a column; JSON has all of them, shared pools too."""


@click.command
@source_argument
@json_option
@click.option("--sort", metavar="RESOURCE", help="Fullest first, by this resource.")
@click.option("--state", help="Only hosts in this state, or of this health.")
def command(
    source: str, source_format: str | None, as_json: bool, sort: str | None, state: str | None
) -> None:
    """List hosts: state, labels, guests, and what is taken of each resource."""
    fleet = open_fleet(source, source_format)
    from moorage.model import View

    view = View(fleet, fleet.placement, at_end=True)
    hosts = [h for h in _ordered(fleet, view, sort) if state in (None, *_states(h))]
    if as_json:
        rows = [_row(fleet, view, host) for host in hosts]
        summary = {"version": fleet.version, "hosts": len(fleet.hosts), "guests": len(fleet.guests)}
        output.emit_json({"schema": SCHEMA, "fleet": summary, "hosts": rows})
    else:
        output.console().print(_table(fleet, view, hosts))


def _states(host: Host) -> tuple[str, ...]:
    return (host.state.value, *(() if host.verdict is None else (host.verdict.health.value,)))


def _ordered(fleet: Fleet, view: View, sort: str | None) -> list[Host]:
    if sort is None:
        return sorted(fleet.hosts.values(), key=lambda h: h.order)
    if sort not in fleet.resources:
        known = ", ".join(fleet.resources)
        raise click.BadParameter(f"no resource {sort!r}; there are {known}", param_hint="--sort")

    def share(host: Host) -> int:
        usable = host.usable(sort)
        return view.load(host.id, sort) * 10_000 // usable if usable else 0

    return sorted(fleet.hosts.values(), key=lambda h: (-share(h), h.order))


def _row(fleet: Fleet, view: View, host: Host) -> dict[str, Any]:
    from moorage.model.view import in_order

    return {
        "id": host.id,
        "name": host.name or host.id,
        "state": host.state.value,
        "health": None if host.verdict is None else host.verdict.health.value,
        "labels": dict(host.labels),
        "guests": list(in_order(view.guests_on(host.id))),
        "resources": {
            r: {
                "taken": view.load(host.id, r),
                "usable": host.usable(r),
                "capacity": host.capacity.get(r, 0),
                "unit": fleet.unit_of(r),
            }
            for r in sorted({*host.capacity, *view.loaded(host.id)})
        },
    }


def _table(fleet: Fleet, view: View, hosts: list[Host]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    shown = [
        r.id
        for r in fleet.resources.values()
        if r.shared_total is None and any(r.id in h.capacity for h in hosts)
    ][:COLUMNS]
    table.add_column("host", overflow="fold")
    table.add_column("state")
    table.add_column("labels")
    table.add_column("guests", justify="right")
    for resource in shown:
        table.add_column(resource, justify="right")
    for host in hosts:
        labels = " ".join(f"{k}={v}" for k, v in sorted(host.labels.items()))
        name = f"{host.id} ({host.name})" if host.name and host.name != host.id else host.id
        guests = str(len(view.guests_on(host.id)))
        amounts = (_amount(fleet, view, host, r) for r in shown)
        table.add_row(name, " ".join(_states(host)), labels, guests, *amounts)
    return table


def _amount(fleet: Fleet, view: View, host: Host, resource: str) -> str:
    """Taken of usable, and the percentage: 48 GiB/64 GiB 75%."""
    from moorage.model import format_amount

    usable, unit = host.usable(resource), fleet.unit_of(resource)
    if not usable and not view.load(host.id, resource):
        return "-"
    taken = view.load(host.id, resource)
    percent = f" {100 * taken // usable}%" if usable else ""
    return f"{format_amount(taken, unit)}/{format_amount(usable, unit)}{percent}"
