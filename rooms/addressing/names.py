"""
Names: agent ids, and the labels of conversations.

Three laws. Two names are the same name when their keys are equal (`name_key`: NFC, then
full case folding), for registration and for every look-up alike. What has a
meaning of its own in an address is nobody's name. A label once held stays held, so an
old address never changes its meaning (`G-LABEL-06`, `G-LABEL-07`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from collections.abc import Set as AbstractSet

from rooms import values
from rooms.errors import InvalidInput

__all__ = [
    "LABEL_LENGTH",
    "RESERVED_IDS",
    "RESERVED_LABELS",
    "check_agent_id",
    "check_label",
    "derive_label",
    "free_label",
    "is_mark",
    "name_key",
    "normal_form",
]

RESERVED_IDS = frozenset({"room", "all", "here", "everyone", "new", "system", "owner"})
RESERVED_LABELS = frozenset({"new", "all"})
LABEL_LENGTH = 32  # G-LABEL-01

_ID_LENGTH = 64
_ID_SIGNS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
)
_ID_GRAMMAR = (
    "1 to 64 ASCII letters, digits, '_', '.' and '-', "
    "the first a letter or digit, the last no '.'"
)
_LABEL_GRAMMAR = (
    "words of letters and digits joined with '-', at most 32 characters, "
    "not 'new' or 'all'"
)

_SUBJECT_LENGTH = 1_000  # a label is found at the start of a post, or not at all
_LABEL_WORDS = 5  # G-LABEL-01
_FILLER = "talk"  # the second word where a subject has only one
_NO_SUBJECT = "untitled-talk"
_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc")

_STREAM_SAFE_MARKS = 30  # UAX #15, section 13
_SHORT = 256  # too few characters for the order of their marks to cost anything
_JOINERS = "\u200c\u200d"  # between letters of one word in Persian, in Indic scripts


def normal_form(text: str) -> str:
    """
    The text in Unicode's normal form C, in time linear in the text.

    A text with more than 30 combining marks in a row is no stream-safe text (UAX #15)
    and stays as it stands: to put n of them in order costs n squared.
    """
    if text.isascii():
        return text
    from unicodedata import combining, is_normalized, normalize  # noqa: PLC0415

    if is_normalized("NFC", text):  # linear: it stops at the first mark out of order
        return text
    if len(text) > _SHORT:
        spread = text
        for sign in "\u0f73\u0f75\u0f81":  # no marks themselves, but made of two each
            spread = spread.replace(sign, "\u0f71")
        marks = bytes(map(combining, spread)).translate(_MARK_OR_NOT)
        if b"\1" * (_STREAM_SAFE_MARKS + 1) in marks:
            return text
    return normalize("NFC", text)


_MARK_OR_NOT = bytes([0]) + bytes([1]) * 255


def name_key(name: str) -> str:
    """
    What two spellings of one name have in common: NFC, then full case folding.

    >>> name_key("STRASSE") == name_key("straße")
    True
    """
    return name.lower() if name.isascii() else normal_form(name).casefold()


def is_mark(sign: str) -> bool:
    """
    Whether the character belongs to the letter before it: a combining mark or a joiner.
    """
    if sign.isascii():
        return False
    from unicodedata import category  # noqa: PLC0415

    return category(sign)[0] == "M" or sign in _JOINERS


def check_agent_id(value: str, *, field: str = "agent") -> str:
    """
    An agent's id, as it stands.

    An id is unique without case: compare `name_key(id)`, and keep the spelling.

    Raises:
        InvalidInput: `invalid_request` for what breaks the grammar, `reserved_identity`
            for a word with a meaning of its own.

    >>> check_agent_id("infra-dashboard-2")
    'infra-dashboard-2'
    """
    name = values.text(field, value, empty=False)
    if (
        len(name) > _ID_LENGTH
        or not _ID_SIGNS.issuperset(name)
        or name[0] in "_.-"
        or name[-1] == "."
    ):
        raise InvalidInput(field, f"is {_shown(name)}", allowed=_ID_GRAMMAR)
    if name.lower() in RESERVED_IDS:
        raise InvalidInput(
            field,
            f"is {name!r}, a word of the addresses",
            allowed="any other name",
            code="reserved_identity",
        )
    return name


def check_label(value: str, *, field: str = "label") -> str:
    """
    A conversation's label in its one form: NFC, folded, words joined with hyphens.

    The words may be of any script. One word is enough where somebody chose it, and a
    suffix (`free_label`) may follow the fifth: addresses hold both.

    Raises:
        InvalidInput: `invalid_request` for what breaks the grammar, `reserved_identity`
            for `new` and `all` (`G-LABEL-04`).

    >>> check_label("Acme-Renewal")
    'acme-renewal'
    """
    written = values.text(field, value, empty=False)
    label = normal_form(name_key(written[: LABEL_LENGTH * 4]))
    if (
        len(written) > LABEL_LENGTH * 4  # marks that compose may make it shorter
        or len(label) > LABEL_LENGTH
        or not label.isprintable()
        or not all(_is_word(word) for word in label.split("-"))
    ):
        raise InvalidInput(field, f"is {_shown(written)}", allowed=_LABEL_GRAMMAR)
    if label in RESERVED_LABELS:
        raise InvalidInput(
            field,
            f"is {label!r}, a word of the addresses",
            allowed="any other label",
            code="reserved_identity",
        )
    return label


def derive_label(text: str) -> str:
    """
    A label from a subject, or from the first line of a first post that has words.

    Two to five words, as many as fit in 32 characters (`G-LABEL-01`, `G-LABEL-02`);
    a lone one gets a second, except in a script without spaces, and a text without any
    in its first 1,000 characters gives `untitled-talk`. Names called with `@` and links
    do not tell what a conversation works on; they count only where nothing else stands.

    >>> derive_label("@eve Renewal of the Acme contract, please")
    'renewal-of-the-acme-contract'
    """
    start = values.text("text", text)[:_SUBJECT_LENGTH]
    for line in normal_form(name_key(start)).splitlines():
        pieces = line.split()
        telling = [part for part in pieces if part[0] != "@" and "://" not in part]
        words = _words(" ".join(telling)) or _words(line)
        if words:
            return _joined(words)
    return _NO_SUBJECT


def free_label(wanted: str, taken: Collection[str]) -> str:
    """
    The label itself, or with the first suffix `-2`, `-3` ... that nobody holds.

    Args:
        wanted: A label, as for `check_label`.
        taken: Every label that another conversation of the same agent has, or ever
            had (`G-LABEL-07`), in the form of `check_label`.

    Raises:
        InvalidInput: As `check_label`, or when `taken` is no collection.

    The result is within 32 characters (`G-LABEL-08`).

    >>> free_label("acme", {"acme", "acme-2"})
    'acme-3'
    """
    label = check_label(wanted, field="wanted")
    if isinstance(taken, str | bytes | bytearray) or not isinstance(taken, Collection):
        raise InvalidInput("taken", "is no collection", allowed="a set of labels")
    if not isinstance(taken, AbstractSet | Mapping):
        taken = frozenset(filter(_hashable, taken))
    if label not in taken:
        return label
    number = 2
    while (suffixed := _suffixed(label, number)) in taken:
        number += 1
    return suffixed


def _hashable(one: object) -> bool:
    return isinstance(one, Hashable)


def _suffixed(label: str, number: int) -> str:
    suffix = f"-{number}"
    return label[: LABEL_LENGTH - len(suffix)].rstrip("-") + suffix


def _is_word(word: str) -> bool:
    return word[:1].isalnum() and all(sign.isalnum() or is_mark(sign) for sign in word)


def _words(line: str) -> list[str]:
    kept = [
        sign if sign.isprintable() and (sign.isalnum() or is_mark(sign)) else " "
        for sign in line.translate(_APOSTROPHES)
    ]
    words = ("".join(kept)).split()
    return [word for word in words if _is_word(word)]


def _joined(words: list[str]) -> str:
    label = words[0][: LABEL_LENGTH - len(_FILLER) - 1]
    count = 1
    for word in words[1:_LABEL_WORDS]:
        if len(label) + 1 + len(word) > LABEL_LENGTH:
            break
        label += "-" + word
        count += 1
    if count == 1 and label.isascii():
        label += "-" + _FILLER
    return label if label not in RESERVED_LABELS else _NO_SUBJECT


def _shown(name: str) -> str:
    return ascii(name[:80]) + (" and so on" if len(name) > 80 else "")
