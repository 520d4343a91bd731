# SPDX-License-Identifier: Apache-2.0
"""The published schema and the page of the native format say what the reader does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from moorage.formats.detect import NAMES
from moorage.formats.native import read, write
from moorage.formats.native.rule_forms import Named, Shape, fields_of
from moorage.formats.native.schema import json_schema
from moorage.formats.tree import parse
from moorage.model import Fleet
from moorage.rules.registry import registry
from moorage.verifying import broken_now
from tests.conftest import REPOSITORY
from tests.strategies import fleets
from tools.write_schema import SCHEMA_FILE, schema_text

PAGE = (REPOSITORY / "docs" / "native-format.md").read_text("utf-8")
SCHEMA = json_schema()
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,),
    "integer": (int,), "number": (int, float), "null": (type(None),),
}  # fmt: skip


def faults(schema: dict[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """Yield where a value is not as a schema says: as much of JSON Schema as ours uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema and all(list(faults(each, value)) for each in schema["anyOf"]):
        yield f"{path}: none of the forms"
    wanted = schema.get("type", [])
    types = [wanted] if isinstance(wanted, str) else wanted
    if types and not any(_is(value, each) for each in types):
        yield f"{path}: not {types}"
        return
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        yield f"{path}: not one of the words"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{path}: not like {schema['pattern']}"
    if isinstance(value, int | float) and value < schema.get("minimum", value):
        yield f"{path}: too small"
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            yield from faults(schema["items"], each, f"{path}[{index}]")
    if isinstance(value, dict):
        yield from _faults_of_keys(schema, value, path)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])


def _faults_of_keys(schema: dict[str, Any], value: dict[str, Any], path: str) -> Iterator[str]:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", 10**9):
        yield f"{path}: wrong number of keys"
    for missing in set(schema.get("required", ())) - set(value):
        yield f"{path}: lacks {missing}"
    for key, each in value.items():
        if key not in known and others is False:
            yield f"{path}: has {key}"
        below = known.get(key, others)
        if isinstance(below, dict):
            yield from faults(below, each, f"{path}.{key}")


def test_the_published_schema_is_up_to_date() -> None:
    """`tools/write_schema.py` would change nothing."""
    assert SCHEMA_FILE.read_text("utf-8") == schema_text(), "run tools/write_schema.py"


@pytest.mark.parametrize("as_json", [False, True], ids=["yaml", "json"])
@given(fleet=fleets(limits=True))
def test_what_is_written_fits_the_schema(as_json: bool, fleet: Fleet) -> None:
    """Whatever Moorage writes, an editor with the schema finds nothing wrong with it."""
    assert not list(faults(SCHEMA, parse(write(fleet, json=as_json), name="f").value))


@pytest.mark.parametrize(
    "document",
    [
        {"hots": {}},
        {"hosts": {"a": {"memory": -1}}},
        {"hosts": {"a": {"memory": "much"}}},
        {"hosts": {"a": {"state": "on"}}},
        {"guests": {"g": {"host": ["a", "b"]}}},
        {"guests": {"g": {"stopped": 1}}},
        {"rules": [{"apart": {"domain": "rack"}}]},
        {"rules": [{"apart": {"guests": []}, "drain": {}}]},
        {"rules": [{"apart": {"guests": {"label": "x"}}}]},
        {"schema": "moorage/fleet/v2"},
    ],
    ids=str,
)
def test_the_schema_refuses_mistakes(document: dict[str, Any]) -> None:
    """What the reader refuses by its form, the schema refuses too."""
    assert list(faults(SCHEMA, document))


def keys_of_sections() -> Iterator[str]:
    """Yield every key outside of rules."""
    yield from SCHEMA["properties"]
    for name, section in SCHEMA["$defs"].items():
        if not name.endswith("Rule") and name != "RuleEntry":
            yield from section.get("properties", ())


@pytest.mark.parametrize("key", sorted(set(keys_of_sections())))
def test_every_key_is_on_the_page(key: str) -> None:
    """Each key of the format is explained."""
    assert f"`{key}`" in PAGE


@pytest.mark.parametrize("word", ["name", "strength", "weight", "when", "origin"])
def test_every_key_of_all_rules_is_on_the_page(word: str) -> None:
    """What all rules have in common is explained; the rest is on the page of the rules."""
    assert f"| `{word}` |" in PAGE.partition("## Rules")[2]


def examples() -> list[str]:
    """Return the YAML on the page."""
    return re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_reads() -> None:
    """The fleet that the page begins with is one, without warnings and without broken rules."""
    fleet = read(parse(examples()[0], name="example"))
    assert not fleet.warnings
    assert not broken_now(fleet)
    assert len(fleet.rules) == 2
    assert not list(faults(SCHEMA, parse(examples()[0], name="example").value))


def test_the_other_examples_read_too() -> None:
    """Rules that the page shows are rules."""
    rules = examples()[1].replace("\n- ", "\n  - ")
    fleet = read(parse(f"guests: {{db-1: , db-2: }}\nrules:\n  {rules}", name="example"))
    assert [rule.kind for rule in fleet.rules] == ["apart", "drain", "quota"]


@pytest.mark.parametrize("kind", registry())
def test_every_field_that_holds_names_says_whose(kind: str) -> None:
    """No list of words in a rule goes unchecked: guests, hosts and resources are known by field."""
    for field in fields_of(kind):
        if field.shape in (Shape.MANY, Shape.SETS) and field.kind is str:
            assert field.named is not Named.NOTHING, f"what does {kind}.{field.name} name?"


def test_every_format_has_a_reader() -> None:
    """Each format that can be asked for is there."""
    from importlib import import_module

    for name in NAMES:
        assert callable(import_module(f"moorage.formats.{name}").read)


def test_the_schema_is_json() -> None:
    """The published file is what an editor will load."""
    published = json.loads(SCHEMA_FILE.read_text("utf-8"))
    assert published["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert published["title"] == "moorage/fleet/v1"
