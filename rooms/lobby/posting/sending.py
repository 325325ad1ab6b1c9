"""
Sending: a message to an agent, or to all of them, without naming a room.

Two laws. A direct message is a message of a room of two, which the first one makes; one
to everybody is a message of the room of all agents that take part (foundation 28). So
inbox, retry, pace and log are those of every other message. And the room, who is in it
and the message are one commit: a refusal leaves none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen
from attrs import evolve as changed

from rooms import presets, values
from rooms.addressing import Address, AddressKind
from rooms.errors import Conflict, NotAllowed
from rooms.lobby.access.creating import policy_of
from rooms.lobby.answers import Posted
from rooms.lobby.contents.uploading import staged
from rooms.lobby.handles import actor_of
from rooms.lobby.messages import Message, id_meant
from rooms.lobby.posting.commanding import PostCommand
from rooms.lobby.posting.drafts import check_draft
from rooms.lobby.posting.recipients import (
    Recipient,
    labelled,
    recipient_of,
    room_of_key,
)
from rooms.lobby.posting.saying import coming_at, receipt
from rooms.lobby.posting.seating import Seating
from rooms.lobby.posting.uploading import files_given, read_files
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.requests import check_request_id
from rooms.lobby.recording.streams import LOBBY
from rooms.log import folding, posting, snapshots
from rooms.log.access import DIRECT
from rooms.log.actors import Actor
from rooms.log.directory import AgentEntry, RoomListed
from rooms.log.events import RULES_VERSION, Event, Fact
from rooms.log.posting import Draft, Meaning
from rooms.log.rooms import ROOM_ID_PREFIX
from rooms.log.state import RoomState
from rooms.policy import RoomPolicy

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["MadeMeanwhile", "SendCommand", "send", "send_command"]


def send(
    desk: Desk,
    content: str,
    *,
    by: Any,
    to: Any,
    reply_to: str | Message | None,
    request_id: str | None,
    attachments: Mapping[str, Any] | None,
    meaning: Meaning,
    policy: RoomPolicy | str | None,
    deliver_at: datetime | None = None,
    now: datetime | None,
) -> Posted:
    """As `Lobby.send`, which documents it."""
    desk.check_usable()
    actor = actor_of(by, desk)
    text = values.storable("content", content)
    if reply_to is not None:
        reply_to = values.storable("reply_to", id_meant("reply_to", reply_to))
    if request_id is not None:
        check_request_id(request_id)
    draft = Draft(
        text,
        reply_to=reply_to,
        confirm_all_threads=True,
        meaning=meaning,
        comes=coming_at(deliver_at),
    )
    sending = _Sending(
        desk,
        actor,
        recipient_of(desk, to),
        presets.broker() if policy is None else policy_of(policy),
        request_id,
        desk.ids(ROOM_ID_PREFIX.rstrip("_")),
    )
    if attachments is None:
        return _sent(sending, draft, None, now)
    given = files_given(attachments)
    posting.check_file_count(RoomState(policy=sending.policy), None, len(given))
    with (
        read_files(given, sending.policy) as uploads,
        staged(desk, actor, uploads),
    ):
        carrying = changed(draft, files=uploads.files)
        return _sent(sending, carrying, partial(uploads.keep, desk, actor), now)


@frozen
class _Sending:
    """What is the same at every try of one send; `new` is a room's id, if need be."""

    desk: Desk
    actor: Actor
    target: Recipient
    policy: RoomPolicy
    request_id: str | None
    new: str


def _sent(
    sending: _Sending,
    draft: Draft,
    keep: Callable[[], object] | None,
    now: datetime | None,
) -> Posted:
    from rooms.lobby.room import Room  # noqa: PLC0415 - receipts name rooms

    desk, actor = sending.desk, sending.actor
    while True:
        command = _command(sending, draft, keep)
        room = command.room
        try:
            command.consents = check_draft(
                desk, command.stream, actor, command.decide, now
            )
            committed = desk.record(
                command.decide, command.stream, LOBBY, by=actor, now=now
            )
        except MadeMeanwhile:
            continue
        break
    handle = Room(room, desk)
    with desk.lock:
        command.seats = desk.room(room).seats
    return receipt(handle, desk, command, committed)


def _command(
    sending: _Sending, draft: Draft, keep: Callable[[], object] | None
) -> SendCommand:
    """The command of a send, into the room that is there by now, or a new one."""
    desk, actor, target = sending.desk, sending.actor, sending.target
    with desk.lock:
        room = room_of_key(desk, target.key(actor)) or sending.new
    return SendCommand(
        desk,
        room,
        actor,
        (),
        (),
        draft,
        sending.request_id,
        keep,
        target=target,
        policy=sending.policy,
    )


