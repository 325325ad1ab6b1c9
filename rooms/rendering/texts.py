"""
Long texts for a model: a part at a time, an outline to choose by, a name to save under.

Two laws. What is shown of a file is information and gives no orders: whoever shows it
says so. And nothing here reads or writes a file; it looks at what it is given.

Source: L-ATT-17; headings and fences as CommonMark has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import frozen

from rooms import values

__all__ = [
    "LONGEST_PART",
    "Heading",
    "Outline",
    "TextPart",
    "outline",
    "saved_name",
    "text_part",
]

LONGEST_PART = 40_000
"""The longest part of a text, in characters."""

_PART = 12_000
_BLANKS = " \t"
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_INSTRUCTIONS = frozenset(
    {
        *("agents.md", "claude.md", "claude.local.md", "gemini.md"),
        *("copilot-instructions.md", ".cursorrules", ".windsurfrules"),
    }
)


@frozen
class TextPart:
    """
    A part of a text; as a string, it ends with a line that tells the rest.

    Attributes:
        text: What the part says.
        offset: Where it begins, in characters.
        next_offset: Where the next one begins; None at the end.
        total: How many characters the whole text has.
    """

    text: str
    offset: int
    next_offset: int | None
    total: int

    def __str__(self) -> str:
        if self.next_offset is None:
            return self.text
        rest = self.total - self.next_offset
        return f"{self.text}\n[{rest} more characters, from offset {self.next_offset}]"


def text_part(text: str, *, offset: int = 0, max_chars: int = _PART) -> TextPart:
    """
    The part of a text that begins at a character.

    Args:
        text: The whole text.
        offset: Where the part begins: 0, a `next_offset`, or a heading's `offset`.
        max_chars: How long it is at most, up to `LONGEST_PART`.

    Raises:
        InvalidInput: `invalid_request`.

    >>> print(text_part("abcdef", max_chars=4))
    abcd
    [2 more characters, from offset 4]
    """
    values.text("text", text)
    values.whole_number("offset", offset, at_least=0, at_most=len(text))
    values.whole_number("max_chars", max_chars, at_least=1, at_most=LONGEST_PART)
    end = offset + max_chars
    return TextPart(
        text[offset:end], offset, end if end < len(text) else None, len(text)
    )


@frozen
class Heading:
    """
    A heading of a Markdown text.

    Attributes:
        level: How many `#` it has.
        title: What it says.
        offset: Where it begins, in characters.
        length: How many characters there are up to the next heading of its level or a
            higher one, its own line included.
    """

    level: int
    title: str
    offset: int
    length: int

    def __str__(self) -> str:
        sign = "#" * self.level
        return f"{sign} {self.title} ({self.length} characters from {self.offset})"


@frozen
class Outline:
    """
    Headings of a Markdown text, in their order; as a string, a line each.

    Attributes:
        headings: The headings.
        next_heading: Which heading the next page begins with; None at the end.
    """

    headings: tuple[Heading, ...]
    next_heading: int | None

    def __str__(self) -> str:
        lines = [str(one) for one in self.headings]
        if self.next_heading is not None:
            lines.append(f"[more headings, from number {self.next_heading}]")
        return "\n".join(lines)


def outline(text: str, *, first: int = 0, max_chars: int = _PART) -> Outline:
    r"""
    The headings of a Markdown text: those that begin with `#`, outside of fenced code
    and of front matter.

    Args:
        text: The whole text.
        first: Which heading the page begins with, counted from 0: a `next_heading`.
        max_chars: How long the page is at most, as a string; it has one heading at
            least, however long that is.

    Raises:
        InvalidInput: `invalid_request`.

    >>> print(outline("# A\none\n## B\ntwo\n# C\n"))
    # A (17 characters from 0)
    ## B (9 characters from 8)
    # C (4 characters from 17)
    """
    values.text("text", text)
    values.whole_number("first", first, at_least=0)
    values.whole_number("max_chars", max_chars, at_least=1, at_most=LONGEST_PART)
    every = _measured(list(_headings(text)), len(text))
    page: list[Heading] = []
    length = 0
    for one in every[first:]:
        length += len(str(one)) + 1
        if page and length > max_chars:
            break
        page.append(one)
    following = first + len(page)
    return Outline(tuple(page), following if following < len(every) else None)


def _measured(found: list[tuple[int, str, int]], end: int) -> list[Heading]:
    """Headings with their lengths: each ends where one of its level or higher is."""
    headings: list[Heading] = []
    ends: list[tuple[int, int]] = []  # levels that are higher and higher, and where
    for level, title, offset in reversed(found):
        while ends and ends[-1][0] > level:
            ends.pop()
        until = ends[-1][1] if ends else end
        headings.append(Heading(level, title, offset, until - offset))
        ends.append((level, offset))
    return headings[::-1]


def _headings(text: str) -> Iterator[tuple[int, str, int]]:
    fence = ""
    for offset, line in _lines(text):
        opening = _FENCE.match(line)
        if fence:
            closes = opening is not None and opening[1].startswith(fence)
            if closes and opening is not None and not opening[2].strip():
                fence = ""
        elif opening is not None and not ("`" in opening[1] and "`" in opening[2]):
            fence = opening[1]
        elif (heading := _HEADING.match(line)) is not None:
            yield len(heading[1]), _title(line[heading.end() :]), offset


def _title(rest: str) -> str:
    """What a heading says, without the signs that may close it."""
    said = rest.strip(_BLANKS)
    open_ended = said.rstrip("#")
    if not open_ended or open_ended[-1] in _BLANKS:
        return open_ended.rstrip(_BLANKS)
    return said


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines behind the front matter, if there is one, each with its offset."""
    lines = text.split("\n")
    begin = 0
    if lines[0].rstrip() == "---":
        ends = (at for at, line in enumerate(lines) if line.rstrip() in {"---", "..."})
        begin = next((at + 1 for at in ends if at), 0)
    offset = 0
    for at, line in enumerate(lines):
        if at >= begin:
            yield offset, line.removesuffix("\r")
        offset += len(line) + 1


def saved_name(path: str, taken: Iterable[str] = ()) -> str:
    """
    A name under which a file may be saved: it replaces none, and none that programs
    read as their instructions comes of it.

    Args:
        path: The file's path in its room; its last segment counts.
        taken: The names that there are, compared without case.

    >>> saved_name("docs/after.png", ["after.png"])
    'after (2).png'
    >>> saved_name("CLAUDE.md")
    'CLAUDE (attachment).md'
    """
    name = values.text("path", path, empty=False).rpartition("/")[2]
    there = {one.casefold() for one in values.names("taken", list(taken))}
    if name.casefold() in _INSTRUCTIONS:
        name = _with(name, "attachment")
    made, number = name, 2
    while made.casefold() in there:
        made, number = _with(name, str(number)), number + 1
    return made


def _with(name: str, word: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return f"{stem} ({word}).{ending}" if dot and stem else f"{name} ({word})"
