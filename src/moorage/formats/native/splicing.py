# SPDX-License-Identifier: Apache-2.0
"""Changes cut into a YAML text: every character that a change doesn't need stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from moorage.formats.native.changes import NOTHING, Change, value_at
from moorage.formats.native.yaml_text import STEP, entry, flow, item, key, scalar
from moorage.formats.tree import Path

_ALIAS: Final = re.compile(r"\s*:\s*(\*[^\s,\[\]{}]+)")


class CannotSplice(Exception):
    """The text is built in a way in which the change has no place of its own."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A span of the text, and what stands there instead."""

    start: int
    end: int
    text: str


class Splicer:
    """Finds the cut for each change in one text."""

    def __init__(self, text: str, document: dict[str, Any]) -> None:
        self._text = text
        self._document = document
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._root: MappingNode = YAML(typ="safe", pure=True).compose(text)
        self._step = _step(self._root)
        self._pairs: dict[int, dict[str | int, tuple[Node, Node]]] = {}

    def apply(self, changes: list[Change]) -> str:
        """Return the text with *changes*.

        Raises:
            CannotSplice: one of them has no place of its own.
        """
        cuts: dict[Cut, None] = {}
        for change in changes:
            cuts[self._cut(change)] = None
        ordered = sorted(cuts, key=lambda cut: (cut.start, cut.end))
        for one, other in pairwise(ordered):
            if one.end > other.start:
                raise CannotSplice("two changes overlap")
        parts, at = [], 0
        for cut in ordered:
            parts += [self._text[at : cut.start], cut.text]
            at = cut.end
        return "".join([*parts, self._text[at:]])

    def _cut(self, change: Change) -> Cut:
        """Go down to the container that holds the change, as far as the text has it."""
        node: MappingNode | SequenceNode = self._root
        for depth, step in enumerate(change.path[:-1]):
            below = self._below(node, step)
            if not isinstance(below, MappingNode | SequenceNode) or not below.value:
                return self._whole(change.path[: depth + 1])
            node = below
        if isinstance(node, SequenceNode):
            return self._in_sequence(node, change)
        return self._in_mapping(node, change)

    def _pair(self, node: MappingNode, name: str | int) -> tuple[Node, Node] | None:
        pairs = self._pairs.get(id(node))
        if pairs is None:
            pairs = self._pairs[id(node)] = {pair[0].value: pair for pair in node.value}
        return pairs.get(name)

    def _whole(self, path: Path) -> Cut:
        """The container isn't in the text in a way that can be changed: write all of it."""
        value = value_at(self._document, path)
        if value is NOTHING and isinstance(path[-1], int):
            raise CannotSplice("a rule that is gone can't be written whole")
        return self._cut(Change(path, value))

    def _below(self, node: Node, step: str | int) -> Node | None:
        """The value at *step*; None if it isn't there, or is only an alias of another."""
        if isinstance(node, MappingNode):
            pair = self._pair(node, step)
            return None if pair is None or _is_alias(*pair) else pair[1]
        if isinstance(step, int) and step < len(node.value):
            below: Node = node.value[step]
            return below
        return None

    def _in_mapping(self, node: MappingNode, change: Change) -> Cut:
        name = str(change.path[-1])
        pair = self._pair(node, name)
        if pair is None:
            # What isn't written here comes from the defaults: null takes it away.
            return self._added(node, name, None if change.removes else change.value)
        if change.removes:
            return self._removed(node, *pair)
        return self._replaced(node, *pair, change.value)

    def _replaced(self, node: MappingNode, name: Node, value: Node, new: Any) -> Cut:
        if _is_alias(name, value):
            return self._instead_of_alias(name, new)
        start, end = value.start_mark.index, _end(self._text, value)
        if isinstance(value, ScalarNode) and not isinstance(new, dict | list):
            return Cut(start, end, scalar(new) if end > start else f" {scalar(new)}")
        if node.flow_style:
            return Cut(start, end, flow(new))
        column = name.start_mark.column
        head = self._text[name.start_mark.index : name.end_mark.index]
        opened = 1 if _is_block(value) else 0
        lines = list(entry(f"{' ' * column}{head}:", new, column, opened, self._step))
        return Cut(
            name.start_mark.index, max(end, name.end_mark.index), self._joined(lines).lstrip()
        )

    def _instead_of_alias(self, name: Node, new: Any) -> Cut:
        found = _ALIAS.match(self._text, name.end_mark.index)
        if found is None:
            raise CannotSplice("the alias is not where it should be")
        return Cut(found.start(1), found.end(1), flow(new))

    def _added(self, node: MappingNode, name: str, new: Any) -> Cut:
        last_name, last = node.value[-1]
        end = max(_end(self._text, last), last_name.end_mark.index)
        if _is_alias(last_name, last):
            raise CannotSplice("the last entry is an alias")
        if node.flow_style:
            return Cut(end, end, f", {key(name)}: {flow(new)}")
        column = node.value[0][0].start_mark.column
        opened = 1 if _is_block(last) else 0
        lines = list(entry(f"{' ' * column}{key(name)}:", new, column, opened, self._step))
        return self._after_line(end, lines)

    def _after_line(self, end: int, lines: list[str]) -> Cut:
        """Insert *lines* below the line in which *end* is, with whatever comment it has."""
        at = self._text.find("\n", end)
        if at < 0:
            return Cut(len(self._text), len(self._text), self._newline + self._joined(lines))
        return Cut(at + 1, at + 1, self._joined(lines) + self._newline)

    def _joined(self, lines: list[str]) -> str:
        return self._newline.join(lines)

    def _removed(self, node: MappingNode, name: Node, value: Node) -> Cut:
        if _is_alias(name, value) or len(node.value) == 1:
            raise CannotSplice("it is an alias, or nothing would be left")
        end = max(_end(self._text, value), name.end_mark.index)
        if node.flow_style:
            spans = [(n.start_mark.index, _end(self._text, v)) for n, v in node.value]
            return _without((name.start_mark.index, end), spans)
        return self._without_lines(name.start_mark.index, end)

    def _without_lines(self, start: int, end: int) -> Cut:
        first = self._text.rfind("\n", 0, start) + 1
        if self._text[first:start].strip():
            raise CannotSplice("something else stands before it in its line")
        last = self._text.find("\n", end)
        return Cut(first, len(self._text) if last < 0 else last + 1, "")

    def _in_sequence(self, node: SequenceNode, change: Change) -> Cut:
        index = int(change.path[-1])
        last = node.value[-1]
        if index >= len(node.value):
            end = _end(self._text, last)
            if node.flow_style:
                return Cut(end, end, f", {flow(change.value)}")
            return self._after_line(end, list(item(change.value, self._dash(last)[1], self._step)))
        span = (node.value[index].start_mark.index, _end(self._text, node.value[index]))
        if not change.removes:
            return Cut(*span, flow(change.value))
        if len(node.value) == 1:
            raise CannotSplice("nothing would be left")
        if node.flow_style:
            spans = [(n.start_mark.index, _end(self._text, n)) for n in node.value]
            return _without(span, spans)
        return self._without_lines(self._dash(node.value[index])[0], span[1])

    def _dash(self, node: Node) -> tuple[int, int]:
        """Index and column of the dash before an item."""
        start = node.start_mark.index
        first = self._text.rfind("\n", 0, start) + 1
        at = self._text.rfind("-", first, start)
        if at < 0:
            raise CannotSplice("the item doesn't stand behind its dash")
        return at, at - first


