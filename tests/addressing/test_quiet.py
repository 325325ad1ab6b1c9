"""Stretches of a text that call nobody. `loud` is the text less those stretches."""

from __future__ import annotations

import pytest

from rooms.addressing import find_mentions
from rooms.addressing.quiet import quiet_spans


def loud(text: str) -> str:
    kept = []
    at = 0
    for begin, end in quiet_spans(text):
        kept.append(text[at:begin])
        at = max(at, end)
    return "".join(kept) + text[at:]


@pytest.mark.case("F-56")
@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a `b` c", "a  c"),
        ("a ``b ` c`` d", "a  d"),
        ("`a` b `c` d", " b  d"),
        ("a `b c", "a `b c"),
        ("a `b`` c", "a `b`` c"),
        ("a `b`` c` d", "a  d"),
        ("a ``b` c` d", "a ``b d"),
        ("a `b\nc` d", "a  d"),
        ("a `b\nXc` d", "a  d"),
        ("a `b\n\nc` d", "a `b\n\nc` d"),
        ("a `b` c\n\nd", "a  c\n\nd"),
        ("a `b\n \t\nc` d", "a `b\n \t\nc` d"),
        ("- a `b\n- c` d", "- a `b\n- c` d"),
        ("# a `b\n# c` d", "# a `b\n# c` d"),
        (r"a \`b` c", r"a \`b` c"),
        (r"a \\`b` c", "a \\\\ c"),
        (r"a `b\` c", "a  c"),
        (r"a \``b` c", "a \\ c"),
        ("one line ```a``` b", "one line  b"),
        ("`x\n`", ""),
    ],
)
def test_code_spans_are_as_in_commonmark(text: str, rest: str) -> None:
    assert loud(text) == rest


@pytest.mark.case("F-56")
@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a\n```\nb\n```\nc", "a\nc"),
        ("a\n```py b\nc\n```  \nd", "a\nd"),
        ("a\n~~~ b\nc\n~~~\nd", "a\nd"),
        ("~~~\n```\na\n~~~\nb", "b"),
        ("````\n```\na\n````\nb", "b"),
        ("```\na\n`````\nb", "b"),
        ("```\na\n``` b\nc", ""),
        ("```\na\n~~~\nb", ""),
        ("```\na\n   ```\nb", "b"),
        ("```\na\n    ```\nb", ""),
        ("```\na", ""),
        ("```", ""),
        ("``` a`b\nc", "``` a`b\nc"),
        ("``\na\n``\n", "\n"),
        ("- x\n    ```\n    a\n    ```\nb", "- x\nb"),
        ("- ```\n  a\n  ```\nb", "b"),
        ("1. ~~~\n   a\n   ~~~\nb", "b"),
        ("```\n> a\n```\nb", "b"),
        ("a `b\n```\nc` d\n```\ne` f", "a `b\ne` f"),
        ("a `b` c\n```\nd\n```\ne", "a  c\ne"),
        ("x\n```\na\n    ```\nb", "x\n"),
    ],
)
def test_fences_are_as_in_commonmark(text: str, rest: str) -> None:
    assert loud(text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("> a\nb", "b"),
        (">a\n>> b\n  > c\nd", "d"),
        ("- > a\nb", "b"),
        ("a > b", "a > b"),
        ("<x> a", "<x> a"),
        ("> a `b\nc` d", "c` d"),
        ("a `b` c\n> d\ne", "a  c\ne"),
        ("a `b\n> c` d", "a `b\n"),
        ("> ```\na\n> ```\nb", "a\nb"),
        ("    a", "    a"),
    ],
)
def test_quoted_lines_are_quiet_and_the_line_after_is_not(text: str, rest: str) -> None:
    assert loud(text) == rest


def test_line_ends_of_other_systems_count() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = end.join(("> @eve", "@ada", "```", "@bo", "```", "@cy"))
        found = find_mentions(text, ["eve", "ada", "bo", "cy"])

        assert found.names == ("ada", "cy")
        assert find_mentions(f"`a{end}@eve`", ["eve"]).names == ()  # no blank line


def test_links_are_quiet_to_their_end() -> None:
    assert loud("a https://b/@c,d e") == "a https e"
    assert loud("(https://b/@c) e") == "(https) e"
    assert loud("`https://b` c://d e") == " c e"
    assert loud("a://") == "a://"
