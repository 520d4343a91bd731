# SPDX-License-Identifier: Apache-2.0
"""The shell of the command line: quick to start, one place for errors, talk kept off stdout."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
import pytest

from moorage import __version__
from moorage.cli import failures, main, output
from moorage.cli.commands import COMMANDS
from moorage.cli.exit_codes import ExitCode
from moorage.model.errors import BadInput

if TYPE_CHECKING:
    from tests.conftest import RunMoorage

HEAVY = {
    "fastapi", "jinja2", "numba", "numpy", "ortools", "pandas", "pydantic", "rich", "ruamel",
    "sqlalchemy",
}  # fmt: skip
BUDGET_S = 0.060
ROUNDS = 4


def least_cpu_s(command: list[str], environment: dict[str, str]) -> float:
    """Return the least user and system time of five runs, after one that fills the caches."""
    spent = []
    for _ in range(6):
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        spent.append(usage.ru_utime + usage.ru_stime)
    return min(spent[1:])


def starts_in_budget(command: list[str], environment: dict[str, str]) -> bool:
    """Tell whether the least of five is in budget in some round.

    Neighbours on the same core can make every run of a round slower by a half; a slow start
    is slow in each round.
    """
    return any(least_cpu_s(command, environment) < BUDGET_S for _ in range(ROUNDS))


def loaded_by(arguments: list[str], environment: dict[str, str]) -> set[str]:
    """Return the modules that Python loads, by its own account."""
    process = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(re.findall(r"^import time:.*\| +(\S+)$", process.stderr, re.MULTILINE))


def call_with(monkeypatch: pytest.MonkeyPatch, error: BaseException, *arguments: str) -> int:
    """Run a command line whose command raises the error, and return the exit code."""

    @click.command
    def failing() -> NoReturn:
        raise error

    monkeypatch.setitem(main.cli.commands, "hosts", failing)
    return main.run([*arguments, "hosts"])


# --- starting ------------------------------------------------------------------------------------


def test_help_is_quick(plain_environment: dict[str, str]) -> None:
    """`moorage --help` takes less than 60 ms of CPU, least of five."""
    command = [str(Path(sys.executable).with_name("moorage")), "--help"]
    assert starts_in_budget(command, plain_environment)


def test_import_is_quick(plain_environment: dict[str, str]) -> None:
    """`import moorage` takes less than 60 ms of CPU, least of five."""
    command = [sys.executable, "-c", "import moorage"]
    assert starts_in_budget(command, plain_environment)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_the_shell_loads_nothing_heavy(plain_environment: dict[str, str], argument: str) -> None:
    """Help and version load click, and no solver, reader, drawing library or command."""
    loaded = loaded_by(["-m", "moorage", argument], plain_environment)
    assert "click" in loaded
    assert not HEAVY & {name.partition(".")[0] for name in loaded}
    assert not {entry.target.partition(":")[0] for entry in COMMANDS.values()} & loaded
    assert "moorage.model" not in loaded


def test_importing_the_library_loads_no_other_package(plain_environment: dict[str, str]) -> None:
    """`import moorage` loads only the standard library and two files of its own."""
    loaded = loaded_by(["-c", "import moorage"], plain_environment)
    assert not (HEAVY | {"click"}) & {name.partition(".")[0] for name in loaded}
    ours = {name for name in loaded if name.startswith("moorage")}
    assert ours == {"moorage", "moorage._version"}


# --- what there is -------------------------------------------------------------------------------


def test_version(run_moorage: RunMoorage) -> None:
    """`--version` prints the package's version on stdout."""
    process = run_moorage("--version")
    assert (process.returncode, process.stdout) == (0, f"moorage {__version__}\n")


def test_help_lists_every_command_under_its_heading(run_moorage: RunMoorage) -> None:
    """`--help` shows each command of the table with its line, below its section's heading."""
    text = run_moorage("--help").stdout
    for name, entry in COMMANDS.items():
        heading = text.index(f"{entry.section}:")
        assert heading < text.index(f"  {name} ")
        assert entry.summary in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_command_exists(run_moorage: RunMoorage, name: str) -> None:
    """Each command of the table has help of its own, which names the common options."""
    process = run_moorage(name, "--help")
    assert (process.returncode, process.stderr) == (0, "")
    assert f"moorage {name}" in process.stdout
    assert "--debug" in process.stdout


