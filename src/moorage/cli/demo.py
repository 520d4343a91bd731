# SPDX-License-Identifier: Apache-2.0
"""`moorage demo`: a fleet in trouble, what the verifier says, and a move while it runs.

Everything that is printed was computed a moment before. The middle part, one move found by
trying, is what solving and routing take over.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from moorage.cli import output
from moorage.cli.exit_codes import ExitCode
from moorage.cli.marks import marks

if TYPE_CHECKING:
    from rich.console import Console

    from moorage.cli.one_move import Trial
    from moorage.drivers.simulator import Simulator
    from moorage.model import Breach, Fleet, Violation

FLEETS = ("homelab", "cluster", "cloud")
WIDEST = 100
PIPE_WIDTH = 80
TOP_HOSTS = 16
TOP_BREACHES = 6
PLAYS_FOR_S = 4
"""How long a move takes to watch, when nobody asks for another speed."""
FRAMES_A_S = 20


@click.command
@click.option(
    "--fleet",
    type=click.Choice(FLEETS),
    default="cluster",
    show_default=True,
    help="The simulated fleet to show.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of all chance."
)
@click.option(
    "--speed",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Seconds of the simulation in one second; by default a move plays for {PLAYS_FOR_S} s.",
)
def command(fleet: str, seed: int, speed: int | None) -> int:
    """Show the main job on an embedded fleet: nothing outside of this process is touched."""
    from moorage.drivers.simulator import Address, open_simulator

    address = str(Address(fleet, seed))
    simulator = open_simulator(address)
    stage = Stage(output.console())
    before = simulator.snapshot()
    stage.introduce(address, before)
    stage.show_hosts(before)
    stage.show_trouble(before)
    done = _mend(stage, simulator, before, speed)
    stage.suggest(address, done)
    return ExitCode.DONE


def _mend(stage: Stage, simulator: Simulator, before: Fleet, speed: int | None) -> Trial | None:
    """Find a move, show what the verifier says of it and of a worse one, and run it."""
    from moorage.cli.one_move import accepted_move, collision, refused_move

    breach = collision(before)
    if breach is None:
        return None
    stage.title("What the verifier says")
    refused = refused_move(before, simulator.state, breach)
    if refused is not None:
        stage.show_refused(refused)
    accepted = accepted_move(before, simulator.state, breach)
    if accepted is None:
        stage.say("no single move resolves it")
        return None
    stage.show_accepted(accepted, breach)
    stage.title("The move, on the simulator")
    stage.play(simulator, accepted, speed)
    stage.show_outcome(before, simulator.snapshot(), accepted)
    return accepted


class Stage:
    """Where the demonstration is shown: sections of text, wrapped to the terminal."""

    def __init__(self, out: Console) -> None:
        self.out = out
        out.width = min(out.width, WIDEST) if out.is_terminal else PIPE_WIDTH

    def say(self, text: str, *, indent: int = 2, mark: str = "", style: str = "") -> None:
        """Print *text* behind a mark; lines that wrap stay behind it."""
        from rich.text import Text

        lead = " " * indent + (f"{mark} " if mark else "")
        lines = Text(text, style).wrap(self.out, self.out.width - len(lead))
        for i, line in enumerate(lines):
            line.rstrip()
            start = (lead, f"bold {style}") if i == 0 else " " * len(lead)
            self.out.print(Text.assemble(start, line))

    def title(self, text: str) -> None:
        """Begin a section."""
        from rich.text import Text

        self.out.print()
        self.out.print(Text(text, "bold"))

    def introduce(self, address: str, fleet: Fleet) -> None:
        """Say what is shown."""
        from rich.text import Text

        self.out.print(
            Text.assemble(
                ("Moorage", "bold cyan"),
                f"  {address}: {len(fleet.hosts)} hosts, {len(fleet.guests)} guests,"
                f" {len(fleet.rules)} rules",
            )
        )

    def show_hosts(self, fleet: Fleet, only: Iterable[str] | None = None) -> None:
        """Draw the hosts as bars."""
        from moorage.cli.bars import host_bars, legend

        self.out.print()
        chosen = None if only is None else set(only)
        for line in host_bars(fleet, self.out.width, top=TOP_HOSTS, only=chosen):
            self.out.print(line)
        if chosen is None:
            signs = "   ".join(f"{mark} {meaning}" for mark, meaning in legend())
            self.out.print(f"  {signs}", style="dim")

    def show_trouble(self, fleet: Fleet) -> None:
        """Say what is broken, what runs hot, and what is not as it should be."""
        from moorage.cli.heat import hot_spots
        from moorage.verifying import broken_now, collisions_of

        self.title("What is wrong")
        self._tell_broken(fleet, broken_now(fleet))
        for text in hot_spots(fleet):
            self.say(text, mark=marks().odd, style="yellow")
        for rule, breach in collisions_of(fleet)[:TOP_BREACHES]:
            text = f"{breach.text} ({rule.label}, a should-rule)"
            self.say(text, mark=marks().odd, style="yellow")

    def _tell_broken(self, fleet: Fleet, violations: list[Violation]) -> None:
        from moorage.cli.findings import rules_by_label

        known = rules_by_label(fleet)
        for violation in violations[:TOP_BREACHES]:
            breach = violation.breach
            self.say(f"{breach.text} ({breach.rule})", mark=marks().bad, style="red")
            self.say(known[breach.rule].remedy_for(breach), indent=4, mark=marks().then)
        if len(violations) > TOP_BREACHES:
            self.say(f"and {len(violations) - TOP_BREACHES} more", indent=4)

    def show_refused(self, trial: Trial) -> None:
        """Show a move that looks as good, and why it is none."""
        self.say(f"{self._sentence(trial)}?", mark=marks().bad, style="red")
        shown = trial.figure or trial.violations[0]
        self.say(f"refused: {_when(shown)} {shown.breach.text}", indent=4, mark=marks().then)

    def show_accepted(self, trial: Trial, breach: Breach) -> None:
        """Show the move that will be made."""
        self.say(f"{self._sentence(trial)}?", mark=marks().good, style="green")
        text = f"accepted: nothing gets worse at any instant, and {breach.rule} holds afterwards"
        self.say(text, indent=4, mark=marks().then)

    def _sentence(self, trial: Trial) -> str:
        action = trial.action
        return f"move {action.guest} from {action.source} to {action.target}"

    def play(self, simulator: Simulator, trial: Trial, speed: int | None) -> None:
        """Run the move while the simulation goes on, quicker than life."""
        from moorage.cli.moving import shown_moves

        speed = speed or max(1, trial.plan.makespan_s // PLAYS_FOR_S)
        step_s = max(1, speed // FRAMES_A_S) if self.out.is_terminal else 1
        began_s = simulator.now_s
        task = simulator.start(trial.action)
        self._announce(trial, speed)
        with shown_moves(self.out) as shown:
            shown.add(task, trial.action)
            while not (progress := simulator.poll(task)).state.is_final:
                shown.update(task, progress, simulator.now_s - began_s)
                if self.out.is_terminal:
                    time.sleep(step_s / speed)
                simulator.advance(step_s)
            shown.update(task, progress, simulator.now_s - began_s)

    def _announce(self, trial: Trial, speed: int) -> None:
        text = f"{trial.plan.makespan_s} s in the simulation"
        if self.out.is_terminal and speed > 1:
            text += f", played {speed} times as fast"
        self.say(text, style="dim")

    def show_outcome(self, before: Fleet, after: Fleet, trial: Trial) -> None:
        """Compare the fleet as it is now with what it was; only what is seen counts as done."""
        from moorage.verifying import broken_now

        action = trial.action
        seen = after.guests[action.guest].host
        mark, style = (marks().good, "green") if seen == action.target else (marks().bad, "red")
        self.say(f"{action.guest} is seen on {seen} in a fresh snapshot", mark=mark, style=style)
        counts = [len(broken_now(fleet)) for fleet in (before, after)]
        self.say(f"rules broken: {counts[0]} before, {counts[1]} now", mark=mark, style=style)
        self.show_hosts(after, only=[h for h in (action.source, action.target) if h])

    def suggest(self, address: str, done: Trial | None) -> None:
        """End with what to try next, of what this version has."""
        from moorage.cli.commands import COMMANDS

        target = {} if done is None else {done.action.guest: done.action.target}
        self.title("Try next")
        for name, how in _suggestions(address, target).items():
            if name in COMMANDS:
                self.say(how, style="cyan")
                self.say(COMMANDS[name].summary, indent=6, style="dim")


def _when(violation: Violation) -> str:
    return "at the end" if violation.at_s is None else f"at {violation.at_s} s"


def _suggestions(address: str, target: Mapping[str, str]) -> dict[str, str]:
    """Return {command: how to call it} for this fleet."""
    later = f"{address}{'&' if '?' in address else '?'}at=14400"
    guest, host = next(iter(target.items()), ("GUEST", "HOST"))
    return {
        "check": f"moorage check {_quoted(address)}",
        "verify": f'echo \'{{"{guest}": "{host}"}}\' | moorage verify {_quoted(address)} -',
        "hosts": f"moorage hosts {_quoted(later)}",
        "guests": f"moorage guests {_quoted(address)}",
        "rules": f"moorage rules {_quoted(address)}",
        "convert": f"moorage convert {_quoted(address)} --to native -o fleet.yaml",
    }


def _quoted(address: str) -> str:
    from shlex import quote

    return quote(address)
