"""
Addresses: the strings that say whom a message is for (`G-ADDR-01`).

    room                   the room, tagging nobody
    all                    every conversation that follows the room
    agent:<id>             the agent: a new conversation, or its only one
    agent:<id>/new         the same (`G-ADDR-05`)
    agent:<id>/all         each of its conversations that follows the room
    agent:<id>/<label>     that conversation
    person:<name>          somebody who takes no turns

Two laws. Every address has one canonical text, and that text parses back to it. A text
is an address as a whole or not at all: nothing is skipped, guessed or matched in part,
except blanks around it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, NoReturn

from attrs import Attribute, field, frozen

from rooms import values
from rooms.addressing.names import check_label, name_key, normal_form
from rooms.errors import InvalidInput

__all__ = ["ADDRESS_GRAMMAR", "Address", "AddressKind", "parse_address"]

ADDRESS_GRAMMAR = (
    "room, all, agent:<id>, agent:<id>/new, agent:<id>/all, agent:<id>/<label>,"
    " person:<name>"
)
"""The forms of an address, as errors tell them."""

_BARE_WORDS = ("refuse", "agent", "person")
_NAME_LENGTH = 256  # of ids of other rosters; ours have 64
_LENGTH = 300  # a name, a label, and the words around them
_SEPARATORS = frozenset("/:,;@")
_QUOTES = frozenset("'\"`\u00b4\u2018\u2019\u201c\u201d\u00ab\u00bb()[]{}<>")


class AddressKind(StrEnum):
    """What an address names."""

    ROOM = "room"
    ALL = "all"
    AGENT = "agent"
    EVERY_CONVERSATION = "every_conversation"
    CONVERSATION = "conversation"
    PERSON = "person"


def _kind(kind: AddressKind | str) -> AddressKind:
    return AddressKind(values.member("kind", kind, AddressKind))


def _name(name: str | None) -> str | None:
    short = isinstance(name, str) and len(name) <= _LENGTH
    return normal_form(name) if name is not None and short else name


def _label(label: str | None) -> str | None:
    return None if label is None else check_label(label)


def _check_name(address: Address, _: Attribute[Any], name: Any) -> None:
    if (name is None) == (address.kind in _NAMED):
        _refuse(f"of kind {address.kind} has {'no' if name is None else 'a'} name")
    if name is not None and not _is_name(name):
        _refuse(f"names {_shown(name)}")


def _check_label(address: Address, _: Attribute[Any], label: Any) -> None:
    if (label is None) == (address.kind is AddressKind.CONVERSATION):
        _refuse(f"of kind {address.kind} has {'no' if label is None else 'a'} label")


@frozen
class Address:
    """
    Whom a message is for; `str()` gives the canonical text.

    Attributes:
        kind: What is named.
        name: The id of the agent or the person as written, in NFC, or None.
        label: The conversation's label for that kind, or None.

    Equal addresses have equal texts. Ids that differ in case stay as written and are
    brought together by whoever knows the members.

    Raises:
        InvalidInput: `bad_address`, or as `check_label`.

    >>> str(Address("conversation", name="Eve", label="acme-renewal"))
    'agent:Eve/acme-renewal'
    """

    kind: AddressKind = field(converter=_kind)
    name: str | None = field(
        default=None, kw_only=True, converter=_name, validator=_check_name
    )
    label: str | None = field(
        default=None, kw_only=True, converter=_label, validator=_check_label
    )

    _text: str = field(init=False, eq=False, repr=False)
    _key: str = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        keep = object.__setattr__  # once: both are asked for with every message
        keep(self, "_text", self._written())
        keep(self, "_key", name_key(self.name or ""))

    @property
    def key(self) -> str:
        """The `name_key` of the name; "" where there is none."""
        return self._key

    def __str__(self) -> str:
        return self._text

    def _written(self) -> str:
        match self.kind:
            case AddressKind.AGENT:
                return f"agent:{self.name}"
            case AddressKind.EVERY_CONVERSATION:
                return f"agent:{self.name}/all"
            case AddressKind.CONVERSATION:
                return f"agent:{self.name}/{self.label}"
            case AddressKind.PERSON:
                return f"person:{self.name}"
            case _:
                return self.kind.value


_NAMED = frozenset(AddressKind) - {AddressKind.ROOM, AddressKind.ALL}


def parse_address(
    text: str, *, bare_word: Literal["refuse", "agent", "person"] = "refuse"
) -> Address:
    """
    The address that a text is.

    Args:
        text: An address of the grammar; keywords and labels in any case.
        bare_word: What a word without a prefix is. The hall reads a person, who takes
            no turns (`G-ADDR-02`); without a roster nobody can tell: refused.

    Raises:
        InvalidInput: `bad_address`, with the grammar in `allowed`. Quoted, bracketed
            and listed names are refused whole: `'eve'` is nobody's id. The problem says
            what to write for a bare `ben` and for `@ben`.

    >>> parse_address("agent:Eve/new") == parse_address(" agent:Eve ")
    True
    >>> str(parse_address("agent:Eve/ALL"))
    'agent:Eve/all'
    """
    if bare_word not in _BARE_WORDS:
        values.member("bare_word", bare_word, _BARE_WORDS)
    written = values.text("address", text)
    if len(written) > _LENGTH * 2:
        return _parsed.__wrapped__(written, bare_word)
    return _parsed(written, bare_word)


@lru_cache(maxsize=4_096)
def _parsed(written: str, bare_word: str) -> Address:
    """Parsed once: the same few addresses come with every message of a room."""
    words = written.strip()
    if len(words) > _LENGTH:
        _refuse(f"is longer than {_LENGTH} characters")
    words = normal_form(words)
    kind, colon, rest = words.partition(":")
    if not colon:
        return _word(words, written, bare_word=bare_word)
    kind = kind.lower()
    if kind == "agent":
        return _agent(rest, written)
    if kind != "person" or not _is_name(rest):
        _refuse(f"is {_shown(written)}")
    return Address(AddressKind.PERSON, name=rest)


def _word(word: str, written: str, *, bare_word: str) -> Address:
    match word.lower():
        case "room" | "all" as kind:
            return Address(AddressKind(kind))
    if word.startswith("@") and _is_name(word[1:]):
        _refuse(f"is {_shown(written)}, a mention: write {_shown('agent:' + word[1:])}")
    if not _is_name(word):
        _refuse(f"is {_shown(written)}")
    if bare_word == "refuse":
        _refuse(
            f"is {_shown(written)}, a word without a prefix: write"
            f" {_shown('agent:' + word)}, or pass bare_word='agent'"
        )
    return Address(AddressKind(bare_word), name=word)


def _agent(rest: str, written: str) -> Address:
    name, slash, part = rest.partition("/")
    if not _is_name(name):
        _refuse(f"is {_shown(written)}")
    match name_key(part):
        case "" if slash:
            _refuse(f"is {_shown(written)}")
        case "" | "new":
            return Address(AddressKind.AGENT, name=name)
        case "all":
            return Address(AddressKind.EVERY_CONVERSATION, name=name)
    try:
        label = check_label(part)
    except InvalidInput:
        _refuse(f"is {_shown(written)}")
    return Address(AddressKind.CONVERSATION, name=name, label=label)


def _is_name(name: Any) -> bool:
    """Whether it can stand in an address: any roster's id that has no sign of ours."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= _NAME_LENGTH
        and name.isprintable()
        and name.strip() == name
        and _SEPARATORS.isdisjoint(name)
        and name[0] not in _QUOTES
        and name[-1] not in _QUOTES
    )


def _refuse(problem: str) -> NoReturn:
    raise InvalidInput("address", problem, allowed=ADDRESS_GRAMMAR, code="bad_address")


def _shown(written: Any) -> str:
    if not isinstance(written, str):
        return f"of type {type(written).__name__}"
    return ascii(written[:80]) + (" and so on" if len(written) > 80 else "")
