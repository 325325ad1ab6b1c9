"""
A roster's names, indexed for finding the one that stands at a place in a text.

Two laws. The longest known name that fits wins, and where two fit equally well nobody
is named. A look-up costs what it reads of the text, however long the roster is
and whatever its names are.

Exact spelling comes first, then the one name that is equal without case.
"""

from __future__ import annotations

import re
from itertools import islice

from rooms.addressing.names import is_mark, normal_form

__all__ = [
    "EVERYONE",
    "MOST_CANDIDATES",
    "TRAILING",
    "Names",
    "is_spaceless",
    "is_word",
]

EVERYONE = ""  # what a word for everybody names; no name is empty
MOST_CANDIDATES = 16  # listed where a mention could mean several
TRAILING = "._-"  # signs that a name may hold, and that may follow one

# A name of these signs alone ends where its token ends, so it needs no tree.
_PLAIN = re.compile(r"[A-Za-z0-9_.\-\n]*+")
_PLAIN_LENGTH = 128  # longer tokens are looked up in the tree, a sign at a time

# Scripts written without blanks between words: the ideographs and syllables that break
# anywhere (UAX #14, classes ID and CJ), and those that need a dictionary (class SA).
_SPACELESS = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19FF),  # Tai Le, New Tai Lue, Khmer symbols
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x30FF),  # kana, and the marks of ideographs
    (0x3100, 0x312F),  # Bopomofo
    (0x31A0, 0x31FF),  # Bopomofo and katakana, extended
    (0x3400, 0xA4CF),  # ideographs, Yi
    (0xA9E0, 0xA9FF),  # Myanmar, extended
    (0xAA60, 0xAADF),  # Myanmar, extended; Tai Viet
    (0xF900, 0xFAFF),  # ideographs, compatibility
    (0xFF66, 0xFF9F),  # katakana, halfwidth
    (0x11700, 0x1174F),  # Ahom
    (0x16FE0, 0x18DFF),  # Tangut, Khitan
    (0x1AFF0, 0x1B2FF),  # kana, extended; Nushu
    (0x20000, 0x3FFFF),  # ideographs, extended
)


def is_word(sign: str) -> bool:
    """Whether the character belongs to words: a letter, a digit, `_`, or a mark."""
    return sign.isalnum() or sign == "_" or is_mark(sign)


def _is_free_letter(sign: str) -> bool:
    """
    Whether a name may end before this letter: one of a script without spaces.

    A sign that repeats or lengthens the one before it (class Lm) is no such letter.
    """
    if not is_spaceless(sign):
        return False
    from unicodedata import category  # noqa: PLC0415

    return category(sign) == "Lo"


def is_spaceless(sign: str) -> bool:
    """Whether the character is of a script without spaces, and no digit of it."""
    code = ord(sign)
    return (
        code >= 0x0E00
        and any(first <= code <= last for first, last in _SPACELESS)
        and not sign.isdecimal()
    )


def _plain_names(
    roster: tuple[str, ...], words: tuple[str, ...]
) -> dict[str, str] | None:
    """By folded name, whom it names; None unless all are plain and no two alike."""
    joined = "\n".join(words + roster)
    if _PLAIN.fullmatch(joined) is None:
        return None
    keys = joined.lower().split("\n")
    targets = (EVERYONE,) * len(words) + roster
    plain = dict(zip(keys, targets, strict=False))
    return plain if len(plain) == len(targets) == len(keys) else None


class _Node(dict[str, "_Node"]):
    """A place in the tree of folded names; `key` is set where a name ends."""

    __slots__ = ("key",)

    key: str | None

    def __init__(self) -> None:
        self.key = None


