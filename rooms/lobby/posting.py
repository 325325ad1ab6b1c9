"""
Posting, as the shell does it: gather the facts, decide, record, and write the receipt.

Law: what may be said, to whom it is, and what becomes of it is decided by
`rooms.log.posting` alone; the receipt is read from what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from rooms import values
from rooms.addressing import Address, AddressKind, Author, parse_address
from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.lobby.answers import Posted
from rooms.lobby.commits import Decision
from rooms.lobby.fence import fenced
from rooms.lobby.gate import check, enter
from rooms.lobby.handles import Agent, Conversation, Person, actor_of
from rooms.lobby.messages import fact_of
from rooms.lobby.requests import NO_REQUEST, Request, fingerprint
from rooms.lobby.streams import agent_stream, room_stream
from rooms.log import agents, posting, seats
from rooms.log.access import subject_of
from rooms.log.actors import Actor
from rooms.log.agents import AgentState
from rooms.log.events import Event, Fact
from rooms.log.posting import Draft, MessagePosted, PostFacts
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Poster"]


class _Fresh:
    """Ids for conversations to be started: made when needed, the same at each try."""

    def __init__(self, ids: Callable[[str], str]) -> None:
        self._ids = ids
        self._made: list[str] = []

    def __iter__(self) -> Iterator[str]:
        place = 0
        while True:
            if place == len(self._made):
                self._made.append(self._ids("conversation"))
            yield self._made[place]
            place += 1


class Poster:
    """Posts into one room."""

    def __init__(self, room: Room, desk: Desk) -> None:
        self.room = room
        self.desk = desk
        self.stream = room_stream(room.id)

    def state(self) -> RoomState:
        """The room's state, current."""
        return self.desk.room(self.room.id)

    def post(
        self,
        content: str,
        *,
        by: Any,
        to: Iterable[Any],
        reply_to: str | None,
        request_id: str | None,
        confirm_all_threads: bool,
        now: datetime | None,
    ) -> Posted:
        """As `Room.post`, which documents it."""
        desk = self.desk
        desk.check_usable()
        actor = actor_of(by, desk)
        text = values.storable("content", content)
        if reply_to is not None:
            values.storable("reply_to", reply_to)
        values.flag("confirm_all_threads", confirm_all_threads)
        ids = _Fresh(desk.ids)
        given = _given(to)
        if actor.kind == "person":
            enter(desk, self.room.id, actor)
        with desk.lock:
            state = check(desk, self.room.id, actor)
            bare_word = state.policy.bare_word
            addresses = tuple(
                _address(place, one, bare_word) for place, one in enumerate(given)
            )
            draft = Draft(text, addresses, reply_to, confirm_all_threads)
            request = self._request(draft, given, actor, request_id)
            involved = [self.stream, *self._agent_streams(draft, actor)]
        repeated: list[Fact] = []

        def decide(at: int) -> Decision:
            nonlocal state
            state = check(desk, self.room.id, actor)
            repeated[:] = request.answered(desk)
            if repeated:
                return Decision()
            return self._decide_post(draft, actor, ids, request, at)

        if desk.hears("rooms_check_draft"):
            self._check_draft(fenced(desk, actor, decide), now)
        committed = desk.record(decide, *involved, by=actor, now=now)
        if committed is None:
            return Posted(self.room, repeated[0], state.seats, duplicate=True)
        return Posted(self.room, committed.facts[self.stream][-1], state.seats)

    def _request(
        self, draft: Draft, given: Sequence[Any], actor: Actor, request_id: str | None
    ) -> Request:
        """
        The request, with the digest of what it asks for in any order of names.

        A handle stands for its conversation, whatever that is called by now.
        """
        if request_id is None:
            return NO_REQUEST
        pairs = zip(draft.to, map(_conversation, given), strict=True)
        to = sorted({one.id if one and at.label else str(at) for at, one in pairs})
        asked = fingerprint(self.room.id, draft.text, to, draft.reply_to)
        return Request.of(actor, "post", request_id, asked)

    def _decide_post(
        self,
        draft: Draft,
        actor: Actor,
        ids: Iterable[str],
        request: Request,
        at: int,
    ) -> Decision:
        desk, state = self.desk, self.state()
        facts = self._post_facts(state, draft, actor, ids)
        events = posting.post(state, draft, facts, by=actor, now=at)
        message = events[-1]
        if not isinstance(message, MessagePosted):  # post puts it last
            raise NotFound("room_not_found", "nothing was posted")
        appends: dict[str, list[Event]] = {self.stream: events}
        for name, started in self._started(message, events, facts.talks).items():
            appends.setdefault(agent_stream(name), []).extend(started)
        threaded = actor.agent in facts.talks and desk.agent(actor.agent).threaded
        if threaded and subject_of(state, message.text):
            labelled = agents.label_from_post(
                facts.talks[actor.agent], actor.id, message.text
            )
            appends.setdefault(agent_stream(actor.agent), []).extend(labelled)
        return Decision(appends, add=request.keys)

    def _started(
        self,
        message: MessagePosted,
        events: Sequence[Event],
        talks: Any,
    ) -> dict[str, list[Event]]:
        """The conversations that a message started, in their agents' streams."""
        started: dict[str, list[Event]] = {}
        for event in events:
            if isinstance(event, seats.SeatJoined):
                state = talks.get(event.agent) or AgentState()
                run = started.setdefault(event.agent, [])
                run += agents.start(
                    _with(state, run),
                    event.conversation,
                    about=subject_of(self.state(), message.text) or event.conversation,
                    why="addressed",
                )
        return started

    def _post_facts(
        self, state: RoomState, draft: Draft, actor: Actor, ids: Iterable[str]
    ) -> PostFacts:
        desk = self.desk
        directory = desk.directory()
        named = {actor.agent}
        for address in draft.to:
            if address.name is not None:
                named.add(address.name)
            elif address.kind is AddressKind.ALL:
                named.update(
                    one.agent for one in state.members.values() if one.threaded
                )
        author = None if draft.reply_to is None else self._author(draft.reply_to)
        if author is not None and author.agent is not None:
            named.add(author.agent)
        called = "@" in draft.text
        named.update(state.roster() if called else ())
        talks = {
            entry.agent: desk.talks(entry.agent)
            for name in sorted(named)
            if name and (entry := directory.agent(name)) is not None and entry.threaded
        }
        return PostFacts(directory.agents, talks, author, ids)

    def _agent_streams(self, draft: Draft, actor: Actor) -> list[str]:
        """The streams of agents that a post may append to."""
        directory = self.desk.directory()
        names = [actor.agent, *(one.name for one in draft.to if one.name)]
        entries = [directory.agent(name) for name in names if name]
        threaded = {one.agent for one in entries if one is not None and one.threaded}
        return [agent_stream(agent) for agent in sorted(threaded)]

    def _author(self, message: str) -> Author | None:
        posted = fact_of(self.desk, self.room.id, message)
        if posted is None or not isinstance(posted.event, MessagePosted):
            return None
        if not posted.event.sender:
            return Author()
        return Author(posted.event.author, posted.event.sender)

    def _check_draft(self, decide: Any, now: datetime | None) -> None:
        """Asks the plugins about the message as it would be recorded."""
        desk = self.desk
        with desk.lock:
            at = max(desk.time(now), desk.streams.current(self.stream).at)
            decision = decide(at)
        events = decision.appends.get(self.stream)
        if not events or desk.plugins is None:
            return
        verdict = desk.plugins.decide("rooms_check_draft", draft=events[-1])
        if verdict.allowed is False:
            reasons = [str(one.value) for one in verdict.answers]
            raise NotAllowed(
                "draft_refused",
                f"a plugin refused the message: {reasons[0]}",
                reasons=reasons,
                plugins=[one.plugin for one in verdict.answers],
            )


