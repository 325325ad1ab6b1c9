"""Long texts: parts that join to the whole, and outlines that no code fools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms import InvalidInput
from rooms.rendering import Heading, outline, saved_name, text_part


def titles(text: str) -> list[tuple[int, str]]:
    return [(one.level, one.title) for one in outline(text).headings]


@pytest.mark.rule("L-ATT-17")
def test_a_part_is_so_long_and_tells_the_rest() -> None:
    text = "x" * 12_000 + "y" * 3
    part = text_part(text)
    assert (len(part.text), part.next_offset, part.total) == (12_000, 12_000, 12_003)
    assert str(part).splitlines()[-1] == "[3 more characters, from offset 12000]"
    last = text_part(text, offset=12_000)
    assert (last.text, last.next_offset, str(last)) == ("yyy", None, "yyy")
    assert text_part("z" * 50_000, max_chars=40_000).next_offset == 40_000
    for wrong in ({"max_chars": 40_001}, {"max_chars": 0}, {"offset": 12_004}):
        with pytest.raises(InvalidInput):
            text_part(text, **wrong)


@given(st.text(max_size=60), st.integers(1, 20))
def test_the_parts_of_a_text_are_all_of_it(text: str, most: int) -> None:
    parts, offset = [], 0
    while True:
        part = text_part(text, offset=offset, max_chars=most)
        parts.append(part.text)
        if part.next_offset is None:
            break
        offset = part.next_offset
    assert "".join(parts) == text


@pytest.mark.rule("L-ATT-17")
def test_an_outline_has_the_headings_with_their_lengths() -> None:
    text = "# One\ntext\n## Two\nmore\n### Three\n## Four\n# Five\n"
    assert outline(text).headings == (
        Heading(1, "One", 0, 41),
        Heading(2, "Two", 11, 22),
        Heading(3, "Three", 23, 10),
        Heading(2, "Four", 33, 8),
        Heading(1, "Five", 41, 7),
    )
    for one in outline(text).headings:
        part = text[one.offset : one.offset + one.length]
        assert part.lstrip("#").startswith(f" {one.title}")


@pytest.mark.rule("L-ATT-17")
def test_what_only_looks_like_a_heading_is_none() -> None:
    assert titles("---\n# title: x\n---\n# Real\n") == [(1, "Real")]
    assert titles("---\n# Not closed\n") == [(1, "Not closed")]
    assert titles("text\n---\n# After a rule\n---\n# Real\n") == [
        (1, "After a rule"),
        (1, "Real"),
    ]
    assert titles("```md\n# code\n```\n# Real\n") == [(1, "Real")]
    assert titles("````\n```\n# code\n````\n# Real") == [(1, "Real")]
    assert titles("~~~\n# code\n```\n# code\n~~~~ \n# Real") == [(1, "Real")]
    assert titles("```\n# never closed\n") == []
    assert titles("``` a`b\n# Real\n") == [(1, "Real")]
    assert titles("#tag\n####### seven\n    # indented\n   # Real ##\n") == [
        (1, "Real")
    ]
    assert titles("#\r\n## A#\r\n# B #\r\n") == [(1, ""), (2, "A#"), (1, "B")]
    assert titles("") == titles("no heading") == []


@pytest.mark.rule("L-ATT-17")
def test_a_page_of_an_outline_has_one_heading_at_least() -> None:
    text = "\n".join(f"# {'long ' * 20}{number}" for number in range(5))
    pages, first = [], 0
    while True:
        page = outline(text, first=first, max_chars=10)
        pages.append(page)
        if page.next_heading is None:
            break
        assert str(page).endswith(f"[more headings, from number {page.next_heading}]")
        first = page.next_heading
    assert [len(page.headings) for page in pages] == [1] * 5
    assert len(outline(text).headings) == 5
    assert outline(text, first=9).headings == ()


@pytest.mark.rule("L-ATT-17")
@pytest.mark.parametrize(
    ("path", "taken", "name"),
    [
        ("after.png", [], "after.png"),
        ("a/b/after.png", ["after.png"], "after (2).png"),
        ("after.png", ["After.PNG", "after (2).png"], "after (3).png"),
        ("Makefile", ["makefile"], "Makefile (2)"),
        ("CLAUDE.md", [], "CLAUDE (attachment).md"),
        ("docs/agents.md", [], "agents (attachment).md"),
        ("AGENTS.md", ["agents (attachment).md"], "AGENTS (attachment) (2).md"),
        ("claude.md.txt", [], "claude.md.txt"),
    ],
)
def test_a_saved_file_replaces_none_and_is_no_instruction(
    path: str, taken: list[str], name: str
) -> None:
    assert saved_name(path, taken) == name
