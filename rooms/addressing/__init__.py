"""
Addressing: who is meant by a message.

Names and labels (`names`), the address grammar (`address`), the names called in a text
(`mentions`), and what addresses and a reply come to in one room (`resolution`).
"""

from __future__ import annotations

from rooms.addressing.address import (
    ADDRESS_GRAMMAR,
    Address,
    AddressKind,
    parse_address,
)
from rooms.addressing.mentions import Ambiguity, Mentions, find_mentions
from rooms.addressing.names import (
    check_agent_id,
    check_label,
    derive_label,
    free_label,
    name_key,
)
from rooms.addressing.resolution import (
    Resolution,
    Start,
    resolve,
    resolve_addresses,
)
from rooms.addressing.view import Author, Member, RoomView

__all__ = [
    "ADDRESS_GRAMMAR",
    "Address",
    "AddressKind",
    "Ambiguity",
    "Author",
    "Member",
    "Mentions",
    "Resolution",
    "RoomView",
    "Start",
    "check_agent_id",
    "check_label",
    "derive_label",
    "find_mentions",
    "free_label",
    "name_key",
    "parse_address",
    "resolve",
    "resolve_addresses",
]
