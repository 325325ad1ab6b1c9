"""
Name: whom a message mentions as data, and whom it names without calling.

Two laws. What is given as data wins over what the text says (F-62): with mentions
given, no `@` in it calls anybody. And a silent name is a reference alone: it wakes
nobody, starts nothing and waits on no reply (F-48).
"""

from __future__ import annotations

from collections.abc import Iterable

from rooms.addressing import Address, AddressKind, name_key, resolve_addresses
from rooms.errors import InvalidInput
from rooms.log.actors import Actor
from rooms.log.posting.addressing import RoomView
from rooms.log.state import RoomState

__all__ = ["Silent", "mentioned", "named_silently"]

Silent = tuple[str, str]
"""An address that is named and not called, and its conversation, or ""."""

_EVERYONE = frozenset({"all", "room"})
_ONE = frozenset({AddressKind.AGENT, AddressKind.CONVERSATION, AddressKind.PERSON})


def mentioned(
    room: RoomState, names: Iterable[str], by: Actor
) -> tuple[tuple[Address, ...], tuple[str, ...]]:
    """Whom names that are given address, and those that fit nobody in the room."""
    called: dict[Address, None] = {}
    unresolved: dict[str, None] = {}
    own = name_key(by.agent)
    for name in names:
        key = name_key(name)
        member = room.members.get(key)
        if member is not None and member.present:
            if key != own:
                called[Address(AddressKind.AGENT, name=member.agent)] = None
        elif key in _EVERYONE:
            called[Address(AddressKind.ALL)] = None
        else:
            unresolved[name] = None
    return tuple(called), tuple(unresolved)


def named_silently(view: RoomView, addresses: Iterable[Address]) -> tuple[Silent, ...]:
    """
    Those named without being called, each once, with the conversation that is meant.

    Raises:
        InvalidInput: `bad_address` for an address of several.
        NotFound: `unknown_address` for one that reaches nobody here.
    """
    named: dict[str, str] = {}
    for address in addresses:
        if address.kind not in _ONE:
            raise InvalidInput(
                "silent",
                f"holds {str(address)!a}",
                allowed="addresses of one agent, conversation or person",
                code="bad_address",
            )
        reached = resolve_addresses(
            (address,), sender=None, view=view, reply_to=None, reply_wakes_author=False
        )
        left = [one.instead_of for one in reached.started if one.instead_of]
        named[str(address)] = next(iter([*reached.direct, *left]), "")
    return tuple(named.items())
