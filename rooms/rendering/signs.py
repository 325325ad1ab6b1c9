"""
Signs: which characters never pass as they are, and how they come back.

Three laws. No sign that ends a line, moves the writing direction, controls a terminal
or cannot be seen stands in rendered text, but where it does its own work inside a word
or a picture (below). Each is written `⟨U+XXXX⟩`, and so is the sign `⟨` itself, so the
way back is certain. The table is fixed here and asks no Unicode database: the same text
is the same on every version of Python.

What stays in a body, and only there: tabs; a joiner between two visible signs that are
not ASCII (Persian and Indic words, composed emoji); a variation selector behind one. Of
several in a row the first may stay, so that nobody hides a message in their number.
"""

from __future__ import annotations

import re

__all__ = ["in_body", "in_name", "plain"]

_BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"  # all of str.splitlines, beside CR LF

# Beside the controls: Default_Ignorable_Code_Point of Unicode 16 (the file
# DerivedCoreProperties), which holds the bidi controls, joiners and tags; annotation
# and hieroglyph controls; a blank that is no space; surrogates; our own bracket.
_UNSAFE = (
    (0x0000, 0x0008),  # C0, all but the tab
    (0x000A, 0x001F),
    (0x007F, 0x009F),  # DEL and C1
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian selectors and separator
    (0x200B, 0x200F),  # zero width, joiners, direction marks
    (0x2028, 0x202E),  # separators, embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, isolates
    (0x27E8, 0x27E8),  # what an escape opens with
    (0x2800, 0x2800),  # Braille blank
    (0x3164, 0x3164),  # Hangul filler
    (0xD800, 0xDFFF),  # lone surrogates: no encoding takes them
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # half-width Hangul filler
    (0xFFF0, 0xFFFB),  # reserved, interlinear annotation
    (0x13430, 0x1343F),  # hieroglyph format controls
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tags, which spell ASCII unseen; more selectors
)
_SET = "".join(rf"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in _UNSAFE)
_BODY = re.compile(rf"\r\n|[{_SET}]")
_NAME = re.compile(rf'[\t"\[\]|·{_SET}]')
_WRITTEN = re.compile(r"⟨(?:CRLF|U\+([0-9A-F]{4,6}))⟩(\n?)")

_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"  # as text, as a picture
_KEYCAP = "\u20e3"


def in_body(text: str) -> str:
    r"""
    The text with `\n` as its only line break, each other one written out before it.

    >>> in_body("one\r\ntwo")
    'one⟨CRLF⟩\ntwo'
    """
    return _BODY.sub(_body_sign, text)


def in_name(text: str) -> str:
    """
    The text on one line, and without the signs that frame lines are made of.

    >>> in_name("Eve]")
    'Eve⟨U+005D⟩'
    """
    return _NAME.sub(lambda found: _written(found[0]), text)


def plain(text: str) -> str:
    """The text that `in_body` or `in_name` made this from."""
    return _WRITTEN.sub(_read, text)


def _written(sign: str) -> str:
    return f"⟨U+{ord(sign):04X}⟩"


def _body_sign(found: re.Match[str]) -> str:
    sign = found[0]
    if sign == "\n":
        return sign
    if sign == "\r\n":
        return "⟨CRLF⟩\n"
    if sign in _BREAKS:
        return _written(sign) + "\n"
    return sign if _works(found.string, found.start()) else _written(sign)


def _works(text: str, place: int) -> bool:
    """Whether a joiner or selector does there what it is made for."""
    sign, before = text[place], text[place - 1 : place]
    after = text[place + 1 : place + 2]
    if sign in _SELECTORS:
        return _is_drawn(before) or (before.isascii() and after == _KEYCAP)
    if sign in _JOINERS:
        joins = _is_drawn(before) or before == _SELECTORS[1]
        return joins and _is_drawn(after)
    return False


def _is_drawn(sign: str) -> bool:
    return not sign.isascii() and _BODY.match(sign) is None


def _read(found: re.Match[str]) -> str:
    code, line_end = found[1], found[2]
    if code is None:
        return "\r\n"
    if int(code, 16) > 0x10FFFF:
        return found[0]
    sign = chr(int(code, 16))
    return sign if sign in _BREAKS else sign + line_end