def test_the_line_for_the_shell_can_be_copied_from_the_help(run_moorage: RunMoorage) -> None:
    """It stands on a line of its own, without a mark of the help's own."""
    lines = run_moorage("completion", "--help").stdout.splitlines()
    assert 'eval "$(moorage completion bash)"' in [line.strip() for line in lines]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(run_moorage: RunMoorage, shell: str) -> None:
    """`completion` prints a script that asks this program for the answers."""
    process = run_moorage("completion", shell)
    assert process.returncode == 0
    assert f"_MOORAGE_COMPLETE={shell}_complete" in process.stdout


def test_completing_a_command_loads_no_command(plain_environment: dict[str, str]) -> None:
    """A TAB after `moorage c` is answered from the table alone."""
    asked = {"_MOORAGE_COMPLETE": "bash_complete", "COMP_WORDS": "moorage c", "COMP_CWORD": "1"}
    command = [sys.executable, "-X", "importtime", "-m", "moorage"]
    process = subprocess.run(
        command, env=plain_environment | asked, capture_output=True, text=True, check=True
    )
    starting_with_c = [f"plain,{name}" for name in COMMANDS if name.startswith("c")]
    assert process.stdout.split() == starting_with_c
    assert "moorage.cli.check" not in process.stderr


# --- errors and exit codes -----------------------------------------------------------------------


def test_exit_codes_are_those_of_the_contract() -> None:
    """The numbers that scripts rely on never change, and each tells what it means."""
    assert {code.name: code.value for code in ExitCode} == {
        "DONE": 0,
        "UNEXPECTED": 1,
        "MOVES": 2,
        "INFEASIBLE": 3,
        "CONFLICT": 4,
        "STALE": 5,
        "PARTLY": 6,
        "UNAUTHORISED": 7,
        "UNREACHABLE": 8,
        "VERIFICATION_FAILED": 9,
        "USAGE": 64,
        "BAD_INPUT": 65,
        "INTERRUPTED": 130,
    }
    assert all(code.meaning for code in ExitCode)


def test_a_typo_is_answered_with_the_nearest_command(run_moorage: RunMoorage) -> None:
    """An unknown command exits 64 and suggests the one that was probably meant."""
    process = run_moorage("chekc")
    assert (process.returncode, process.stdout) == (ExitCode.USAGE, "")
    assert process.stderr == "error: No such command 'chekc'.\nhint: did you mean check?\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["--frobnicate"], ["frobnicate"], ["completion"], ["completion", "tcsh"],
     ["completion", "bash", "zsh"], ["completion", "--frobnicate"]],
)  # fmt: skip
def test_wrong_usage_exits_64(run_moorage: RunMoorage, arguments: list[str]) -> None:
    """Wrong usage exits 64, prints nothing on stdout and says on stderr what would be right."""
    process = run_moorage(*arguments)
    assert (process.returncode, process.stdout) == (ExitCode.USAGE, "")
    assert "error: " in process.stderr or "Usage: " in process.stderr


def test_an_error_tells_place_message_and_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the house exits with its own code and says where, what, and what to try."""
    error = BadInput("unknown key 'hosst'", place="fleet.yaml:12:5", hint="did you mean hosts?")
    assert call_with(monkeypatch, error) == ExitCode.BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == ("error: fleet.yaml:12:5: unknown key 'hosst'\nhint: did you mean hosts?\n")


def test_an_error_without_place_or_hint_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an error doesn't know is left out."""
    call_with(monkeypatch, BadInput("no such format"))
    assert capsys.readouterr().err == "error: no such format\n"


