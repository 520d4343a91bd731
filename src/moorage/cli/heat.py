# SPDX-License-Identifier: Apache-2.0
"""Which hosts are hot, and what makes them so, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moorage.cli.gauges import Gauge, Heat, gauges_of

if TYPE_CHECKING:
    from moorage.model import Fleet, Host

TOP_HOSTS = 3
TOP_GUESTS = 3
WAITING_FROM_BP = 100
"""Stall that is worth a word: one percent of the time."""


def hot_spots(fleet: Fleet) -> list[str]:
    """Return a sentence for each of the hottest hosts, and one for the rest of them."""
    gauges = gauges_of(fleet)
    hot = [h for h in fleet.hosts if any(g.heat is Heat.HOT for g in gauges[h])]
    hot.sort(key=lambda h: (-sum(g.permille for g in gauges[h]), fleet.hosts[h].order))
    told = [_sentence(fleet, fleet.hosts[host], gauges) for host in hot[:TOP_HOSTS]]
    rest = len(hot) - TOP_HOSTS
    return [*told, f"and {rest} more hosts are hot"] if rest > 0 else told


def _sentence(fleet: Fleet, host: Host, gauges: dict[str, tuple[Gauge, ...]]) -> str:
    figures = [f"{g.title} {g.amount} {g.unit} ({g.percent} %)" for g in gauges[host.id]]
    text = f"{host.id} is hot: {', '.join(figures)}"
    if host.pressure.cpu_bp >= WAITING_FROM_BP:
        text += f"; its guests wait for a CPU {host.pressure.cpu_bp / 100:.1f} % of the time"
    busiest = _busiest(fleet, host)
    return f"{text}; busiest: {busiest}" if busiest else text


def _busiest(fleet: Fleet, host: Host) -> str:
    from moorage.model import format_amount

    loads = {g: fleet.guests[g].load.cpu_millicores or 0 for g in fleet.residents[host.id]}
    top = sorted((g for g in loads if loads[g]), key=lambda g: (-loads[g], g))[:TOP_GUESTS]
    tenths = {g: (loads[g] + 50) // 100 * 100 for g in top}
    return ", ".join(f"{g} {format_amount(tenths[g], 'millicores')}" for g in top)
