"""
The lines of rendered text, written and read.

Three laws. A line that begins with `[` is ours, one that begins with `|` is quoted, and
there is no other. Whatever a frame line takes from outside stands in it as one token:
bare where it is made of ASCII letters, digits and `_ . : / @ + -`, else in quotes. The
reader takes what the writer makes and may take more, because nothing is accepted before
it has been rendered again and found the same, sign by sign.

    line  = "[" field *(" · " field) [": " sentence] "]"
    field = token *((" " / ", ") token)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NoReturn, TypeVar

from rooms import values
from rooms.errors import InvalidInput
from rooms.rendering.signs import in_body, in_name, plain

__all__ = [
    "END",
    "Fields",
    "Lines",
    "frame_line",
    "quoted_lines",
    "read_again",
    "read_names",
    "read_number",
    "said_after",
    "token",
    "tokens",
]

END = "[end]"

Frame = TypeVar("Frame")
Fields = tuple[tuple[str, ...], ...]
"""The tokens of a frame line, field by field."""

RESERVED = frozenset({"true", "false", "none"})
"""Words that a notice's values have for themselves; a name like them is quoted."""

_BARE = re.compile(r"[A-Za-z](?:[A-Za-z0-9_.:/@+-]*[A-Za-z0-9])?")
_TOKEN = re.compile(r'@?"[^"]*"|[^\s",\[\]][^\s",]*(?<=[A-Za-z0-9])')
_NUMBER = re.compile(r"[0-9]{1,18}")


def token(text: str) -> str:
    """
    A name of somebody else's as one token of a frame line.

    >>> token("agent:Eve/acme-renewal"), token("Eve] [end")
    ('agent:Eve/acme-renewal', '"Eve⟨U+005D⟩ ⟨U+005B⟩end"')
    """
    if _BARE.fullmatch(text) and text not in RESERVED:
        return text
    return f'"{in_name(text)}"'


def tokens(names: Iterable[str]) -> str:
    """Several names in their order."""
    return ", ".join(map(token, names))


def frame_line(*fields: str, says: str = "") -> str:
    """A line of our own: its facts, then a sentence if there is one."""
    return f"[{' · '.join(fields)}{': ' if says else ''}{says}]"


def quoted_lines(text: str) -> list[str]:
    """The lines of a text of somebody else's; an empty one is a line too."""
    return [f"| {line}" if line else "|" for line in in_body(text).split("\n")]


class Lines:
    """The lines of a text, read one after another."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._read = 0
        self._asked = 0

    def begins(self, *starts: str) -> bool:
        """Whether there is a next line, and it begins with one of these."""
        return self._read < len(self._lines) and self._lines[self._read].startswith(
            starts
        )

    def skip(self) -> None:
        """Pass by a line that tells no facts."""
        self._read += 1

    def frame(self) -> Fields:
        """The tokens of the next line, without its sentence."""
        line = self._lines[self._read] if self.begins("[") else ""
        self._read += 1
        self._asked = self._read
        fields: list[list[str]] = [[]]
        place = 1
        while True:
            found = _TOKEN.match(line, place)
            if found is None:
                self.refuse()
            fields[-1].append(found[0])
            place = found.end()
            if line.startswith(" · ", place):
                fields.append([])
                place += 3
            elif line.startswith((", ", " "), place):
                place += 2 if line[place] == "," else 1
            else:  # the sentence or the end: rendering again tells whether it is
                return tuple(map(tuple, fields))

    def body(self) -> str:
        """The text of the quoted lines that follow."""
        start = self._read
        while self.begins("|"):
            self._read += 1
        return plain("\n".join(line[2:] for line in self._lines[start : self._read]))

    def refuse(self) -> NoReturn:
        """Say that the frame line which was read last was not made here."""
        raise _refusal(self._asked)


def read_again(
    text: str, read: Callable[[Lines], Frame], render: Callable[[Frame], str]
) -> Frame:
    """The frame that is read from a text, if rendering it gives that very text."""
    lines = Lines(values.text("text", text))
    try:
        frame = read(lines)
    except ValueError:  # a value that no frame has; `InvalidInput` is one too
        lines.refuse()
    again = render(frame)
    if again != text:
        theirs, ours = text.split("\n"), again.split("\n")
        same = min(len(theirs), len(ours))  # where one goes on after the other's end
        pairs = enumerate(zip(theirs, ours, strict=False))
        raise _refusal(next((n for n, (a, b) in pairs if a != b), same) + 1)
    return frame


def _refusal(line: int) -> InvalidInput:
    return InvalidInput(
        "text",
        f"is not what was rendered, in line {line}",
        allowed="rendered text, unchanged, with the wording that it was rendered with",
        line=line,
    )


def said_after(fields: Fields, *words: str) -> tuple[str, ...]:
    """The tokens behind these words, in the first field that begins with them."""
    length = len(words)
    return next((f[length:] for f in fields if f[:length] == words), ())


def read_names(written: Iterable[str]) -> tuple[str, ...]:
    """The names that these tokens stand for."""
    return tuple(plain(token.strip('"')) for token in written)


def read_number(written: Iterable[str]) -> int | None:
    """The whole number, `#` before it or not, that the first token is; None if none."""
    first = next(iter(written), "").removeprefix("#")
    return int(first) if _NUMBER.fullmatch(first) else None
