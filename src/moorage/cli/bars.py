# SPDX-License-Identifier: Apache-2.0
"""Hosts as bars: one line a host, how full it is, how busy, and which one is in trouble.

Every line reads without colour, and in ASCII where the locale is C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moorage.cli.gauges import Gauge, Heat, gauges_of
from moorage.cli.output import draws_unicode

if TYPE_CHECKING:
    from rich.text import Text

    from moorage.model import Fleet, Host

LONGEST_NAME = 14
LONGEST_NOTE = 11
SHORTEST_BAR, LONGEST_BAR = 5, 24
PLACES = ("rack", "zone")
"""Labels that say where a host stands; the first that tells more than the names gets a column."""

STYLES = {Heat.CALM: "green", Heat.WARM: "yellow", Heat.HOT: "red"}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What bars are drawn with."""

    full: str
    half: str
    track: str
    ellipsis: str
    heat: dict[Heat, str]


UNICODE = Glyphs("━", "╸", "─", "…", {Heat.CALM: " ", Heat.WARM: "△", Heat.HOT: "▲"})
ASCII = Glyphs("#", "#", ".", "..", {Heat.CALM: " ", Heat.WARM: "+", Heat.HOT: "!"})


@dataclass(frozen=True, slots=True)
class Line:
    """What stands in the line of one host."""

    host: Host
    place: str
    gauges: tuple[Gauge, ...]
    guests: int
    note: str

    @property
    def heat(self) -> Heat:
        """How hot the host is: as hot as its hottest gauge."""
        return max((gauge.heat for gauge in self.gauges), default=Heat.CALM)

    @property
    def urgency(self) -> tuple[bool, Heat, int]:
        """What a reader wants to see first: trouble, then heat."""
        return (bool(self.note), self.heat, max((g.permille for g in self.gauges), default=0))


def host_bars(
    fleet: Fleet, width: int, *, top: int | None = None, only: Collection[str] | None = None
) -> list[Text]:
    """Draw the hosts of *fleet* as lines of at most *width* columns, with a heading.

    Args:
        fleet: what to draw.
        width: of the terminal.
        top: so many hosts at most, those in trouble and the hottest first.
        only: these hosts and no others.
    """
    lines = _lines(fleet, only)
    shown = lines
    if top is not None and len(lines) > top:
        by_urgency = sorted(lines, key=lambda n: n.host.order)
        by_urgency.sort(key=lambda line: line.urgency, reverse=True)
        shown = by_urgency[:top]
    glyphs = UNICODE if draws_unicode() else ASCII
    page = _Page(lines, shown, width, glyphs)
    drawn = [page.heading(), *(page.draw(line) for line in shown)]
    left = [line for line in lines if line not in shown]
    return [*drawn, page.rest(left)] if left else drawn


def _lines(fleet: Fleet, only: Collection[str] | None) -> list[Line]:
    gauges = gauges_of(fleet)
    label = next((p for p in PLACES if _tells_more(fleet, p)), None)
    hottest = _hottest(gauges)
    return [
        Line(
            host,
            host.labels.get(label, "") if label else "",
            gauges[host.id],
            len(fleet.residents[host.id]),
            _note(host, gauges[host.id], is_hottest=host.id == hottest),
        )
        for host in sorted(fleet.hosts.values(), key=lambda h: h.order)
        if only is None or host.id in only
    ]


def _tells_more(fleet: Fleet, label: str) -> bool:
    """Whether hosts have *label*, and it isn't a part of their names anyway."""
    labelled = [host for host in fleet.hosts.values() if label in host.labels]
    return any(host.labels[label] not in host.id for host in labelled)


def _hottest(gauges: dict[str, tuple[Gauge, ...]]) -> str | None:
    """The hottest host, by all its gauges together; None if no host is hot."""
    hot = {h: g for h, g in gauges.items() if any(one.heat is Heat.HOT for one in g)}
    return max(hot, key=lambda h: sum(one.permille for one in hot[h]), default=None)


def _note(host: Host, gauges: tuple[Gauge, ...], *, is_hottest: bool) -> str:
    from moorage.model import Health, HostState

    notes = [] if host.state is HostState.ACTIVE else [host.state.value]
    if host.verdict is not None and host.verdict.health is not Health.NOMINAL:
        notes.append(host.verdict.health.value)
    if is_hottest:
        notes.append("hottest")
    elif any(gauge.heat is Heat.HOT for gauge in gauges):
        notes.append("hot")
    return ", ".join(dict.fromkeys(notes))


