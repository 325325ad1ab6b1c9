"""
Address: who is meant.

Two laws. Resolution asks the room through one view, which answers from the room's own
state and the facts beside it. And who may read is never decided here: whoever is in the
room may read all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rooms.addressing import (
    Address,
    AddressKind,
    Author,
    Member,
    Start,
    find_mentions,
    name_key,
)
from rooms.log.actors import Actor
from rooms.log.posting.draft import PostFacts
from rooms.log.seats import SeatJoined, join
from rooms.log.state import RoomState
from rooms.planning import leading_mentions

__all__ = ["RoomView", "called_in", "started_seats"]


def called_in(
    room: RoomState, text: str, by: Actor
) -> tuple[tuple[Address, ...], tuple[str, ...]]:
    """Whom names in the text address, and those that fit nobody."""
    where = room.policy.mentions
    read = by.kind == "person" or room.policy.mentions_from == "any"
    if where == "off" or not read or "@" not in text:
        return (), ()
    roster = room.roster()
    if where == "anywhere":
        mentions = find_mentions(text, roster)
        names, everyone, unresolved = (
            mentions.names,
            mentions.everyone,
            mentions.unresolved,
        )
    else:
        leading = leading_mentions(text, roster)
        names, everyone = leading.names, False
        unresolved = (leading.unknown,) if leading.unknown else ()
    called = [Address(AddressKind.AGENT, name=name) for name in names]
    if everyone:
        called.append(Address(AddressKind.ALL))
    own = name_key(by.agent)
    others = (one for one in called if one.name is None or name_key(one.name) != own)
    return tuple(others), unresolved


class RoomView:
    """The room as resolution sees it: its own state, and the facts beside it."""

    def __init__(self, room: RoomState, facts: PostFacts) -> None:
        self.room, self.facts = room, facts

    def member(self, key: str) -> Member | None:
        """An agent of the lobby, and whether it is a member here."""
        agent = self.facts.agents.get(key)
        if agent is None:
            return None
        membership = self.room.members.get(key)
        return Member(
            agent.agent,
            threaded=agent.threaded,
            present=membership is not None and membership.present,
            conversation=agent.conversation or None,
            seated=membership is not None and bool(membership.conversations),
        )

    def labelled(self, agent: str, label: str) -> str | None:
        """The conversation that has a label, where it ever had a seat."""
        talks = self.facts.talks.get(agent)
        conversation = None if talks is None else talks.labelled(label)
        return conversation if conversation in self.room.seats else None

    def following(self, agent: str) -> Sequence[str]:
        """An agent's conversations that follow the room."""
        membership = self.room.member(agent)
        every = membership.conversations if membership else ()
        return [one for one in every if one in self.room.following]

    def everyone_following(self) -> Sequence[str]:
        """All conversations that follow the room."""
        return list(self.room.following)

    def left(self, conversation: str) -> bool:
        """Whether a conversation had a seat and has none now."""
        seat = self.room.seats.get(conversation)
        return seat is not None and seat.place != "in"

    def author(self, message: str) -> Author | None:
        """Who wrote the message that is answered, which the facts have alone."""
        del message
        return self.facts.replied

    def last_partner(self, conversation: str) -> str | None:
        """The address of whom a conversation last talked with here."""
        partner = self.room.seats[conversation].partner
        return self.address(partner) if partner else None

    def agents(self) -> Iterable[str]:
        """The agents that are members now."""
        return self.room.roster()

    def labels(self, agent: str) -> Iterable[str]:
        """The labels of an agent's conversations here."""
        talks = self.facts.talks.get(agent)
        membership = self.room.member(agent)
        if talks is None or membership is None:
            return
        for conversation in membership.conversations:
            if conversation in talks.talks:
                yield talks.talks[conversation].label

    def address(self, conversation: str) -> str:
        """A conversation's address, as far as the facts have its label."""
        seat = self.room.seats[conversation]
        talks = self.facts.talks.get(seat.agent)
        if not seat.threaded or talks is None or conversation not in talks.talks:
            return f"agent:{seat.agent}"
        return f"agent:{seat.agent}/{talks.talks[conversation].label}"


def started_seats(
    room: RoomState, started: Sequence[Start], facts: PostFacts
) -> list[SeatJoined]:
    """
    A seat for each conversation to be started; it follows the room (G-FOLLOW-07). None
    starts of an agent that takes no part (L-AGENT-10).
    """
    seats: list[SeatJoined] = []
    for start, conversation in zip(started, facts.conversations, strict=False):
        entry = facts.agents.get(name_key(start.agent))
        if entry is not None and not entry.may.enabled:
            continue
        joined = join(
            room,
            conversation,
            agent=start.agent,
            threaded=True,
            why=start.reason,
            instead_of=start.instead_of or "",
            held="" if entry is None else entry.may.held,
        )
        seats.extend(one for one in joined if isinstance(one, SeatJoined))
    return seats
