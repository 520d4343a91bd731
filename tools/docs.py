# SPDX-License-Identifier: Apache-2.0
"""Writes the reference pages that follow from the code: rules, reasons, commands.

`tests/docs` holds that the committed pages are what this writes.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from pathlib import Path

import click

from moorage.cli.commands import COMMANDS
from moorage.cli.exit_codes import ExitCode
from moorage.cli.main import cli
from moorage.explaining import why_moved
from moorage.model.reasons import SENTENCES
from moorage.model.rule import Rule, Strength
from moorage.problem.bounds.certificate import Cause
from moorage.rules.registry import registry

DOCS = Path(__file__).parent.parent / "docs"
WIDTH = 90
WRITTEN = "<!-- Written by `make docs` from the code; edit there. -->\n\n"
COMMON = {field.name for field in dataclasses.fields(Rule)}
MOVES = {
    why_moved.PLACE: "the guest has no host yet",
    why_moved.BALANCE: "it evens out hosts, under the goal `balance`",
    why_moved.MAKE_ROOM: "others need the room, under `few-moves` and `evacuate`",
    why_moved.GOAL: "the goal asks for it, under any other goal",
}
CAUSES = {
    Cause.CAPACITY: "hosts have not enough of some resource for those who have to be there",
    Cause.DOMAINS: "rules ask for more hosts, racks or other domains than there are",
    Cause.HEALTH: "hosts are closed or unwell",
    Cause.GUEST_TOO_LARGE: "a guest fits on none of the hosts that are open to it",
    Cause.PINS: "pins, bans or locks leave a guest no host",
    Cause.COMBINED: "several of these together",
}


def rules_page() -> str:
    """Return the page of all rules: data, invariant, remedy."""
    lines = [
        WRITTEN + "# Rules\n",
        "Every rule has a `name`, a `strength` (`must`, or `should` with a `weight` that each",
        "collision costs, or each unit too much of a resource), a `when` (`always`: at every",
        "instant of a plan, or `at_end`) and an `origin` (`pve` or `nova` where the platform",
        "enforces it too). What should hold counts at the end only. *Ambient* rules bind every",
        "fleet without being written down.\n",
    ]
    for kind, rule in registry().items():
        lines += _rule_section(kind, rule)
    return "\n".join(lines)


def _rule_section(kind: str, rule: type[Rule]) -> list[str]:
    summary, attributes = _docstring(rule)
    ambient = " *Ambient.*" if rule.ambient else ""
    when = rule.usual_when.value.replace("_", " ")
    lines = [f"## {kind}\n", f"{summary}{ambient}\n", f"> {rule.invariant}\n"]
    own = [field for field in dataclasses.fields(rule) if field.name not in COMMON]
    if own:
        lines += ["| key | default | meaning |", "|---|---|---|"]
        for field in own:
            meaning = attributes.get(field.name, "")
            lines.append(f"| `{field.name}` | {_default(field)} | {meaning} |")
        lines.append("")
    enforced = " (always where a platform enforces it)" if rule.always_where_enforced else ""
    usual = {field.name: field.default for field in dataclasses.fields(rule)}["strength"]
    soft = "" if usual is Strength.MUST else " A `should` unless `strength` says otherwise."
    holds = f"Holds {when}{enforced} unless `when` says otherwise.{soft}"
    lines.append(f"{holds} Remedy: {rule.remedy}.\n")
    return lines


def _default(field: dataclasses.Field[object]) -> str:
    """Say what a key is where it isn't written, as a document would have it."""
    missing, value = dataclasses.MISSING, field.default
    if value is missing and field.default_factory is missing:
        return "needed"
    if value is missing or value is None or value == ():
        return "none"
    if isinstance(value, tuple):
        return ", ".join(f"`{each}`" for each in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _docstring(rule: type[Rule]) -> tuple[str, dict[str, str]]:
    """Return what comes before "Attributes:", in one line each, and the attributes."""
    text = inspect.getdoc(rule) or ""
    before, _, after = text.partition("Attributes:")
    found: dict[str, str] = {}
    name = ""
    for line in after.splitlines():
        entry = re.match(r" {4}(\w+): (.*)", line)
        if entry:
            name = entry[1]
            found[name] = entry[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return " ".join(before.split()), found


def reasons_page() -> str:
    """Return the page of reason codes and exit codes."""
    lines = [
        WRITTEN + "# Reasons and exit codes\n",
        "Reason codes are stable: scripts may compare them. The text that comes with one names",
        "hosts, guests and figures, and may get better.\n",
        "| code | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{code}` | {sentence} |" for code, sentence in SENTENCES.items()]
    lines += [
        "\n## Moves\n",
        "A move has the reason code of what it repairs, or one of these if it repairs nothing.\n",
        "| code | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{code}` | {meaning} |" for code, meaning in MOVES.items()]
    lines += [
        "\n## Causes\n",
        "Why the must-rules of a fleet can't all hold: `cause` of `infrastructure_exhausted`. In",
        "an `infeasible` target it is the `code` of statements, too, where `presolve` proved it.\n",
        "| cause | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{cause}` | {meaning} |" for cause, meaning in CAUSES.items()]
    lines += ["\n## Exit codes\n", "| code | meaning |", "|---|---|"]
    lines += [f"| {int(code)} | {code.meaning} |" for code in ExitCode]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Return the page of commands: what `--help` says of each."""
    lines = [
        WRITTEN + "# Commands\n",
        "Data goes to stdout, talk to stderr. `--json` answers in a [versioned form](json.md);",
        "`NO_COLOR` is honoured; `moorage completion SHELL` prints a completion script.\n",
    ]
    context = click.Context(cli, info_name="moorage")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None, "the table names only commands that exist"
        inner = click.Context(
            command, info_name=name, parent=context, terminal_width=WIDTH, max_content_width=WIDTH
        )
        lines += [f"## {name}\n", "```", command.get_help(inner), "```\n"]
    return "\n".join(lines)


PAGES = {
    "rules.md": rules_page,
    "reasons.md": reasons_page,
    "commands.md": commands_page,
}


def main() -> None:
    """Write all pages."""
    DOCS.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")


if __name__ == "__main__":
    main()
