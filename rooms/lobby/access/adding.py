"""
Adding: a threaded agent is brought into a room on a person's word.

Two laws. A room never widens whom somebody can use: the host says whether the adder
could give that agent work anyway (`rooms_may`, with `add_agent`; G-ADD-03). And the
word is a person's own: a threaded agent adds in a turn that its person asked for, never
in one that a room message woke (G-ADD-04).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import Address, AddressKind
from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.access.authority import person_behind
from rooms.lobby.access.gate import check, enter
from rooms.lobby.access.inviting import check_host
from rooms.lobby.handles import Conversation, actor_of, agent_meant
from rooms.lobby.posting.drafts import check_draft
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.log import agents, posting
from rooms.log.access import subject_of
from rooms.log.actors import Actor
from rooms.log.agents import ConversationStarted
from rooms.log.directory import AgentEntry
from rooms.log.events import Fact
from rooms.log.posting import Addition, MessagePosted

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["add"]


def add(
    desk: Desk,
    room: str,
    agent: Any,
    *,
    by: Any,
    reason: str,
    request_id: str | None,
    now: datetime | None,
) -> Conversation:
    """As `Room.add`, which documents it."""
    actor = actor_of(by, desk)
    if not values.storable("reason", reason).strip():
        raise InvalidInput(
            "reason", "is empty", allowed="why the agent is added", code="body_empty"
        )
    state = enter(desk, room, actor)
    entry = agent_meant(desk, agent)
    asked = fingerprint(room, entry.agent, reason)
    request = Request.of(actor, "add", request_id, asked)
    with desk.lock:
        repeated = request.answered(desk)
    if repeated:
        return _added(desk, entry, repeated[0])
    check_host(state, actor)
    person, consents = _checked(desk, entry, actor)
    conversation = desk.ids("conversation")
    stream, own = room_stream(room), agent_stream(entry.agent)

    def decide(at: int) -> Decision:
        repeated[:] = request.answered(desk)
        if repeated:
            return Decision()
        state = check(desk, room, actor)
        started = agents.start(
            desk.talks(entry.agent),
            conversation,
            about=subject_of(state, reason) or conversation,
            why="added",
            acts_for=person,
        )
        addition = Addition(
            entry.agent,
            conversation,
            _address(entry, started),
            person,
            reason,
            entry.may.held,
        )
        events = posting.add(state, addition, by=actor, now=at)
        every = (*consents, *passed)
        return Decision(
            {stream: events, own: started}, add=request.keys, consents=every
        )

    passed: Consents = ()
    passed = check_draft(desk, stream, actor, decide, now)
    committed = desk.record(decide, stream, own, by=actor, now=now)
    last = repeated[0] if committed is None else committed.facts[stream][-1]
    return _added(desk, entry, last)


def _checked(desk: Desk, entry: AgentEntry, by: Actor) -> tuple[str, Consents]:
    """
    The person on whose word the agent may be added, and for whom it acts; and what the
    host said.
    """
    person = person_behind(desk, by)
    if person is None and by.wake:
        raise NotAllowed(
            "origin_room_mail",
            "a turn that a room message woke has nobody's word",
            action="add_agent",
        )
    if person is None:
        raise NotAllowed(
            "person_required",
            "only a person's own word brings an agent in; open a turn with word_of",
            action="add_agent",
        )
    if not entry.threaded:
        raise NotAllowed(
            "invite_required",
            f"{entry.agent} decides by itself whether it joins",
            agent=entry.agent,
        )
    consents = desk.may(by, "add_agent", entry.agent)
    if not consents:
        raise NotAllowed(
            "may_not_delegate",
            f"the host does not let this actor give work to {entry.agent}",
            agent=entry.agent,
        )
    return person.id, consents


def _address(entry: AgentEntry, started: list[Any]) -> str:
    [event] = started
    assert isinstance(event, ConversationStarted)  # noqa: S101 - a start records one
    kind = AddressKind.CONVERSATION
    return str(Address(kind, name=entry.agent, label=event.label))


def _added(desk: Desk, entry: AgentEntry, fact: Fact) -> Conversation:
    event = fact.event
    assert isinstance(event, MessagePosted)  # noqa: S101 - an addition posts one
    return Conversation(event.started[0][0], entry.agent, desk)
