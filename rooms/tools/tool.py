"""
A tool: one thing that an agent may do over a lobby, as a model is told of it.

Law: a tool decides nothing. It is a Python call of the lobby under a name for models,
with the caller's identity, so rules, gate, fence and request ids are those of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.addressing import AddressKind, parse_address
from rooms.errors import NotFound
from rooms.lobby import Claim, Conversation, Person, Room, Turn
from rooms.lobby.access.finding import find_room
from rooms.tools.arguments import Argument, Record, Text, Whole

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["AGENT", "LIMIT", "REQUEST_ID", "ROOM", "Caller", "Tool", "limit"]

Told = dict[str, Any]


@frozen
class Caller:
    """
    Who calls a tool, and when.

    Attributes:
        by: What the Python calls take as `by`: a conversation, a turn or a claim.
        conversation: The conversation behind it.
        holder: Who takes wakes; None for the thread that calls.
        now: The instant of the call; None for the lobby's clock.
    """

    by: Conversation | Turn | Claim
    conversation: Conversation
    desk: Desk
    holder: str | None = None
    now: datetime | None = None

    def room(self, given: Mapping[str, Any]) -> Room:
        """The room that a call is about, as far as the caller may know of it."""
        return Room(find_room(self.desk, given["room"], by=self.by), self.desk)

    def meant(self, address: str) -> Conversation | Person:
        """The conversation or person that an address means, as answers give it."""
        parsed, desk = parse_address(address), self.desk
        if parsed.kind is AddressKind.PERSON:
            return Person(parsed.name or "", desk)
        found: str | None = None
        with desk.lock:
            entry = desk.agent(parsed.name or "")
            if parsed.kind is AddressKind.CONVERSATION:
                found = desk.talks(entry.agent).labelled(parsed.label or "")
            elif parsed.kind is AddressKind.AGENT:
                found = entry.conversation
        if not found:
            raise NotFound("unknown_address", "no conversation is called so")
        return Conversation(found, entry.agent, desk)


@frozen
class Tool:
    """
    One tool.

    Attributes:
        name: Its name, `[a-z][a-z0-9_]{0,63}`.
        about: What it does, for a model; the first sentence is the summary.
        run: The call behind it.
        arguments: What it takes.
        needs: Of what the caller may do (`rooms.tools.permissions`); "" for nothing.
        reads: Whether it changes nothing but what is settled by reading.
        destroys: Whether what it takes away does not come back.
    """

    name: str
    about: str
    run: Callable[[Caller, Mapping[str, Any]], Told] = field(repr=False)
    arguments: tuple[Argument, ...] = ()
    needs: str = ""
    reads: bool = False
    destroys: bool = False

    @property
    def record(self) -> Record:
        """Its arguments as a closed object."""
        return Record(self.arguments)

    @property
    def summary(self) -> str:
        """The first sentence of what it does."""
        return self.about.partition(". ")[0].rstrip(".") + "."


ROOM = Argument("room", Text(1), "The room's id or its name.")
AGENT = Argument("agent", Text(1), "The agent: its id, or `agent:<id>`.")
REQUEST_ID = Argument(
    "request_id",
    Text(1),
    "A name of your own for this request. The same request again is answered with what"
    " became of it the first time, so after an unclear failure repeat it unchanged.",
    optional=True,
)


def limit(about: str, usual: int = 30) -> Argument:
    """How much of something a call returns at most."""
    return Argument("limit", Whole(1, 100), about, optional=True, default=usual)


LIMIT = limit("At most so many messages.")
