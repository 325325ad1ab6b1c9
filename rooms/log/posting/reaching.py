"""
Reach: whom a sender may write to, and who may be written to at all.

Two laws. Whoever is named has to be reachable, or nothing is sent to anybody; whoever
is merely among those who hear is passed over without a word (L-AGENT-04, L-ADDR-03).
And a full backlog is looked for at all whom a message is owed to, before it is owed to
any (L-SEND-10).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from attrs import field, frozen

from rooms.addressing import Address, AddressKind, name_key
from rooms.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    OverLimit,
    SelfAddressed,
)
from rooms.log.actors import Actor
from rooms.log.directory import Permissions
from rooms.log.posting.draft import Draft, PostFacts
from rooms.log.posting.message import MessagePosted, Owed
from rooms.log.state import RoomState, Seat

__all__ = [
    "EVERYBODY",
    "Audience",
    "audience_of",
    "check_backlogs",
    "check_superseded",
    "escaped_bytes",
    "size_in_backlogs",
]

T = TypeVar("T", bound=tuple[Any, ...])

_OF_AGENTS = frozenset(
    {
        AddressKind.AGENT,
        AddressKind.CONVERSATION,
        AddressKind.EVERY_CONVERSATION,
    }
)
_MOST_ESCAPED = 6  # what one byte of UTF-8 comes to at most


@frozen
class Audience:
    """
    To whom a message may be owed, beside how each listens.

    Attributes:
        named: Whether it is owed to those that it addresses alone.
        itself: Whether it is owed to its sender too, which addressed itself.
        sender: The agent that wrote it, or "".
        may: What that one may do, where it leaves anybody out.
    """

    named: bool = False
    itself: bool = False
    sender: str = ""
    may: Permissions | None = field(default=None)

    def reaches(self, seat: Seat) -> bool:
        """Whether a seat that hears the message may be owed it."""
        if seat.standing.held == "disabled":
            return False
        if self.may is None or seat.agent == self.sender:
            return True
        return self.may.may_address(seat.agent)


EVERYBODY = Audience()
"""Whoever hears it."""


def audience_of(
    room: RoomState, to: Sequence[Address], facts: PostFacts, by: Actor
) -> Audience:
    """
    To whom a message may be owed that names these.

    Raises:
        InvalidInput: `invalid_request` for a name that stands twice, or too many.
        SelfAddressed: `self_addressed` for the sender among those that are named.
        Conflict: `not_room_member` with all that are not; `recipient_disabled`.
        NotAllowed: `recipient_forbidden`, naming the agent.
    """
    names = _named(to)
    strict = room.policy.audience == "named" and bool(names)
    if strict:
        _check_named(room, names, facts, by)
    itself = facts.itself and room.policy.self_address == "allow"
    own, sender = name_key(by.agent), facts.agents.get(name_key(by.agent))
    may = None if sender is None else sender.may
    if may is not None and may.allowed_recipients is None:
        may = None
    for address in names:
        known = facts.agents.get(address.key)
        if known is None or address.key == own:
            continue
        if not known.may.enabled:
            raise Conflict(
                "recipient_disabled",
                f"{known.agent} takes no part at present",
                agent=known.agent,
            )
        if may is not None and not may.may_address(known.agent):
            raise NotAllowed(
                "recipient_forbidden",
                f"{by.agent} may not write to {known.agent}",
                agent=known.agent,
            )
    return Audience(strict, itself, by.agent, may)


def _named(to: Iterable[Address]) -> list[Address]:
    """The addresses that name an agent, or conversations of one."""
    return [address for address in to if address.kind in _OF_AGENTS]


def _check_named(
    room: RoomState,
    names: Sequence[Address],
    facts: PostFacts,
    by: Actor,
) -> None:
    """Each that is named is another member, named once (L-ADDR-01, L-ADDR-03)."""
    most = room.policy.max_named
    if most is not None and len(names) > most:
        raise InvalidInput(
            "to", f"names {len(names)} agents", allowed=f"1 to {most}, or everybody"
        )
    texts = list(map(str, names))
    for place, text in enumerate(texts):
        if text in texts[:place]:
            raise InvalidInput(f"to[{place}]", "is named twice", allowed="each once")
    missing = [
        str(one.name)
        for one in names
        if (known := facts.agents.get(one.key)) is not None
        if (member := room.members.get(name_key(known.agent))) is None
        or not member.present
    ]
    if missing:
        raise Conflict(
            "not_room_member",
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in the"
            " room",
            not_members=tuple(missing),
        )
    if by.agent and not (facts.itself and room.policy.self_address == "allow"):
        own = name_key(by.agent)
        threaded = facts.agents[own].threaded if own in facts.agents else False
        if not threaded and any(one.key == own for one in names):
            raise SelfAddressed(
                "self_addressed",
                "the sender is among those that are named",
                last_partner=None,
            )


def escaped_bytes(text: str, limit: int) -> int:
    """
    A text's bytes as JSON writes it, without the quotes, in UTF-8 (L-SEND-08); where it
    surely is within a limit, an upper bound of it.
    """
    most = _MOST_ESCAPED * len(text)
    if most <= limit:
        return most
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


def size_in_backlogs(room: RoomState, text: str, fields: str) -> int:
    """What a message adds to the backlog of each that it is owed to; 0 where none."""
    if room.policy.backlog is None:
        return 0
    words = len(json.dumps(text, ensure_ascii=False).encode()) - 2
    return words + len(fields.encode())


def check_backlogs(
    room: RoomState,
    owed: Sequence[T],
    size: int,
    facts: PostFacts,
    *,
    guarded: bool = False,
    to_all: bool = False,
) -> tuple[Sequence[T], tuple[str, ...]]:
    """
    What is owed to those whose backlog takes it, each one's conversation being its
    first part, and the agents that are passed over.

    Args:
        room: The room.
        owed: What each would be owed.
        size: What it adds to the backlog of each.
        facts: What they are owed in other rooms.
        guarded: Whether unread messages are counted; of persons, and of whom answers a
            question of a team, they are not.
        to_all: Whether it is for all of them or for none, whatever the policy says.

    Raises:
        OverLimit: `inbox_capacity` with `agents` where one is full, and the policy
            refuses then (L-SEND-10).
    """
    most = room.policy.backlog
    unread = room.policy.max_unread if guarded else None
    if most is None and unread is None:
        return owed, ()
    full = {
        one[0]: seat.agent
        for one in owed
        if (seat := room.seats.get(one[0])) is not None
        if (
            most is not None
            and room.backlog_of(seat) + facts.elsewhere(one[0]) + size > most
        )
        or (unread is not None and len(seat.entries()) >= unread)
    }
    if not full:
        return owed, ()
    agents = tuple(dict.fromkeys(full.values()))
    if to_all or room.policy.backlog_full == "refuse":
        raise OverLimit(
            "inbox_capacity",
            f"the backlog of {', '.join(agents)} is full",
            agents=agents,
            limit=unread if most is None else most,
        )
    return [one for one in owed if one[0] not in full], agents


def check_superseded(
    room: RoomState, draft: Draft, facts: PostFacts, owed: Iterable[Owed], by: Actor
) -> MessagePosted | None:
    """
    The message that a draft replaces, or None.

    Raises:
        NotFound: `supersedes_not_found` for what is no message of the sender here.
        Conflict: `already_superseded`, `current` being what replaced it;
            `supersedes_audience` with the `missing` agents; `supersedes_scheduled`,
            `supersedes_cancelled` (L-SUPER-02, L-SUPER-04).
    """
    replaced = draft.meaning.supersedes
    if not replaced:
        return None
    if facts.unsent == "scheduled":
        raise Conflict(
            "supersedes_scheduled",
            "the message is not delivered yet; change or cancel it instead",
            current=replaced,
        )
    if facts.unsent:
        raise Conflict(
            "supersedes_cancelled",
            "the message was cancelled, and never delivered",
            current=replaced,
        )
    earlier = facts.earlier
    mine = by.conversation or ""
    if earlier is None or (earlier.sender, earlier.author) != (mine, by.agent or by.id):
        raise NotFound(
            "supersedes_not_found",
            f"no message {replaced[:80]!a} of the sender is here to be replaced",
            supersedes=replaced,
        )
    if facts.replaced_by:
        raise Conflict(
            "already_superseded",
            "the message is replaced already; replace what replaced it",
            current=facts.replaced_by,
        )
    reached = {one[0] for one in owed}
    missing = [
        seat.agent
        for conversation, *_ in earlier.owed
        if conversation not in reached
        and (seat := room.seats[conversation]).place == "in"
    ]
    if missing:
        raise Conflict(
            "supersedes_audience",
            f"what it replaces reached {', '.join(missing)} too",
            missing=tuple(dict.fromkeys(missing)),
        )
    return earlier