def test_an_unexpected_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error that nobody foresaw exits 1 with its kind and text in one line, no traceback."""
    assert call_with(monkeypatch, ValueError("two\nlines")) == ExitCode.UNEXPECTED
    assert capsys.readouterr().err == (
        "error: unexpected ValueError: two lines\nhint: run again with --debug for the traceback\n"
    )


@pytest.mark.parametrize("how", ["option", "variable"])
def test_debug_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    """`--debug` and MOORAGE_DEBUG add the traceback; the exit code stays the same."""
    if how == "variable":
        monkeypatch.setenv("MOORAGE_DEBUG", "1")
    arguments = ["--debug"] if how == "option" else []
    assert call_with(monkeypatch, ValueError("odd"), *arguments) == ExitCode.UNEXPECTED
    said = capsys.readouterr().err
    assert "Traceback (most recent call last)" in said
    assert said.endswith("error: unexpected ValueError: odd\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()], ids=repr)
def test_an_interruption_exits_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    """Ctrl-C, at a prompt or anywhere else, exits 130 without a traceback."""
    assert call_with(monkeypatch, error) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "error: interrupted\n"


def test_a_command_returns_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command returns is what the process exits with."""
    command = click.Command("hosts", callback=lambda: ExitCode.INFEASIBLE)
    monkeypatch.setitem(main.cli.commands, "hosts", command)
    assert main.run(["hosts"]) == ExitCode.INFEASIBLE


def test_a_reader_that_leaves_is_no_error(plain_environment: dict[str, str]) -> None:
    """When the reader of stdout has gone we die of SIGPIPE as `cat` does, without a word."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "moorage", "completion", "bash"]
    process = subprocess.run(
        command, stdout=write_end, stderr=subprocess.PIPE, env=plain_environment, check=False
    )
    os.close(write_end)
    assert (process.returncode, process.stderr) == (-signal.SIGPIPE, b"")


def test_any_other_broken_pipe_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    """A socket that breaks is not mistaken for a reader that left."""
    assert failures.report(BrokenPipeError(32, "a socket"), traceback=False) == ExitCode.UNEXPECTED
    assert "BrokenPipeError" in capfd.readouterr().err


# --- printing ------------------------------------------------------------------------------------


def test_json_keeps_order_and_letters(capfd: pytest.CaptureFixture[str]) -> None:
    """JSON comes in the order given, as UTF-8, and stays JSON even for an odd file name."""
    document = {"schema": "moorage/test/v1", "b": "höst", "a": "bad\udcffname"}
    output.emit_json(document)
    sys.stdout.flush()
    printed = capfd.readouterr().out
    assert printed == (
        '{\n  "schema": "moorage/test/v1",\n  "b": "höst",\n  "a": "bad\\udcffname"\n}\n'
    )
    assert json.loads(printed) == document


def test_a_warning_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Talk never mixes with data."""
    output.warn("2 guests have no host")
    assert capsys.readouterr() == ("", "warning: 2 guests have no host\n")


@pytest.mark.parametrize(("variables", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colour_on_a_terminal_only_when_welcome(
    plain_environment: dict[str, str], variables: dict[str, str], *, colored: bool
) -> None:
    """On a terminal errors are coloured unless NO_COLOR is set."""
    terminal, end_of_child = pty.openpty()
    command = [sys.executable, "-m", "moorage", "chekc"]
    subprocess.run(command, stderr=end_of_child, env=plain_environment | variables, check=False)
    os.close(end_of_child)
    said = os.read(terminal, 10_000)
    os.close(terminal)
    assert (b"\x1b[" in said) is colored


@pytest.mark.parametrize(
    ("variables", "unicode"),
    [
        ({"LANG": "en_GB.UTF-8"}, True),
        ({"LANG": "C.UTF-8"}, True),
        ({"LANG": "C"}, False),
        ({"LANG": ""}, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),  # what Python makes of LANG=C
        ({"LANG": "C", "LC_CTYPE": "C.utf8"}, True),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "C"}, False),
    ],
)
def test_the_c_locale_gets_ascii(
    plain_environment: dict[str, str], variables: dict[str, str], *, unicode: bool
) -> None:
    """Tables are drawn with box lines where the locale knows them, with ASCII elsewhere."""
    program = (
        "from rich.table import Table\n"
        "from moorage.cli.output import console\n"
        "table = Table('host'); table.add_row('[n1]'); console().print(table)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", program],
        env=plain_environment | variables,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "[n1]" in process.stdout
    assert process.stdout.isascii() is not unicode
    assert "\x1b" not in process.stdout


def test_a_pipe_is_wide_and_a_console_never_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is cut neither by a pipe nor below 80 columns, whatever the terminal says."""
    monkeypatch.setenv("COLUMNS", "20")
    assert output.console().width == output.PIPE_WIDTH
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert output.console().width == output.NARROWEST
