# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import moorage

REPOSITORY = Path(__file__).parent.parent.parent
SOURCE = REPOSITORY / "src" / "moorage"
MODULES = sorted(
    path
    for folder in ("src", "tests", "tools", "benchmarks")
    for path in (REPOSITORY / folder).rglob("*.py")
)

# What importing a folder may load of ours, at the top of its modules.
PURE = {
    "model": {"model"},
    "rules": {"model", "rules"},
    "verifying": {"model", "rules", "verifying"},
}


def name_of(path: Path) -> str:
    """Return a path as it is written in this repository."""
    return str(path.relative_to(REPOSITORY))


def modules_after(statement: str) -> set[str]:
    """Return the names of all modules that a fresh Python holds after a statement."""
    program = f"{statement}\nimport sys; print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    return set(process.stdout.split())


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_names_its_licence(path: Path) -> None:
    """The first line of each module is its SPDX header."""
    first, _, _ = path.read_text("utf-8").partition("\n")
    assert first == "# SPDX-License-Identifier: Apache-2.0"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path.name.startswith("test_")], ids=name_of
)
def test_every_test_states_its_property(path: Path) -> None:
    """Each test has a docstring that begins with a sentence."""
    silent = [
        node.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not (ast.get_docstring(node) or "").partition("\n\n")[0].endswith(".")
    ]
    assert not silent


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_names_explain_themselves(path: Path) -> None:
    """No module is called after nothing, and no class is a Manager."""
    assert path.stem not in {"utils", "util", "helpers", "helper", "misc", "common"}
    assert not re.search(r"^class \w*Manager\b", path.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("folder", PURE)
def test_the_core_loads_only_the_standard_library(folder: str) -> None:
    """Importing the model, the rules or the verifier loads no other package and no solver."""
    loaded = modules_after(f"import moorage.{folder}") - modules_after("")
    foreign = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {"moorage"}
    assert not foreign
    ours = {name.split(".")[1] for name in loaded if name.startswith("moorage.")}
    assert ours <= PURE[folder] | {"_version"}


def test_every_folder_stands_in_the_layers() -> None:
    """A new folder or module next to the others gets its place among the layers."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    placed = {layer.strip("()") for layer in layers}
    present = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert present - {"__init__", "__main__", "_version", "__pycache__", "py"} <= placed


def test_every_export_can_be_had() -> None:
    """Each name that the library lists is there when asked for; any other is refused."""
    for name in moorage.__all__:
        assert getattr(moorage, name) is not None
    assert set(moorage.__all__) <= set(dir(moorage))
    with pytest.raises(AttributeError, match="frobnicate"):
        moorage.frobnicate  # noqa: B018 - the look-up is what is tested


def test_the_lock_names_the_public_index_and_hashes_every_file() -> None:
    """What is installed comes from the public index and is the very file that was locked."""
    locked = tomllib.loads((REPOSITORY / "uv.lock").read_text("utf-8"))["package"]
    for package in locked:
        if package["name"] == "moorage":
            assert package["source"] == {"editable": "."}
            continue
        assert package["source"] == {"registry": "https://pypi.org/simple"}
        files = [*package.get("wheels", []), *filter(None, [package.get("sdist")])]
        assert files
        for file in files:
            assert file["url"].startswith("https://files.pythonhosted.org/packages/")
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"])


def test_the_lock_was_made_from_this_project() -> None:
    """What the lock was solved for is what the project asks for, extras and groups included."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    groups = project["dependency-groups"].values()
    wished = [*project["project"]["dependencies"], *(r for extra in extras for r in extra)]
    wished += {r for group in groups for r in group if isinstance(r, str)}
    packages = tomllib.loads((REPOSITORY / "uv.lock").read_text("utf-8"))["package"]
    metadata = next(package for package in packages if package["name"] == "moorage")["metadata"]
    locked = [
        *metadata["requires-dist"],
        *(r for g in metadata["requires-dev"].values() for r in g),
    ]
    assert {(canonicalize_name(r.name), r.specifier) for r in map(Requirement, wished)} == {
        (canonicalize_name(r["name"]), SpecifierSet(r["specifier"])) for r in locked
    }


@pytest.mark.parametrize(
    ("docstring", "code"), [("A table.", 1), ("A table.\n\nLong because it is a table.", 0)]
)
def test_a_long_module_has_to_say_why(tmp_path: Path, docstring: str, code: int) -> None:
    """The size check fails for a module over 400 lines that gives no reason, and names it."""
    (tmp_path / "table.py").write_text(f'"""{docstring}\n"""\n' + "x = 1\n" * 400, "utf-8")
    process = subprocess.run(
        [sys.executable, str(REPOSITORY / "tools" / "check_sizes.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == code
    assert "table.py: 40" in process.stdout
