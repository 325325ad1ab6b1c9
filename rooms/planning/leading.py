"""
Whom a message addresses by the run of `@name` at its very start.

The first token is strict and the later ones lenient (R-ADDR-03, R-ADDR-04): an unknown
first name runs nothing, an unknown later one begins the message. An `@` further on is
prose (R-ADDR-01).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from rooms import values

__all__ = ["Addressed", "leading_mentions"]

_TOKEN = re.compile(r"\s*@(\S+)")


@frozen
class Addressed:
    """
    The outcome of reading a message's start.

    Attributes:
        names: Whom it addresses, spelled as in the roster, in written order, each once.
        message: The text without the tokens, stripped; the text as it came where it
            addresses nobody.
        unknown: The first name as typed when it fits nobody, else "". Then nothing is
            to run, and the sender is answered with the roster.
    """

    names: tuple[str, ...]
    message: str
    unknown: str = ""


def leading_mentions(text: str, roster: Sequence[str]) -> Addressed:
    """
    Reads the leading run of `@` tokens against a roster.

    A name ends at a blank: a token is `@` and everything up to the next one,
    punctuation included, so `@proto: fix it` is no call of `proto` (R-ADDR-08). It
    names the one entry that is equal to it, else the only one equal without case; two
    that differ only in case stay unresolved (R-ADDR-05). Without a roster an `@` is
    ordinary text (R-ADDR-09). Linear in text and roster.

    Args:
        text: The message as written.
        roster: Everybody who can be addressed.

    Raises:
        InvalidInput: `invalid_request` for wrong types or an empty name in the roster.

    >>> leading_mentions("@proto @nope hi", ["proto", "reviewer"])
    Addressed(names=('proto',), message='@nope hi', unknown='')
    """
    text = values.text("text", text)
    known = values.names("roster", roster)
    nobody = Addressed((), text)
    if not known:
        return nobody
    folded = _folded(known)
    exact = frozenset(known)
    found: dict[str, None] = {}
    end = 0
    while token := _TOKEN.match(text, end):
        typed = token[1]
        name = typed if typed in exact else folded.get(typed.casefold())
        if name is None:
            break
        found[name] = None
        end = token.end()
    if found:
        return Addressed(tuple(found), text[end:].strip())
    return Addressed((), text, unknown=token[1]) if token else nobody


def _folded(roster: Sequence[str]) -> dict[str, str | None]:
    """Each name by its folded form; None where two names share one."""
    folded: dict[str, str | None] = {}
    for name in dict.fromkeys(roster):
        key = name.casefold()
        folded[key] = None if key in folded else name
    return folded
