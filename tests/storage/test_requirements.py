"""The page of storages lists every requirement, each with all tests that prove it."""

from __future__ import annotations

import re
from pathlib import Path

from rooms.storage import protocol
from rooms.testing.conformance import StorageConformance

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/storage.md"
REQUIREMENT = re.compile(r"^(S\d+)\. (.*?)(?=^S\d+\. |\Z)", re.MULTILINE | re.DOTALL)
SECTION = re.compile(
    r"^### (S\d+)\n\n(.*?)\n\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL
)


def requirements() -> dict[str, str]:
    found = REQUIREMENT.findall(protocol.__doc__ or "")
    return {number: " ".join(words.split()) for number, words in found}


def told() -> list[tuple[str, str, list[str]]]:
    return [
        (number, words, re.findall(r"^- `(\w+)`$", tests, re.MULTILINE))
        for number, words, tests in SECTION.findall(PAGE.read_text("utf-8"))
    ]


def test_the_page_tells_each_requirement_in_its_words() -> None:
    assert {number: words for number, words, _ in told()} == requirements()
    assert list(requirements()) == [f"S{number}" for number in range(1, 15)]


def test_each_requirement_has_tests_and_the_page_lists_them_all() -> None:
    tests = sorted(name for name in dir(StorageConformance) if name.startswith("test_"))

    assert sorted(name for _, _, names in told() for name in names) == tests
    for number, _, names in told():
        assert names
        assert all(name.startswith(f"test_{number.lower()}_") for name in names)
