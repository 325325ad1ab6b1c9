"""
A message as a command: what it asks for, and the facts that it is decided on.

Law: it may be decided on cached states: what it reads beside the room's stream can only
be missed there, never be wrong (foundation 13); and what is missed refuses it, which is
final on proven states alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field
from attrs import evolve as changed

from rooms.addressing import AddressKind, Author, name_key
from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.lobby.access.gate import check
from rooms.lobby.access.hives import check_no_hive
from rooms.lobby.contents import capacity
from rooms.lobby.contents.uploading import found
from rooms.lobby.messages import (
    fact_of,
    superseded_by,
    superseding_key,
)
from rooms.lobby.posting.addressed import addresses, conversation_given
from rooms.lobby.posting.backlogs import backlog_elsewhere
from rooms.lobby.posting.routed import learn
from rooms.lobby.posting.starting import Fresh, label_sender, start_seated
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.requests import (
    NO_REQUEST,
    Request,
    fingerprint,
)
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.lobby.schedules.fates import ended
from rooms.log import posting, seats
from rooms.log.actors import Actor
from rooms.log.agents import AgentState
from rooms.log.events import Event, Fact
from rooms.log.expiring import is_gone
from rooms.log.posting import (
    Draft,
    MessagePosted,
    MessageScheduled,
    PostFacts,
)
from rooms.log.records import room_of_record
from rooms.log.state import RoomState, Seat
from rooms.policy import RoomPolicy

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["PostCommand"]

_AGENT, _ALL = AddressKind.AGENT, AddressKind.ALL


@define(eq=False)
class PostCommand:
    """One message on its way into a room."""

    desk: Desk
    room: str
    actor: Actor
    given: Sequence[Any]
    unsaid: Sequence[Any]
    draft: Draft
    request_id: str | None
    keep: Callable[[], object] | None
    stream: str = field(init=False)
    ids: Fresh = field(init=False)
    repeated: Sequence[Fact] = ()
    seats: Mapping[str, Seat] = {}
    consents: Consents = ()
    way: Hashable = None
    started: Mapping[str, AgentState] = {}

    def __attrs_post_init__(self) -> None:
        if self.draft.meaning.notify_when_seen and not self.actor.agent:
            raise InvalidInput(
                "notify_when_seen",
                "is asked for by a person",
                allowed="an agent's conversation, which has an inbox",
                code="receipts_unavailable",
            )
        self.stream = room_stream(self.room)
        self.ids = Fresh(self.desk.ids)

    def decide(self, at: int) -> Decision:
        """What the message comes to; nothing where the same request was accepted."""
        state = check(self.desk, self.room, self.actor)
        draft = self._draft(state.policy)
        request = self.request(draft, state.policy)
        if self.repeated:
            self.seats = state.seats
            return Decision()
        return self.decided(state, at, draft, request)

    def decided(
        self, state: RoomState, at: int, draft: Draft, request: Request
    ) -> Decision:
        """What a message that is new comes to in a room as it stands."""
        self.seats = state.seats
        keys = request.keys
        replaced = draft.meaning.supersedes
        if replaced:
            keys[superseding_key(replaced)] = ""
        passing = state.policy.retention is not None
        if draft.files:
            draft = changed(draft, files=found(self.desk, self.actor, draft.files))
        facts, due = self._facts(state, draft), draft.comes.due
        if due and not draft.comes.schedule:
            posting.check_due(due, at)
        send = posting.accept if due > at else posting.post
        events = send(state, draft, facts, by=self.actor, now=at)
        if self.way is not None:
            learn(
                *(self.desk, self.stream, self.way, draft, facts),
                asked=self.asked_to(draft),
                by=self.actor,
                now=at,
            )
        appends: dict[str, list[Event]] = {self.stream: events}
        said = _said(events)
        if isinstance(said, MessageScheduled) and said.starts:
            check_no_hive(state)  # as when they are started, at its time
        if len(events) > 1 or facts.talks:
            text = said.text
            start_seated(appends, state, events, facts.talks, text)
            label_sender(appends, state, self.actor, facts.talks, text)
        return Decision(
            appends,
            # What the directory lets an agent do is read from it, and may have changed.
            guards=(LOBBY,) if state.policy.membership == "managed" else (),
            add={} if passing else keys,
            passing=keys if passing else {},
            keep=self.keep,
            consents=self.consents,
            # Of all that waits of a sender, or of what all files take together.
            counts=due > at or any(one.fresh for one in draft.files),
        )

    def _draft(self, policy: RoomPolicy) -> Draft:
        """The draft as this room reads it."""
        if policy.bare_word == "agent":
            return self.draft
        home = policy.home_agent
        if home is not None and self.desk.directory().agent(home) is None:
            home = None
        bare_word = policy.bare_word
        return changed(
            self.draft,
            to=addresses(self.given, bare_word, home=home),
            silent=addresses(self.unsaid, bare_word, "silent", home=home),
        )

    def request(self, draft: Draft, policy: RoomPolicy) -> Request:
        """The request; where it was accepted before, that is `repeated` then."""
        if self.request_id is None:
            return NO_REQUEST
        passing = policy.retention is not None
        request = self._request(draft, self.request_id, passing=passing)
        self.repeated = request.answered(self.desk)
        return request

    def asked(self, draft: Draft) -> list[Any]:
        """What a retry has to ask for again."""
        return [self.room, draft.text, self.asked_to(draft), draft.reply_to]

    def asked_to(self, draft: Draft) -> list[str]:
        """
        Whom a retry has to address again, in any order of names.

        A handle stands for its conversation, whatever that is called by now.
        """
        pairs = zip(draft.to, map(conversation_given, self.given), strict=True)
        return sorted({one.id if one and at.label else str(at) for at, one in pairs})

    def itself(self, draft: Draft) -> bool:
        """Whether it is a note of a conversation to itself."""
        if len(draft.to) != 1 or not self.actor.agent:
            return False
        one, [address] = conversation_given(self.given[0]), draft.to
        if one is not None:
            return one.id == self.actor.id
        if address.key != name_key(self.actor.agent):
            return False
        if address.label is not None:
            talks = self.desk.talks(self.actor.agent)
            return talks.labelled(address.label) == self.actor.id
        alone = address.kind is _AGENT
        return alone and not self.desk.agent(self.actor.agent).threaded

    def _request(self, draft: Draft, request_id: str, *, passing: bool) -> Request:
        """The request, with the digest of what it asks for."""
        asked = self.asked(draft)
        if draft.mentions is not None:
            asked.append({"mentions": sorted(draft.mentions)})
        if draft.silent:
            asked.append({"silent": sorted(map(str, draft.silent))})
        if draft.comes.due:
            asked.append({"deliver_at": draft.comes.due})
        meant = draft.meaning.asked(to_itself=self.itself(draft))
        if meant:
            asked.append(meant)
        if draft.files:
            asked.append({"files": [[one.path, one.content] for one in draft.files]})
        digest = fingerprint(*asked)
        return Request.of(self.actor, "post", request_id, digest, passing=passing)

    def _facts(self, state: RoomState, draft: Draft) -> PostFacts:
        directory = self.desk.directory()
        every = directory.agents
        named = [name_key(self.actor.agent)]
        for address in (*draft.to, *draft.silent):
            named.append(address.key)
            if address.kind is _ALL:
                named += [key for key, one in state.members.items() if one.threaded]
        author, gone = self._answered(draft.reply_to, state)
        if author is not None and author.agent is not None:
            named.append(name_key(author.agent))
        if "@" in draft.text or draft.mentions:
            named += [key for key, one in state.members.items() if one.present]
        talks: dict[str, AgentState] = {}
        for key in named:
            entry = every.get(key)
            if entry is not None and entry.threaded:
                talks[entry.agent] = self.desk.talks(entry.agent)
        talks.update(self.started)
        earlier, replaced_by, unsent = self._earlier(draft.meaning.supersedes)
        return PostFacts(
            every,
            talks,
            author,
            gone,
            self.itself(draft),
            earlier,
            replaced_by,
            partial(self.desk.coming.count, self.actor),
            unsent,
            capacity.left(self.desk) if any(one.fresh for one in draft.files) else None,
            partial(backlog_elsewhere, self.desk, self.room),
            self.ids,
        )

    def _earlier(self, message: str) -> tuple[MessagePosted | None, str, str]:
        """
        The message that this one replaces, the id of what did so already, and why it
        is not there yet.
        """
        fact = fact_of(self.desk, self.room, message) if message else None
        event = None if fact is None else fact.event
        if fact is not None and isinstance(event, MessageScheduled):
            if not self._wrote(event):
                return None, "", ""
            over = ended(self.desk, self.room, fact.version)
            return None, "", "scheduled" if over is None else "cancelled"
        if not isinstance(event, MessagePosted):
            return None, "", ""
        if fact is None or is_gone(self.desk.room(self.room), fact.version):
            return None, "", ""
        return event, superseded_by(self.desk, message) or "", ""

    def _wrote(self, event: MessageScheduled) -> bool:
        return event.sender == (self.actor.conversation or "") and event.author == (
            self.actor.agent or self.actor.id
        )

    def _answered(
        self, message: str | None, state: RoomState
    ) -> tuple[Author | None, bool]:
        """Who wrote the message that is answered, and whether that is gone by age."""
        if message is None:
            return None, False
        said, room = fact_of(self.desk, self.room, message), state
        if said is not None and self._unread(state, said):
            return None, False
        elsewhere = said is None and not state.policy.reply_wakes_author
        if elsewhere:
            said, room = self._elsewhere(message)
        if said is None or not isinstance(said.event, MessagePosted):
            return None, False
        gone = is_gone(room, said.version)
        if elsewhere or not said.event.sender:
            return Author(), gone  # whose seat is in another room, if there is one
        return Author(said.event.author, said.event.sender), gone

    def _elsewhere(self, message: str) -> tuple[Fact | None, RoomState]:
        """
        A message of another room that the sender may read, where a reply only relates
        and addresses nobody (L-SEND-26), and that room.
        """
        room = room_of_record(message)
        try:
            state = check(self.desk, room, self.actor)
            if self.actor.agent:
                seats.member_seat(state, self.actor.id)
        except (NotAllowed, NotFound):
            return None, RoomState()
        fact = fact_of(self.desk, room, message)
        return None if fact is None or self._unread(state, fact) else fact, state

    def _unread(self, room: RoomState, fact: Fact) -> bool:
        """Whether a message, unless it is gone, was said before the sender reads."""
        if is_gone(room, fact.version):
            return False
        since = seats.unread_before(room, self.actor.conversation)
        return getattr(fact.event, "seq", 0) <= since > 0


def _said(events: Sequence[Event]) -> MessagePosted | MessageScheduled:
    """The message among the events that it leaves; it is the last."""
    message = events[-1]
    if not isinstance(message, MessagePosted | MessageScheduled):
        raise NotFound("room_not_found", "nothing was posted")
    return message
