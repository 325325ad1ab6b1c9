"""
When a reply is silence.

The one thing that is ever read out of a reply: whether all of it is the word `pass`, or
nothing. A word inside a sentence is never taken for it (R-PASS-03).
"""

from __future__ import annotations

from rooms import values

__all__ = ["is_pass"]

_BRACKETS = "()[]{}<>"
_QUOTES = "`'\"‘’‚‛“”„‟"
_MARKS = "*_-‐‑‒–—―.,;:!?"
_BLANKS = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_DECORATION = _BRACKETS + _QUOTES + _MARKS + _BLANKS


def is_pass(text: str) -> bool:
    """
    Whether a reply says nothing: blank, or `pass` alone in any case and decoration.

    Brackets, quotes, backticks, `*`, `_`, hyphens and dashes, `. , ; : ! ?` and blanks
    are decoration, at the two ends only and in any combination.

    Raises:
        InvalidInput: `invalid_request` when `text` is no string.

    Only meaningful where the speaker was offered to pass (R-PASS-05): in a single round
    a reply "pass" is a reply like any other, and `CastPlanner` treats it so.

    Source: R-PASS-02 and R-PASS-03.

    >>> [is_pass(reply) for reply in ("", "**Pass**.", "I pass", "...")]
    [True, True, False, False]
    """
    text = values.text("text", text)
    if not text.strip():
        return True
    # lower() and not casefold(): no letter of another script folds into this word.
    return text.strip(_DECORATION).lower() == "pass"
