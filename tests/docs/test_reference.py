# SPDX-License-Identifier: Apache-2.0
"""Documentation that follows from the code is what the code says."""

from __future__ import annotations

import dataclasses
import re

import pytest

import moorage
from moorage.model.reasons import SENTENCES, Reason, sentence
from moorage.model.rule import Rule
from moorage.problem.bounds.certificate import Cause
from moorage.rules.registry import registry
from moorage.verifying import check, verify_document
from tests.conftest import REPOSITORY
from tools import docs


@pytest.mark.parametrize("page", docs.PAGES)
def test_generated_pages_are_up_to_date(page: str) -> None:
    """`make docs` would change nothing."""
    committed = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    assert committed == docs.PAGES[page](), "run `make docs`"


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence(reason: Reason) -> None:
    """No code is without its meaning."""
    assert sentence(reason)


def test_every_reason_of_the_sources_is_a_constant() -> None:
    """A code that has a sentence is a constant or a family of constants."""
    known = set(Reason)
    assert {code for code in SENTENCES if "<" not in code} == known


def test_every_cause_is_explained() -> None:
    """The page of reasons has a line for each cause that an answer may name."""
    assert set(docs.CAUSES) == set(Cause)


@pytest.mark.parametrize("kind", registry())
def test_every_key_of_a_rule_is_explained(kind: str) -> None:
    """Each key that a rule has of its own is explained in its docstring."""
    rule = registry()[kind]
    _, explained = docs._docstring(rule)
    common = {field.name for field in dataclasses.fields(Rule)}
    assert {field.name for field in dataclasses.fields(rule)} - common == set(explained)


@pytest.mark.parametrize("kind", registry())
def test_every_rule_says_what_it_means(kind: str) -> None:
    """A rule has one invariant that ends in a full stop, and a remedy."""
    rule = registry()[kind]
    assert rule.invariant.endswith(".")
    assert rule.remedy


def test_every_field_of_an_answer_is_explained() -> None:
    """Each key that solve, verify or check prints stands on the page of answers."""
    fleet = moorage.read({"hosts": {"a": {}}, "guests": {}})
    page = (REPOSITORY / "docs" / "json.md").read_text(encoding="utf-8")
    answers = (moorage.solve(fleet), check(fleet), verify_document(fleet, {}))
    for answer in answers:
        for key in answer.to_dict():
            assert f"`{key}`" in page, key


def test_links_between_pages_lead_somewhere() -> None:
    """Every relative link in the documentation points to a file that exists."""
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
