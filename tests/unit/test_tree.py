# SPDX-License-Identifier: Apache-2.0
"""Documents as plain values: what YAML and JSON mean, where it stands, what is refused."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from moorage.formats.tree import YAML_1_1, from_value, parse
from moorage.model.errors import BadInput, TooLarge


def refusal(text: str, **options: Any) -> BadInput:
    """Return the error that a text is refused with."""
    with pytest.raises(BadInput) as refused:
        parse(text, name="f", **options)
    return refused.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("a: 1\nb: [x, 'y', {c: 2.5}]\n", {"a": 1, "b": ["x", "y", {"c": 2.5}]}),
        ('{"a": [1, true, null, "\\u00e9"]}', {"a": [1, True, None, "é"]}),
        ("{a: 1, b: x}", {"a": 1, "b": "x"}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("a: >\n  one\n  two\n", {"a": "one two\n"}),
        ("%YAML 1.1\n---\na: yes\n", {"a": True}),
        ("a: !!str 1\nb: !!int '2'\n", {"a": "1", "b": 2}),
        ("a: 2001-12-14\nb: 1_000\nc: =\n", {"a": "2001-12-14", "b": "1_000", "c": "="}),
    ],
)
def test_values_are_plain(text: str, value: Any) -> None:
    """A document becomes dicts, lists, text, numbers, truth values and None, nothing else."""
    assert parse(text, name="f").value == value


def test_keys_are_text_as_it_is_written() -> None:
    """A host may be called 1, 010, on or null: keys keep their letters."""
    tree = parse("1: a\n010: b\non: c\nnull: d\n1.50: e\n", name="f")
    assert list(tree.value) == ["1", "010", "on", "null", "1.50"]


@pytest.mark.parametrize(
    ("word", "in_1_1", "in_1_2"),
    [
        ("yes", True, "yes"),
        ("Off", False, "Off"),
        ("y", "y", "y"),
        ("TRUE", True, True),
        ("~", None, None),
        ("010", 8, "010"),
        ("0o10", "0o10", 8),
        ("0x1F", 31, 31),
        ("0b11", 3, "0b11"),
        ("1_000", 1000, "1_000"),
        ("1:30", 90, "1:30"),
        ("1:30.5", 90.5, "1:30.5"),
        ("1e3", "1e3", 1000.0),
        ("1.5e+3", 1500.0, 1500.0),
        (".5", 0.5, 0.5),
        ("-12", -12, -12),
        ("+1", 1, 1),
        ("-0", 0, 0),
        ("2001-01-01", "2001-01-01", "2001-01-01"),
    ],
)
def test_plain_words_follow_the_version(word: str, in_1_1: Any, in_1_2: Any) -> None:
    """YAML 1.1 is read as PyYAML reads it, 1.2 by its core schema; a leading zero stays text."""
    text = f"a: {word}"
    found = (
        parse(text, name="f", yaml_version=YAML_1_1).value["a"],
        parse(text, name="f").value["a"],
    )
    assert found == (in_1_1, in_1_2)
    assert [type(each) for each in found] == [type(in_1_1), type(in_1_2)]


def test_aliases_and_merge_keys_are_followed() -> None:
    """An alias is what it names; a merged mapping stands under the keys written out."""
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\nc: {<<: [{x: 5}, *a]}\nd: [*a]\n"
    value = parse(text, name="f").value
    assert value["b"] == {"x": 3, "y": 2}
    assert value["c"] == {"x": 5, "y": 2}
    assert value["d"] == [{"x": 1, "y": 2}]


@pytest.mark.parametrize(
    "text",
    [
        "hosts:\n  a: 1\n  b:\n    - x\n    - {c: 2}\n",
        'hosts:\n  a: 1\n  b:\n    - x\n    - {c: "2", d: &t 3}\n',
    ],
)
def test_places_in_yaml_are_lines_and_columns(text: str) -> None:
    """Every value and key can tell its line and column, read the fast way or the full one."""
    tree = parse(text, name="f")
    assert tree.place(("hosts", "b", 1, "c")) == "f:5:11"
    assert tree.place(("hosts", "b", 1, "c"), of_key=True) == "f:5:8"
    assert tree.place(("hosts", "b")) == "f:4:5"
    assert tree.place(("hosts", "b"), of_key=True) == "f:3:3"
    assert tree.place(("hosts", "nowhere", "x")) == "f:2:3"
    assert tree.place() == "f:1:1"


def test_places_in_json_are_lines_and_columns() -> None:
    """JSON tells places like YAML, strings with brackets and escapes notwithstanding."""
    tree = parse('\n  {"a\\n": "]",\n "b": [1, {"c": 2}]}', name="f")
    assert tree.place(("b", 1, "c")) == "f:3:17"
    assert tree.place(("b", 1, "c"), of_key=True) == "f:3:12"
    assert tree.place(("a\n",), of_key=True) == "f:2:4"
    assert tree.place() == "f:2:3"


def test_places_without_a_text_are_paths() -> None:
    """A value that never was text tells its path."""
    tree = from_value({"hosts": {"a": [1, 2]}})
    assert tree.place(("hosts", "a", 1)) == "<mapping>: hosts.a[1]"
    assert tree.place() == "<mapping>"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f:3:1", "duplicate key 'a'"),
        ("x: {a: 1, a: 2}\n", "f:1:11", "duplicate key 'a'"),
        ("x: &x {a: 1, a: 2}\n", "f:1:14", "duplicate key 'a'"),
        ('{"a": 1,\n "a": 2}', "f:2:2", "duplicate key 'a'"),
        ('{"a": NaN}', "f:1:7", "NaN is no number of JSON"),
        ('{"a": -Infinity}', "f:1:7", "-Infinity is no number of JSON"),
        ('{"a": [1,2,}', "f:1:12", "is no valid JSON: Expecting value"),
        ('{"a": 1e999}', "f:1:7", "the number is too large"),
        ('{"a": 9223372036854775808}', "f:1:7", "the number has more than 64 bits"),
        ('{"a": ' + "9" * 5000 + "}", "f:1:7", "the number has more than 64 bits"),
        ('{"a": "\\ud800"}', "f:1:7", "half of a character (a lone surrogate)"),
        ("a: " + "9" * 5000, "f:1:4", "the number has more than 64 bits"),
        ("a: 1e999", "f:1:4", "the number is too large"),
        ("a: .inf", "f:1:4", ".inf is no number that can be worked with"),
        ("a: !!python/none x", "f:1:4", "the tag !!python/none has no meaning here"),
        ("a: !!binary aGk=", "f:1:4", "the tag !!binary has no meaning here"),
        ("a: !mine [1]", "f:1:4", "the tag !mine has no meaning here"),
        ("a: *nowhere", "f:1:4", "nothing has the anchor &nowhere"),
        ("a: &a [*a]", "f:1:8", "the alias *a stands inside what it names"),
        ("? [a, b]\n: c", "f:1:3", "a list or a mapping can't be a key"),
        (": x", "f:1:1", "a key is missing here"),
        ("a: &a [1]\n*a : x", "f:2:1", "only text can be a key"),
        ("a: {<<: 1}", "f:1:9", "<< takes a mapping or a list of mappings"),
        ("a: 1\n---\nb: 2", "f:2:1", "a second document begins here"),
        ("a: b: c", "f:1:5", "mapping values are not allowed here"),
        ("a: \x00", "f:1:4", "character U+0000 can't stand in YAML"),
        ('a: "\\uD800"', "f:1:4", "half of a character (a lone surrogate)"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    """What has no meaning is bad input, at its line and column."""
    error = refusal(text)
    assert (type(error), error.code, error.place, error.message) == (
        BadInput, "bad_input", place, message,
    )  # fmt: skip


def test_a_duplicate_tells_the_first() -> None:
    """Of a key that stands twice both lines are told."""
    assert refusal("a: 1\nb: 2\na: 3\n").hint == "the first one is on line 1"


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30)
)
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 200))
MERGED = "a0: &a0 {x: 1}\n" + "".join(
    f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}], k{i}: [*a{i - 1}, *a{i - 1}]}}\n"
    for i in range(1, 60)
)


@pytest.mark.parametrize(
    "text",
    [BOMB, CHAIN, MERGED, "[" * 100_000, "- " * 100_000, "a: " + "[" * 100_000,
     '{"a":' * 100_000, "a: {" + "b: {" * 50_000],
    ids=["bomb", "chain", "merged", "json lists", "lists", "flow", "objects", "mappings"],
)  # fmt: skip
def test_what_grows_without_end_is_refused_at_once(text: str) -> None:
    """Alias bombs and endless depth are refused before anything walks them."""
    start = process_time()
    error = refusal(text)
    assert process_time() - start < 1
    assert isinstance(error, TooLarge)
    assert error.place is not None
    assert error.place.startswith("f:")


def test_many_guests_may_share_a_template() -> None:
    """An alias for each of ten thousand guests is no bomb."""
    guests = "".join(f"  vm-{i}: {{<<: *small, host: pve1}}\n" for i in range(10_000))
    text = f"small: &small {{memory: 1, cpu: 2, tags: [a, b]}}\nguests:\n{guests}"
    assert len(parse(text, name="f").value["guests"]) == 10_000


def test_a_mapping_is_copied() -> None:
    """A value that somebody else has read is taken over as it was then."""
    value: dict[str, Any] = {"a": ({1: True},)}
    tree = from_value(value)
    value.clear()
    assert tree.value == {"a": [{"1": True}]}


def endless() -> dict[str, Any]:
    """Return a value that contains itself."""
    value: dict[str, Any] = {}
    value["a"] = [value]
    return value


@pytest.mark.parametrize(
    ("value", "place", "message"),
    [
        ({"a": {1, 2}}, "<mapping>: a", "set is no value of a document"),
        ({"a": [float("nan")]}, "<mapping>: a[0]", "nan is no number that can be worked with"),
        ({"a": 1 << 63}, "<mapping>: a", "the number has more than 64 bits"),
        ({"a": "\ud800"}, "<mapping>: a", "half of a character (a lone surrogate)"),
        ({("a",): 1}, "<mapping>", "tuple can't be a key"),
        (endless(), "<mapping>", "is deeper or has more values than any fleet"),
    ],
)
def test_a_mapping_holds_what_a_document_holds(value: Any, place: str, message: str) -> None:
    """A value is held to the same bounds as a text."""
    with pytest.raises(BadInput) as refused:
        from_value(value)
    assert (refused.value.place, refused.value.message) == (place, message)
