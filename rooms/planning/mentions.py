"""
The panel's bare `@name` grammar, to the letter.

A gateway that already speaks this protocol relies on it, so it knows no roster, keeps
case, and takes a trailing full stop as part of a name (P-MENTION-01 to 07).
`rooms.find_mentions` is the reader for real chat text.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from rooms import values

__all__ = ["extract_mentions"]

# The sign comes first, so that the engine skips from `@` to `@`, and looks back only
# there for another or for a word character (P-MENTION-03). Nothing follows the name, so
# nothing is tried twice: linear whatever the text is.
_mentions_of = re.compile(r"@(?<![@\w]@)([A-Za-z0-9][\w\-.]*)").findall


def extract_mentions(text: str | None) -> list[str]:
    """
    The names after an `@`, each once, in order of first appearance.

    A name is one ASCII letter or digit and then any word characters, `-` and `.`; an
    `@` behind a word character or another `@` starts none. Linear in the text.

    Args:
        text: Any text; empty and None have no mentions.

    Raises:
        InvalidInput: `invalid_request` when `text` is no string.

    Source: P-MENTION-01 to 07.

    >>> extract_mentions("@coder and @reviewer, then @coder again; mail foo@bar.com")
    ['coder', 'reviewer']
    """
    if text == "":
        return []
    if type(text) is not str:
        if text is None:
            return []
        text = values.text("text", text)
    if "@" not in text:
        return []
    found: list[str] = _mentions_of(text)
    return list(dict.fromkeys(found)) if found else found


def named(name: str, roster: AbstractSet[str], lengths: AbstractSet[int]) -> str:
    """
    The name as the roster has it: as written, else without the `.` and `-` behind it.

    A mention that ends a sentence (`ask @coder.`) still means `coder`. The signs go one
    at a time until a name fits; if none does, the name is returned as written. What
    names there are is told by `lengths`, so that only those lengths are looked up.
    """
    if name in roster or name[-1] not in ".-":
        return name
    bare = len(name.rstrip(".-"))
    for end in range(len(name) - 1, bare - 1, -1):
        if end in lengths and name[:end] in roster:
            return name[:end]
    return name
