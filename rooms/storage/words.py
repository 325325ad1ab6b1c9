"""
What a word is, in a text and in a query: the same for every storage.

Three laws: the words of a text are found in time linear in its length, whatever it
holds; a query has no syntax (S11); and both are cut by one function, so a word that can
be read can be found.

A word is a run of letters and digits of any script, without regard to case, width and
the accents of Latin, Greek and Cyrillic letters. In the scripts without spaces every
letter is a word of its own, and a term of a query stands for its letters side by side.
"""

from __future__ import annotations

import json
import re
import unicodedata

__all__ = ["LONGEST_QUERY", "MOST_TERMS", "phrases", "text_of", "words"]

MOST_TERMS = 32
LONGEST_QUERY = 2_000

# Han, kana, Thai, Lao, Myanmar and Khmer: words are not set apart there.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[^\W{_UNSPACED}]+|(?=\w)[{_UNSPACED}]")
_FIRST_ACCENT, _LAST_ACCENT = "\u0300", "\u036f"


class _Folding(dict[int, str]):
    """
    Each letter as it is compared, worked out once.

    Letter by letter: normalising a whole text takes time that is quadratic in a run of
    its accents.
    """

    def __missing__(self, point: int) -> str:
        parts = unicodedata.normalize("NFKD", chr(point).casefold()).casefold()
        folded = "".join(
            part for part in parts if not _FIRST_ACCENT <= part <= _LAST_ACCENT
        )
        self[point] = folded
        return folded


_FOLDING = _Folding()


def words(text: str) -> list[str]:
    """
    The words of a text, in their order.

    >>> words("Café: multi-agent, 会议!")
    ['cafe', 'multi', 'agent', '会', '议']
    """
    folded = text.lower() if text.isascii() else text.translate(_FOLDING)
    return _WORD.findall(folded)


def phrases(query: str) -> list[list[str]]:
    """
    What a text must hold to be found: for each term its words, side by side.

    Only the first 2,000 characters and 32 terms of a query count.

    >>> phrases('multi-agent "OR')
    [['multi', 'agent'], ['or']]
    """
    cut = (words(term) for term in query[:LONGEST_QUERY].split())
    return [found for found in cut if found][:MOST_TERMS]


def text_of(body: bytes | None) -> str:
    """The text to index of a message's body; nothing where it has none."""
    if body is None:
        return ""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):  # damaged: `verify` reports it
        return ""
    text = said.get("text") if isinstance(said, dict) else None
    return text if isinstance(text, str) else ""