def _step(root: MappingNode) -> int:
    """How far the text indents a block below its key; 2 if it has none."""
    for name, value in root.value:
        if isinstance(value, MappingNode) and not value.flow_style and value.value:
            deeper: int = value.value[0][0].start_mark.column - name.start_mark.column
            return max(deeper, 1)
    return STEP


def _is_alias(name: Node, value: Node) -> bool:
    """An alias is the node that it names, which stands further up."""
    return bool(value.start_mark.index < name.end_mark.index)


def _is_block(node: Node) -> bool:
    return isinstance(node, MappingNode | SequenceNode) and not node.flow_style


def _end(text: str, node: Node) -> int:
    """Where a node really ends; a block's own mark stands at the next token."""
    if _is_block(node) and node.value:
        last = node.value[-1]
        if isinstance(node, SequenceNode):
            return _end(text, last)
        of_key: int = last[0].end_mark.index
        return max(of_key, _end(text, last[1]))
    start: int = node.start_mark.index
    end: int = node.end_mark.index
    return start + len(text[start:end].rstrip())


def _without(span: tuple[int, int], spans: list[tuple[int, int]]) -> Cut:
    """Cut one of several *spans* with the comma behind it, or before it for the last one."""
    at = next(i for i, each in enumerate(spans) if each[0] == span[0])
    if at + 1 < len(spans):
        return Cut(span[0], spans[at + 1][0], "")
    return Cut(spans[at - 1][1] if at else span[0], span[1], "")
