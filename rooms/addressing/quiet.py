"""
Quiet text: the stretches of a message in which nobody is called.

Code spans and fences as CommonMark has them, quoted lines, and links.
Two laws: every stretch is found in one pass over the text, whatever it holds; and what
is opened and never closed hides no more than CommonMark would: a lone backtick nothing,
a fence the rest.

Where chat and CommonMark differ, chat wins: a line under a quotation is the author's
own word, and a line that is only indented is no code.
"""

from __future__ import annotations

import re

__all__ = ["quiet_spans"]

Span = tuple[int, int]

# Every quantifier is possessive: nothing is ever tried twice.
_LEADING = re.compile(r"[ \t]*+(?:(?:[-*+]|[0-9]{1,9}+[.)])[ \t]++)*+")
_FENCE = re.compile(r"(`{3,}+(?=[^`\n]*+$)|~{3,}+)", re.MULTILINE)
_TICKS = re.compile(r"``*+")  # a literal first: it is searched for at once
_LINK = re.compile(r"://[^\s<>\"`)\]，。、；：！？）】》」』”’]++")


def quiet_spans(text: str) -> list[Span]:
    """
    Half open stretches in order of their starts; some may overlap.

    Lines end at line feeds.
    """
    spans: list[Span] = []
    if "`" in text or ">" in text or "~" in text:
        _find_blocks(text, spans)
    if "://" in text:
        spans += [link.span() for link in _LINK.finditer(text)]
        spans.sort()
    return spans


def _find_blocks(text: str, spans: list[Span]) -> None:
    """Fences and quoted lines; what lies between them is searched for code spans."""
    at = paragraph = 0
    length = len(text)
    while at < length:
        end = _after_line(text, at)
        leading = _LEADING.match(text, at)
        first = leading.end() if leading else at
        if text.startswith(">", first):
            _find_code_spans(text, paragraph, at, spans)
            spans.append((at, end))
            paragraph = end
        elif fence := _FENCE.match(text, first, end):
            _find_code_spans(text, paragraph, at, spans)
            end = _after_fence(text, end, fence[0], first - at)
            spans.append((at, end))
            paragraph = end
        elif first == end or _begins_block(text, at, first):
            _find_code_spans(text, paragraph, at, spans)
            paragraph = at
        at = end
    _find_code_spans(text, paragraph, length, spans)


def _after_line(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _begins_block(text: str, at: int, first: int) -> bool:
    """Whether a code span ends here: a blank line, a list item or a heading."""
    return text[first] in "\n#" or not (first == at or text[at:first].isspace())


def _after_fence(text: str, at: int, fence: str, indent: int) -> int:
    """Where the fence ends: behind a line with as many signs, or with the text."""
    while at < len(text):
        end = _after_line(text, at)
        line = text[at:end]
        signs = line.strip(" \t\n")
        depth = len(line) - len(line.lstrip(" \t"))
        if (
            len(signs) >= len(fence)
            and depth <= indent + 3
            and signs == fence[0] * len(signs)
        ):
            return end
        at = end
    return len(text)


def _find_code_spans(text: str, start: int, end: int, spans: list[Span]) -> None:
    """
    Pair each run of backticks with the next run of the same length.

    A backslash takes the first sign from a run that would open, never from one that
    closes (CommonMark 6.1).
    """
    if text.find("`", start, end) < 0:
        return
    runs = [run.span() for run in _TICKS.finditer(text, start, end)]
    closers: list[int | None] = []
    nearest: dict[int, int] = {}  # the length of a run -> the next that is so long
    for place in range(len(runs) - 1, -1, -1):
        begin, stop = runs[place]
        size = opening = stop - begin
        if text[begin - 1] == "\\" and begin > start:
            opening -= _escaped(text, start, begin)
        closers.append(nearest.get(opening))
        nearest[size] = place
    closers.reverse()
    place = 0
    while place < len(runs):
        closer = closers[place]
        if closer is not None:
            spans.append((runs[place][0], runs[closer][1]))
            place = closer
        place += 1


def _escaped(text: str, start: int, at: int) -> int:
    """1 behind an odd number of backslashes, else 0."""
    before = at
    while before > start and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2