def _given(to: Any) -> tuple[Any, ...]:
    if isinstance(to, str | bytes | set | frozenset) or not isinstance(to, Iterable):
        raise InvalidInput(
            "to", f"is of type {type(to).__name__}", allowed="a sequence of addresses"
        )
    return tuple(to)


def _conversation(given: Any) -> Conversation | None:
    """The conversation that is meant, where a handle, a claim or a turn says so."""
    one = getattr(given, "conversation", given)
    return one if isinstance(one, Conversation) else None


def _address(place: int, given: Any, bare_word: Literal["agent", "person"]) -> Address:
    if isinstance(given, Address):
        return given
    if isinstance(given, Agent):
        return Address(AddressKind.AGENT, name=given.id)
    conversation = _conversation(given)
    if conversation is not None:
        return conversation.address
    if isinstance(given, Person):
        return Address(AddressKind.PERSON, name=given.name)
    try:
        return parse_address(given, bare_word=bare_word)
    except InvalidInput as error:
        raise InvalidInput(
            f"to[{place}]",
            error.details["problem"],
            allowed=error.details["allowed"],
            code=error.code,
        ) from None


def _with(state: AgentState, started: Sequence[Event]) -> AgentState:
    """The labels of a state and of what the same commit starts beside it."""
    if not started:
        return state
    joined = AgentState(labels=dict(state.labels))
    for event in started:
        if isinstance(event, agents.ConversationStarted):
            joined.labels[event.label] = event.conversation
    return joined
