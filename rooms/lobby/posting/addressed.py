"""
Whom a caller addresses: handles, address values and strings, as addresses.

Law: what is no address is refused with the place where it stands among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from rooms.addressing import Address, AddressKind, name_key, parse_address
from rooms.errors import InvalidInput
from rooms.lobby.handles import Agent, Conversation, Person

if TYPE_CHECKING:
    pass

__all__ = ["addresses", "conversation_given"]


def conversation_given(given: Any) -> Conversation | None:
    """The conversation that is meant, where a handle, a claim or a turn says so."""
    one = getattr(given, "conversation", given)
    return one if isinstance(one, Conversation) else None


def addresses(
    given: Sequence[Any],
    bare_word: Literal["agent", "person"],
    field: str = "to",
    *,
    home: str | None = None,
) -> tuple[Address, ...]:
    """The addresses that are given, in their order; `home` is an agent's bare name."""
    found = []
    for place, one in enumerate(given):
        at_home = home is not None and isinstance(one, str) and _is(one, home)
        word = "agent" if at_home else bare_word
        found.append(_address(place, one, word, field))
    return tuple(found)


def _is(word: str, name: str) -> bool:
    return name_key(word.strip()) == name_key(name)


def _address(
    place: int, given: Any, bare_word: Literal["agent", "person"], field: str
) -> Address:
    if not isinstance(given, str):
        if isinstance(given, Address):
            return given
        if isinstance(given, Agent):
            return Address(AddressKind.AGENT, name=given.id)
        if isinstance(given, Person):
            return Address(AddressKind.PERSON, name=given.name)
        conversation = conversation_given(given)
        if conversation is not None:
            return conversation.address
    try:
        return parse_address(given, bare_word=bare_word)
    except InvalidInput as error:
        raise InvalidInput(
            f"{field}[{place}]",
            error.details["problem"],
            allowed=error.details["allowed"],
            code=error.code,
        ) from None
