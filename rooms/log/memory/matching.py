"""
Matching: which entries a query means, and which ones say nearly the same.

Law: it is a pure function of words, and ranks alike for everybody: rare words weigh
more, a title three times and keywords twice; what matches in neither is no hit, nor is
what comes to less than half of the best (L-MEM-06).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import log
from unicodedata import normalize

from attrs import frozen

__all__ = ["Searchable", "best", "resembling", "stems"]

_WORD = re.compile(r"\w+")
_MOST = 15
_WEIGHTS = (3, 2, 1)
_VOWEL = re.compile(r"[aeiouy]")
_ALIKE = 0.5
"""From what share of a text's words on, weighted by rarity, another resembles it."""


@frozen
class Searchable:
    """The stems of an entry: of its title, its keywords and its text."""

    name: int
    title: frozenset[str]
    keywords: frozenset[str]
    text: frozenset[str]

    @classmethod
    def of(
        cls, name: int, title: str, keywords: Iterable[str], text: str
    ) -> Searchable:
        """What an entry is found by."""
        return cls(name, stems(title), stems(" ".join(keywords)), stems(text))

    @property
    def every(self) -> frozenset[str]:
        """All its stems."""
        return self.title | self.keywords | self.text


def stems(text: str) -> frozenset[str]:
    """
    The words of a text, lightly stemmed.

    >>> sorted(stems("Retries stopped; caches"))
    ['cach', 'retry', 'stop']
    """
    folded = normalize("NFKC", text).casefold()
    return frozenset(_stem(word) for word in _WORD.findall(folded))


def best(query: str, entries: Sequence[Searchable]) -> list[int]:
    """The entries that a query means, the best first; of equals, the later one."""
    asked = stems(query)
    weights = _rarity(asked, entries)
    scored = []
    for place, one in enumerate(entries):
        fields = (one.title, one.keywords, one.text)
        score = sum(
            weights[stem] * weight
            for stem in sorted(asked)
            for weight, words in zip(_WEIGHTS, fields, strict=True)
            if stem in words
        )
        named = not asked.isdisjoint(one.title | one.keywords)
        scored.append((score, place, one.name, named))
    top = max((score for score, *_ in scored), default=0)
    hits = [one for one in scored if one[0] > 0 and one[0] * 2 >= top and one[3]]
    return [name for _, _, name, _ in sorted(hits, reverse=True)[:_MOST]]


def resembling(text: str, entries: Sequence[Searchable]) -> list[int]:
    """The entries that hold half of a text's words and more, by their rarity."""
    said = stems(text)
    weights = _rarity(said, entries)
    whole = sum(weights[stem] for stem in sorted(said))
    return [
        one.name
        for one in entries
        if whole
        and sum(weights[stem] for stem in sorted(said & one.every)) >= whole * _ALIKE
    ]


def _rarity(asked: Iterable[str], entries: Sequence[Searchable]) -> dict[str, float]:
    words = [one.every for one in entries]
    return {
        stem: log(1 + (1 + len(words)) / (1 + sum(stem in one for one in words)))
        for stem in asked
    }


def _stem(word: str) -> str:
    """Plurals and endings off, where enough of a word is left."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) > 2 and _VOWEL.search(bare):
            doubled = bare[-1] == bare[-2] and bare[-1] not in "lsz"
            return bare[:-1] if doubled else bare
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
