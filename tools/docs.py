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
from moorage.model.reasons import SENTENCES
from moorage.model.rule import Rule
from moorage.rules.registry import registry

DOCS = Path(__file__).parent.parent / "docs"
WIDTH = 90
WRITTEN = "<!-- Written by `make docs` from the code; edit there. -->\n\n"
COMMON = {field.name for field in dataclasses.fields(Rule)}


def rules_page() -> str:
    """Return the page of all rules: data, invariant, remedy."""
    lines = [
        WRITTEN + "# Rules\n",
        "Every rule has a `name`, a `strength` (`must`, or `should` with a `weight` that each",
        "collision costs), a `when` (`always`: at every instant of a plan, or `at_end`) and an",
        "`origin` (`pve` or `nova` where the platform enforces it too). *Ambient* rules bind every",
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
        lines += ["| key | needed | meaning |", "|---|---|---|"]
        for field in own:
            needed = "yes" if _is_required(field) else ""
            lines.append(f"| `{field.name}` | {needed} | {attributes.get(field.name, '')} |")
        lines.append("")
    lines.append(f"Holds {when} unless `when` says otherwise. Remedy: {rule.remedy}.\n")
    return lines


def _is_required(field: dataclasses.Field[object]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


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
    lines += ["\n## Exit codes\n", "| code | meaning |", "|---|---|"]
    lines += [f"| {int(code)} | {code.meaning} |" for code in ExitCode]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Return the page of commands: what `--help` says of each."""
    lines = [
        WRITTEN + "# Commands\n",
        "Data goes to stdout, talk to stderr. `--json` answers in a versioned form; `NO_COLOR`",
        "is honoured; `moorage completion SHELL` prints a completion script.\n",
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