class _Page:
    """The widths of all columns, and the lines that are drawn in them."""

    def __init__(
        self, lines: Iterable[Line], shown: list[Line], width: int, glyphs: Glyphs
    ) -> None:
        self.glyphs = glyphs
        self.width = width
        self.name = min(LONGEST_NAME, _widest((line.host.id for line in shown), "host"))
        self.place = min(LONGEST_NAME, _widest((line.place for line in shown), ""))
        self.note = min(LONGEST_NOTE, _widest((line.note for line in shown), ""))
        self.guests = _widest((str(line.guests) for line in shown), "guests")
        self.gauges = shown[0].gauges if shown else ()
        self.amounts = [
            _widest((line.gauges[i].amount for line in shown), "") for i in range(len(self.gauges))
        ]
        self.bar = self._bar()

    def _bar(self) -> int:
        """What is left for each bar when everything else has its place."""
        spare = self.width - 3 - self.name - self.guests - (1 + self.note if self.note else 0)
        spare -= self.place + 1 if self.place else 0
        each = [spare // max(1, len(self.gauges)) - amount - 8 for amount in self.amounts]
        return max(SHORTEST_BAR, min([LONGEST_BAR, *each]))

    def heading(self) -> Text:
        """Name the columns."""
        from rich.text import Text

        cells = ["  " + "host".ljust(self.name)]
        cells += [" " * self.place] if self.place else []
        text = " ".join(cells)
        for gauge, amount in zip(self.gauges, self.amounts, strict=True):
            text += " " + gauge.title.ljust(self.bar + 1) + gauge.unit.rjust(amount) + " " * 6
        return Text((text + " guests").rstrip()[: self.width], "dim")

    def draw(self, line: Line) -> Text:
        """Draw one host."""
        from rich.text import Text

        style = STYLES[line.heat]
        text = Text(no_wrap=True)
        text.append(self.glyphs.heat[line.heat] + " ", style)
        text.append(self._fit(line.host.id, self.name), "bold")
        if self.place:
            text.append(" " + self._fit(line.place, self.place), "dim")
        for gauge, amount in zip(line.gauges, self.amounts, strict=True):
            self._gauge(text, gauge, amount)
        text.append(f" {line.guests:>{self.guests}}")
        if line.note:
            text.append(" " + self._fit(line.note, self.note).rstrip(), f"bold {_note_style(line)}")
        return text

    def _gauge(self, text: Text, gauge: Gauge, amount: int) -> None:
        style = STYLES[gauge.heat]
        halves = min(2 * self.bar, (2 * self.bar * gauge.permille + 500) // 1000)
        full, half = divmod(halves, 2)
        text.append(" ")
        text.append(self.glyphs.full * full + self.glyphs.half * half, style)
        text.append(self.glyphs.track * (self.bar - full - half), "bright_black")
        text.append(f" {gauge.amount:>{amount}}")
        text.append(f" {gauge.percent:>4}%", style)

    def rest(self, left: list[Line]) -> Text:
        """Say how many hosts there are besides, and how hot they are."""
        from rich.text import Text

        heats = Counter(line.heat for line in left)
        kinds = [f"{heats[h]} {h.name.lower()}" for h in reversed(Heat) if heats[h]]
        return Text(f"  {self.glyphs.ellipsis} and {len(left)} more: {', '.join(kinds)}", "dim")

    def _fit(self, text: str, width: int) -> str:
        """Return *text* in exactly *width* columns, shortened at its end if need be."""
        from rich.cells import cell_len, set_cell_size

        if cell_len(text) <= width:
            return set_cell_size(text, width)
        return set_cell_size(text, width - len(self.glyphs.ellipsis)) + self.glyphs.ellipsis


def _note_style(line: Line) -> str:
    return "red" if line.heat is Heat.HOT else "yellow"


def _widest(texts: Iterable[str], heading: str) -> int:
    from rich.cells import cell_len

    return max([len(heading), *map(cell_len, texts)])


def legend() -> Iterator[tuple[str, str]]:
    """Yield (mark, meaning) of the marks before hosts."""
    glyphs = UNICODE if draws_unicode() else ASCII
    for heat in (Heat.HOT, Heat.WARM):
        yield glyphs.heat[heat], f"{heat.name.lower()}: {heat.from_permille // 10} % or more"