class Names:
    """
    The names of a roster and the words for everybody, made for one text.

    A found name is a tuple of roster names as they are spelled there: one, or several
    that nobody can tell apart. `EVERYONE` stands for a word that calls everybody.
    """

    __slots__ = ("_plain", "_reach", "_roster", "_tree", "_words")

    def __init__(
        self, roster: tuple[str, ...], words: tuple[str, ...], *, reach: int
    ) -> None:
        self._roster = roster
        self._words = words
        self._reach = reach
        self._plain = _plain_names(roster, words)
        self._tree: _Tree | None = None

    def whole(self, token: str) -> tuple[int, tuple[str, ...]] | None:
        """
        How much of an ASCII token is a name, less its last signs, and whom it names.

        None where only `longest` can tell; else it says what `longest` would.
        """
        plain = self._plain
        if plain is None or len(token) > _PLAIN_LENGTH:
            return None
        token = token.lower()
        while token not in plain:
            if not token or token[-1] not in TRAILING:
                return 0, ()
            token = token[:-1]
        return len(token), (plain[token],)

    def longest(self, text: str, start: int) -> tuple[int, tuple[str, ...]]:
        """
        How long the longest name from `start` on is, and whom it names.

        A name that ends where a word does wins over those that more letters follow; of
        several of these, nobody can tell which is meant.
        """
        if self._tree is None:
            self._tree = _Tree(self._roster, self._words, reach=self._reach)
        return self._tree.longest(text, start)


class _Tree:
    """Folded names by their characters: one walk finds all that begin at a place."""

    __slots__ = ("_exact", "_folded", "_root")

    def __init__(
        self, roster: tuple[str, ...], words: tuple[str, ...], *, reach: int
    ) -> None:
        self._exact = _by_spelling(roster, words)
        self._folded = _by_key(roster, words)
        self._root = _Node()
        for key in self._folded:
            if len(key) <= 3 * reach:  # folding a character gives up to three
                self._add(key)

    def longest(self, text: str, start: int) -> tuple[int, tuple[str, ...]]:
        inside: list[tuple[int, str]] = []
        first_sign = after_signs = len(text)  # of the run that was passed over last
        for end, key in reversed(self._ends(text, start)):
            after = end
            while after < first_sign and text[after] in TRAILING:
                after += 1
            if after == first_sign:
                after = after_signs
            first_sign, after_signs = end, after
            if after == len(text) or not is_word(text[after]):
                return end - start, self._named(text[start:end], key)
            if _is_free_letter(text[end]):
                inside.append((end, key))
        if not inside:
            return 0, ()
        end, key = inside[0]
        if len(inside) == 1:
            return end - start, self._named(text[start:end], key)
        fitting = (name for _, key in reversed(inside) for name in self._folded[key])
        return end - start, tuple(islice(fitting, MOST_CANDIDATES))

    def _named(self, written: str, key: str) -> tuple[str, ...]:
        name = self._exact.get(written)
        return self._folded[key] if name is None else (name,)

    def _ends(self, text: str, start: int) -> list[tuple[int, str]]:
        """Where names end that begin at `start`, the shortest first; none holds `@`."""
        node = self._root
        ends: list[tuple[int, str]] = []
        for at in range(start, len(text)):
            for sign in text[at].casefold():
                below = node.get(sign)
                if below is None:
                    return ends
                node = below
            if node.key is not None:
                ends.append((at + 1, node.key))
        return ends

    def _add(self, key: str) -> None:
        if "@" in key:
            return
        node = self._root
        for sign in key:
            below = node.get(sign)
            if below is None:
                below = node[sign] = _Node()
            node = below
        node.key = key


def _by_spelling(roster: tuple[str, ...], words: tuple[str, ...]) -> dict[str, str]:
    exact = {normal_form(word): EVERYONE for word in words}
    spelled = {name: normal_form(name) for name in roster}
    exact.update((written, name) for name, written in spelled.items())
    for name, written in spelled.items():
        if exact.get(written, name) != name:  # two that are equal in normal form:
            del exact[written]  # neither is the exact one
    return exact


def _by_key(
    roster: tuple[str, ...], words: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """By folded name, whom it may name; a word for everybody gives way to a name."""
    named: dict[str, list[str]] = {}
    for name in dict.fromkeys(roster):
        named.setdefault(normal_form(name).casefold(), []).append(name)
    for word in words:
        named.setdefault(normal_form(word).casefold(), [EVERYONE])
    return {key: tuple(names) for key, names in named.items()}