def send_command(desk: Desk, actor: Actor, to: str, draft: Draft) -> PostCommand:
    """
    The command of a send by the preset `broker`, for whoever records more with it.

    Raises:
        InvalidInput: `agent_required` for a person; `bad_address`; `invalid_request`.
        NotFound: `agent_not_found`, `unknown_conversation`.
    """
    target, policy = recipient_of(desk, labelled(desk, to)), presets.broker()
    with desk.lock:
        room = room_of_key(desk, target.key(actor))
    room = room or desk.ids(ROOM_ID_PREFIX.rstrip("_"))
    return _command(_Sending(desk, actor, target, policy, None, room), draft, None)


class MadeMeanwhile(Exception):
    """Somebody else made the room of these first: it is used instead."""


@define(eq=False)
class SendCommand(PostCommand):
    """One message on its way into the room of those whom it concerns."""

    target: Recipient = field(kw_only=True)
    policy: RoomPolicy = field(kw_only=True)

    def decide(self, at: int) -> Decision:
        """What the message comes to, with the room and the seats that it needs."""
        desk, key = self.desk, self.target.key(self.actor)
        found = room_of_key(desk, key)
        if (found or self.room) != self.room:
            raise MadeMeanwhile
        state = desk.room(self.room) if found else RoomState()
        policy = state.policy if found else self.policy
        request = self.request(self.draft, policy)
        if self.repeated:
            self.seats = state.seats
            return Decision()
        self._check_allowed()
        new = Seating(self, state)
        before = [] if found else new.created()
        for entry in self._members():
            before += new.seated(entry)
        to, talks = new.addresses, new.talks
        prepared = _with(state, before, at, self.actor)
        self.started = talks
        draft = changed(self.draft, to=self._addressed(to))
        decision = self.decided(prepared, at, draft, request)
        runs = dict(decision.appends)
        message = {self.stream: [*before, *runs.pop(self.stream)]}
        for agent, run in new.runs.items():
            runs[agent] = [*run, *runs.get(agent, ())]
        if not found:
            listed: list[Event] = [RoomListed(self.room, DIRECT, self.target.room_name)]
            runs[LOBBY] = listed
        guards = () if LOBBY in runs else (LOBBY,)
        add = {**decision.add, **({} if found else {key: ""})}
        return changed(decision, appends={**message, **runs}, guards=guards, add=add)

    def asked(self, draft: Draft) -> list[Any]:
        """What a retry has to ask for again: it names no room."""
        return ["send", draft.text, self.target.asked, draft.reply_to]

    def itself(self, draft: Draft) -> bool:
        """Whether it is a note of a conversation to itself."""
        del draft
        entry, one = self.target.entry, self.target.conversation
        if one is not None:
            return one.id == self.actor.id
        return (
            entry is not None
            and entry.conversation == self.actor.id
            and not entry.threaded
        )

    def _check_allowed(self) -> None:
        """
        Refuses what the directory does not let the sender do.

        Raises:
            NotAllowed: `broadcast_forbidden`, `recipient_forbidden`.
            Conflict: `recipient_disabled`.
        """
        entry, sender = self.target.entry, self.actor.agent
        may = self.desk.agent(sender).may if sender else None
        if entry is None:
            if may is not None and not may.can_broadcast:
                raise NotAllowed(
                    "broadcast_forbidden", f"{sender} may not write to all agents"
                )
            return
        current = self.desk.agent(entry.agent)
        if not current.may.enabled:
            raise Conflict(
                "recipient_disabled",
                f"{entry.agent} takes no part at present",
                agent=entry.agent,
            )
        own = entry.agent == sender
        if may is not None and not own and not may.may_address(entry.agent):
            raise NotAllowed(
                "recipient_forbidden",
                f"{sender} may not write to {entry.agent}",
                agent=entry.agent,
            )

    def _members(self) -> list[AgentEntry]:
        """Who has to have a seat: the two, or all agents that take part."""
        entry = self.target.entry
        if entry is None:
            every = self.desk.directory().agents.values()
            return [one for one in every if one.may.enabled]
        sender = self.desk.agent(self.actor.agent) if self.actor.agent else None
        return [one for one in (sender, entry) if one is not None]

    def _addressed(self, to: Mapping[str, Address]) -> tuple[Address, ...]:
        entry = self.target.entry
        if entry is None:
            return (Address(AddressKind.ALL),)
        address = to.get(entry.agent)
        if address is not None:
            return (address,)
        if self.target.conversation is not None:
            return (self.target.conversation.address,)
        return (Address(AddressKind.AGENT, name=entry.agent),)


def _with(state: RoomState, before: Sequence[Event], at: int, by: Actor) -> RoomState:
    """A room as it will be, with events that nobody has recorded yet."""
    if not before:
        return state
    later = RoomState()
    if state.version:
        later = snapshots.decode(snapshots.encode(state), RoomState) or later
    for event in before:
        version = later.version + 1
        fact = Fact(version, at, by.recorded, RULES_VERSION, event)
        folding.evolve(later, fact)
    return later
