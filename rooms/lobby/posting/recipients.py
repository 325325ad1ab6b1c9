"""
Whom a direct message is for, and the room that is theirs.

Law: the room of two is named by both whoever writes first, and the room of all by
nobody, so a key finds it for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from attrs import define

from rooms.addressing import name_key, parse_address
from rooms.errors import InvalidInput, NotFound
from rooms.lobby.handles import Conversation, agent_meant
from rooms.log.actors import Actor
from rooms.log.directory import AgentEntry

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["EVERYBODY", "Recipient", "labelled", "recipient_of", "room_of_key"]

EVERYBODY = "*"
"""To all agents that take part (L-SEND-05)."""


@define(eq=False)
class Recipient:
    """Whom a message is for: an agent, one conversation of it, or everybody."""

    entry: AgentEntry | None = None
    conversation: Conversation | None = None

    @property
    def asked(self) -> str:
        """What a retry has to name again."""
        if self.conversation is not None:
            return self.conversation.id
        return EVERYBODY if self.entry is None else f"agent:{self.entry.agent}"

    @property
    def recorded(self) -> str:
        """Its address as a record has it; `"*"` for all."""
        return self.asked if self.conversation is None else str(self.conversation)

    @property
    def room_name(self) -> str:
        """What the room of these is called."""
        return "everybody" if self.entry is None else "direct"

    def key(self, by: Actor) -> str:
        """What names the room of these for ever, in whatever order they write."""
        if self.entry is None:
            return f"direct:{EVERYBODY}"
        own = f"agent:{name_key(by.agent)}" if by.agent else by.recorded
        both = {own, f"agent:{name_key(self.entry.agent)}"}
        return "direct:" + " ".join(sorted(both))


def recipient_of(desk: Desk, to: Any) -> Recipient:
    """
    Whom `to` means.

    Raises:
        InvalidInput: `agent_required` for a person; `bad_address`; `invalid_request`.
        NotFound: `agent_not_found`, `unknown_conversation`.
    """
    if isinstance(to, str) and to == EVERYBODY:
        return Recipient()
    one = getattr(to, "conversation", to)
    if isinstance(one, Conversation):
        desk.check_known(one.actor)
        with desk.lock:
            entry = desk.agent(one.agent)
        return Recipient(entry, one if entry.threaded else None)
    if isinstance(to, Iterable) and not isinstance(to, str | bytes):
        kind = type(to).__name__
        raise InvalidInput(
            "to", f"is of type {kind}", allowed="one agent or conversation, or '*'"
        )
    return Recipient(agent_meant(desk, to, field="to"))


def room_of_key(desk: Desk, key: str) -> str:
    """The room that a key names, or ""."""
    stream, _, _ = (desk.storage.find(key) or "").partition(" ")
    return stream.removeprefix("room:")


def labelled(desk: Desk, to: str) -> Any:
    """One conversation where a label names it; else whatever agent it is."""
    if "/" not in to:
        return to
    address = parse_address(to)
    with desk.lock:
        entry = desk.agent(address.name or "")
        found = desk.talks(entry.agent).labelled(address.label or "")
    if found is None:
        raise NotFound("unknown_address", "no conversation is called so", address=to)
    return Conversation(found, entry.agent, desk)
