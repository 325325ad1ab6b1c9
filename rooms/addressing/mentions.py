"""
Mentions: who is called by name in the text of a message.

Three laws. Only a whole name that somebody on the roster bears calls anybody; what is
not sure stays unresolved and is reported. Quiet text (`quiet.py`) calls none, nor does
an `@` inside a word, a path, a package or somebody's address. No mention reaches past
the next `@`, so the cost is linear in the text and in the roster.

`extract_mentions` keeps the panel's bare grammar; this is the one for real chat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.addressing.names import is_mark, normal_form
from rooms.addressing.quiet import quiet_spans
from rooms.addressing.roster import (
    EVERYONE,
    MOST_CANDIDATES,
    TRAILING,
    Names,
    is_spaceless,
    is_word,
)

__all__ = ["Ambiguity", "Mentions", "find_mentions"]

_TOKEN = re.compile(r"[\w.\-]*+")  # possessive: nothing is ever tried twice


@frozen
class Ambiguity:
    """
    A mention that fits several names.

    Attributes:
        written: What stands after the `@`, one of `Mentions.unresolved`.
        candidates: The roster names that it could mean, at most sixteen.
    """

    written: str
    candidates: tuple[str, ...]


@frozen
class Mentions:
    """
    Who is called in a text.

    Attributes:
        names: Roster names as spelled there, in order of first use, each once.
        everyone: Whether a word that calls everybody is used.
        unresolved: What was written after an `@` and fits nobody, or several; without
            trailing signs, in order of first use, each once.
        ambiguous: For those that fit several, which; it explains `unresolved` and takes
            no part in comparisons.
    """

    names: tuple[str, ...] = ()
    everyone: bool = False
    unresolved: tuple[str, ...] = ()
    ambiguous: tuple[Ambiguity, ...] = field(default=(), eq=False)


def find_mentions(
    text: str, roster: Iterable[str], *, everyone: Iterable[str] = ("all", "room")
) -> Mentions:
    """
    Who is called in a text, and what looks like a call and reaches nobody.

    Args:
        text: Any text, as Markdown where it has code, fences or quoted lines.
        roster: The names that can be called, a sequence of strings. Any characters may
            stand in them, but one with an `@` in it is never found.
        everyone: Words that call everybody, unless a name on the roster is just that.

    Names are compared in NFC: as spelled first, then the only one that is equal under
    full case folding. The longest known name that ends where a word does wins; the
    signs `.`, `-` and `_` may follow it, so they are dropped from the end one at a time
    until a name fits. In a script without spaces between words more letters may follow;
    a mention that fits two names then stays unresolved.

    Raises:
        InvalidInput: `invalid_request` for other types, and for an empty name.

    Guarantees: time linear in text and roster, whatever they hold; `names` are on the
    roster.

    >>> find_mentions("@Chief-west, see `@bo`. Thanks @ada.", ["ada", "bo", "chief"])
    Mentions(names=('ada',), everyone=False, unresolved=('Chief-west',), ambiguous=())
    """
    values.text("text", text)
    members = _checked("roster", roster)
    words = _checked("everyone", everyone)
    if "@" not in text:
        return Mentions()
    text = normal_form(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _scan(text, Names(members, words, reach=len(text)))


def _checked(name: str, strings: Any) -> tuple[str, ...]:
    if type(strings) in (list, tuple):
        try:
            "".join(strings)
        except TypeError:
            pass  # `values` says which one
        else:
            if "" not in strings:
                return tuple(strings)
    return values.names(name, strings)


def _scan(text: str, names: Names) -> Mentions:
    found: dict[str, None] = {}
    unresolved: dict[str, tuple[str, ...]] = {}
    length = len(text)
    settled = -1  # where the last mention ended
    for at in _calls(text):
        start = at + 1
        if at and text[at - 1] != " " and not _may_begin(text, at, settled):
            continue
        end = _token_end(text, start)
        token = text[start:end]
        looked_up = None
        if token.isascii():
            looked_up = names.whole(token)
        size, named = looked_up or names.longest(text, start)
        if named:
            end = start + size
        if end < length and text[end] in "/@" and _is_address(text, end):
            continue
        settled = end
        if len(named) == 1:
            found[named[0]] = None
        elif token and token[0].isalnum():
            unresolved.setdefault(token.rstrip(TRAILING), named)
    everyone = EVERYONE in found
    if everyone:
        del found[EVERYONE]
    return Mentions(tuple(found), everyone, tuple(unresolved), _ambiguities(unresolved))


def _calls(text: str) -> Iterator[int]:
    """Each `@` that is not in quiet text."""
    at = text.find("@")
    for begin, until in quiet_spans(text):
        while 0 <= at < begin:
            yield at
            at = text.find("@", at + 1)
        if 0 <= at < until:
            at = text.find("@", until)
    while at >= 0:
        yield at
        at = text.find("@", at + 1)


def _may_begin(text: str, at: int, settled: int) -> bool:
    """
    Whether what stands before the `@` leaves it a call.

    A word makes it a mail address, a slash a path or a link, an `@` none
    (P-MENTION-03). Underscores around a name are emphasis, and in a script without
    spaces a word may end anywhere.
    """
    before = text[at - 1]
    if before == "_":
        at -= 1
        while at and text[at - 1] == "_":
            at -= 1
        return not (at and is_word(text[at - 1])) or is_spaceless(text[at - 1])
    if before in "/\\":
        return at - 1 == settled  # "@eve/@ada" are two
    return before != "@" and (not is_word(before) or is_spaceless(before))


def _token_end(text: str, start: int) -> int:
    """Where the letters, digits, marks and signs end that a name could consist of."""
    token = _TOKEN.match(text, start)
    end = token.end() if token else start
    while end < len(text) and text[end] > "\x7f" and is_mark(text[end]):
        token = _TOKEN.match(text, end + 1)
        end = token.end() if token else end + 1
    return end


def _is_address(text: str, end: int) -> bool:
    """Whether a name goes on as a package's path or with a host."""
    if not is_word(text[end + 1 : end + 2] or " "):
        return False
    return text[end] == "/" or not is_spaceless(text[end - 1])


def _ambiguities(unresolved: dict[str, tuple[str, ...]]) -> tuple[Ambiguity, ...]:
    return tuple(
        Ambiguity(written, tuple(name for name in named[:MOST_CANDIDATES] if name))
        for written, named in unresolved.items()
        if named
    )
