"""
The room handle: posting, joining, listening, reading, searching, asking why.

Law: every call here goes the one path of the model, and every refusal comes from the
rules in `rooms.log`; a handle holds no state but its id.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.hearing import Mode
from rooms.lobby.access.adding import add
from rooms.lobby.access.inviting import decline, invite, uninvite
from rooms.lobby.access.managing import change_members, set_members
from rooms.lobby.access.owning import (
    DeletedRoom,
    change_policy,
    delete_room,
    remove,
    set_archived,
    set_paused,
)
from rooms.lobby.access.seating import join, on_seat, subscribe
from rooms.lobby.answers import Message, Page, Posted
from rooms.lobby.files.handle import Files
from rooms.lobby.handles import Agent, Conversation, Person
from rooms.lobby.inbox.acknowledging import acknowledge_in
from rooms.lobby.memory import Memory
from rooms.lobby.messages import id_meant, message_of
from rooms.lobby.posting.erasing import erase
from rooms.lobby.posting.saying import post
from rooms.lobby.posting.uploading import NO_UPLOADS, uploaded
from rooms.lobby.posting.windows import Windows, windows
from rooms.lobby.reading import explain, latest, read, search
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.views.exchanges import exchange
from rooms.lobby.views.participating import PREVIOUS_AFTER, Participants, participants
from rooms.log import seats
from rooms.log.access import room_not_found
from rooms.log.events import Event, Fact
from rooms.log.posting import meaning_of
from rooms.log.rooms import RoomCreated
from rooms.log.state import RoomState, Seat
from rooms.policy import RoomPolicy

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.log.explaining import Explanation

__all__ = ["Room"]

_PAGE = 30


@frozen
class Room:
    """
    A room of a lobby.

    Attributes:
        id: Its id, `room_...`.

    Any call raises `NotFound` with `room_not_found` once the room is deleted, and what
    every call of a `Lobby` may raise. What is done by a claim or a turn that was
    overtaken raises `Conflict` with `stale_runtime` or `stale_wake`.
    """

    id: str
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return self.id

    # -- what it is

    @property
    def name(self) -> str:
        """The name that it was created with."""
        created = self._desk.fact(self._stream, 1)
        event = None if created is None else created.event
        if not isinstance(event, RoomCreated):
            raise room_not_found(self.id)
        return event.name

    @property
    def policy(self) -> RoomPolicy:
        """The options that hold now."""
        with self._desk.lock:
            return self._state().policy

    @property
    def hive(self) -> Agent | None:
        """
        The agent whose hive it is, or None. A host leaves what is done in a hive out of
        the person's chat and of chat channels (G-HIVE-07).
        """
        with self._desk.lock:
            agent = self._state().hive
        return Agent(agent, self._desk) if agent else None

    @property
    def members(self) -> tuple[Agent, ...]:
        """The agents that are members now, in the order of their joining."""
        with self._desk.lock:
            return tuple(Agent(name, self._desk) for name in self._state().roster())

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """The conversations that have a seat now, in the order of their first join."""
        with self._desk.lock:
            seated = [one for one in self._state().seats.values() if one.place == "in"]
        return tuple(
            Conversation(seat.conversation, seat.agent, self._desk) for seat in seated
        )

    @property
    def invited(self) -> tuple[Agent, ...]:
        """The agents that are invited and have not answered, the first one first."""
        desk = self._desk
        with desk.lock:
            keys = list(self._state().invited)
            return tuple(Agent(desk.agent(key).agent, desk) for key in keys)

    @property
    def floor(self) -> Conversation | None:
        """Whose turn it is, where the room is planned and somebody is next."""
        with self._desk.lock:
            state = self._state()
            floor = state.floor
            if floor is None:
                return None
            agent = state.seats[floor.conversation].agent
        return Conversation(floor.conversation, agent, self._desk)

    @property
    def position(self) -> int:
        """The number of the newest message."""
        with self._desk.lock:
            return self._state().seq

    @property
    def files(self) -> Files:
        """Its files, documents and what messages carry."""
        return Files(self.id, self._desk)

    @property
    def memory(self) -> Memory:
        """What its members learned, curated for the next one."""
        return Memory(self.id, self._desk)

    def export_git(self, path: str | os.PathLike[str]) -> str | None:
        """
        Writes the history of its documents as a git repository, one commit a change.

        The repository is bare: `git clone` it for a working copy. The same history
        gives the same commits, so to export again into it adds what is new.

        Args:
            path: A folder that is not there, is empty, or holds an earlier export.

        Returns:
            The id of the newest commit; None where nothing was ever written.

        Raises:
            MissingExtra: `missing_extra` without the package `dulwich`, which
                the extra `git` brings.
            Conflict: `not_empty` for a folder that holds anything else.
            StorageError: `storage_full`, `storage_failed` where it cannot be written.
            InvalidInput: `invalid_request` for what is no path.

        Source: G-DOC-04.
        """
        from rooms.lobby.files.git_export import export_git  # noqa: PLC0415 - an extra

        return export_git(self._desk, self.id, path)

    # -- posting

    def post(
        self,
        content: str,
        *,
        by: Any,
        to: Iterable[Any] = (),
        reply_to: str | Message | None = None,
        request_id: str | None = None,
        confirm_all_threads: bool = False,
        mentions: Sequence[str | Agent] | None = None,
        silent: Iterable[Any] = (),
        attachments: Mapping[str, Any] | None = None,
        kind: str | None = None,
        expects_reply: bool | None = None,
        urgency: str = "normal",
        supersedes: str | Message | None = None,
        correlation: str | None = None,
        fields: Mapping[str, Any] | None = None,
        notify_when_seen: bool = False,
        deliver_at: datetime | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Posts a message; when it returns, the message and all that it owes are stored.

        Args:
            content: What to say, of any characters but lone surrogates.
            by: Who says it: a conversation, a person, a turn, a claim.
            to: Whom it addresses: address strings, Address values, agents,
                conversations. Empty means the room, tagging nobody.
            reply_to: A message that it answers, or its id; it addresses that author.
            request_id: The same request again returns the stored result and wakes
                nobody; another request under it is refused.
            confirm_all_threads: Yes, wake several conversations of one agent.
            mentions: Who is mentioned, by name, instead of whoever the text calls; a
                name that fits nobody here is told as `unresolved`. Empty means nobody.
            silent: Whom it names without calling: addresses, agents, conversations. It
                is a reference that wakes nobody.
            attachments: Files that it carries, by their paths: bytes, a file opened for
                bytes, or an iterable of bytes, which is read as far as it may go; or an
                `Uploaded`, a content that the sender handed in or sent before.
            kind: What it is: `request`, `notice`, `assignment`, `report`, `question`.
            expects_reply: Whether an answer is expected; by itself one is to a
                `request`, an `assignment` and a `question`, but not to a note to
                oneself. It is shown, and never enforced.
            urgency: `quiet` wakes nobody and is told with whatever does; `now` is told
                before what is `normal`.
            supersedes: The sender's own message that it replaces, or its id; it has to
                reach everybody whom that one reached.
            correlation: The sender's own id of what it belongs to.
            fields: What it says as data: `commit`, `commits`, `files`, `evidence`,
                `options`, `recommendation`; 8 KiB of JSON together.
            notify_when_seen: Whether the sender is told when somebody acknowledges it,
                see `Inbox.receipts`; a person cannot be.
            deliver_at: When it is to be delivered, up to 30 days ahead. It is stored
                and whom it is for is settled at once; nobody hears of it before, and
                `lobby.schedules` lists, changes or cancels it. Up to 5 minutes ago is
                at once.
            now: The instant of the post; the lobby's clock unless given.

        Raises:
            NotAllowed: `not_a_member`, `read_only_access`, `draft_refused`;
                `may_not_attach` for a single agent where only threaded ones do;
                `recipient_forbidden`; `agent_disabled`.
            NotFound: `room_not_found`, `unknown_address`, `reply_not_found`,
                `supersedes_not_found`.
            InvalidInput: `body_empty`, `bad_address`, `invalid_request`;
                `receipts_unavailable` for a person that asks to be told;
                `attachment_type` where the policy takes known types alone;
                `deliver_at_out_of_range`, `naive_time`; `supersedes_scheduled` for a
                later one that replaces another.
            OverLimit: `send_rate` with `retry_at`, `message_too_long`,
                `inbox_capacity`, `schedule_capacity`; `too_many` or `too_large` files,
                by the policy's limits; `storage_capacity`.
            Conflict: `recipient_disabled`; `not_room_member`, with all that are not;
                `attachment_upload_required` with the `missing` digests;
                `already_superseded`, `supersedes_audience` with the `missing`;
                `supersedes_scheduled` for what waits itself, `supersedes_cancelled`.
            SelfAddressed: `self_addressed`, with `last_partner`.
            ConfirmAllThreads: `confirm_all_threads`, with a `preview`.
            IdempotencyConflict: `idempotency_conflict`.
            HookFailed: `hook_failed` where a plugin that checks drafts failed.
        """
        meaning = meaning_of(
            kind=kind,
            expects_reply=expects_reply,
            urgency=urgency,
            correlation=correlation,
            supersedes=id_meant("supersedes", supersedes),
            fields=fields,
            notify_when_seen=notify_when_seen,
        )
        with (
            NO_UPLOADS
            if attachments is None
            else uploaded(self._desk, self.id, attachments, by)
        ) as uploads:
            return post(
                self,
                self._desk,
                content,
                by=by,
                to=to,
                reply_to=reply_to,
                request_id=request_id,
                confirm_all_threads=confirm_all_threads,
                mentions=mentions,
                silent=silent,
                uploads=uploads,
                meaning=meaning,
                deliver_at=deliver_at,
                now=now,
            )

    # -- membership

    def join(
        self,
        *,
        by: Any,
        mode: Mode | str | None = None,
        interval: timedelta | None = None,
        tagged_only: bool = False,
        now: datetime | None = None,
    ) -> Room:
        """
        Takes a seat for a conversation; in the room already, it only listens as said.

        Raises:
            InvalidInput: `invalid_request` for a mode that is none, or not for this
                agent; `agent_required` for a person, who takes no seat.
            NotAllowed: `invite_required` for an agent that was removed, and not invited
                since.
        """
        join(
            self._desk,
            self.id,
            by=by,
            mode=mode,
            interval=interval,
            tagged_only=tagged_only,
            now=now,
        )
        return self

    def subscribe(
        self,
        *,
        by: Any,
        mode: Mode | str,
        interval: timedelta = timedelta(minutes=15),
        tagged_only: bool = False,
        now: datetime | None = None,
    ) -> Room:
        """
        Changes how a conversation listens; what it was not told yet is heard again.

        Raises:
            NotAllowed: `not_a_member`.
            InvalidInput: `invalid_request` for a mode that is none, or not for this
                agent, and for an interval outside 1 to 1440 minutes.
        """
        subscribe(
            self._desk,
            self.id,
            by=by,
            mode=mode,
            interval=interval,
            tagged_only=tagged_only,
            now=now,
        )
        return self

    def rest(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Holds everything for a conversation here until it resumes.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(
            lambda seat: seats.rest(seat, resting=True), by=by, now=now
        )

    def resume(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Lets a resting conversation be woken again; what came meanwhile is one wake.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(
            lambda seat: seats.rest(seat, resting=False), by=by, now=now
        )

    def leave(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Gives a conversation's seat up, by its own choice; what it was owed ends.

        An address to it starts a successor, for a threaded agent (G-FOLLOW-04).

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(seats.leave, by=by, now=now)

    def remove(self, agent: Any, *, by: Any, now: datetime | None = None) -> Room:
        """
        Takes an agent out of the room, with all its conversations; what they were owed
        ends. It joins again only when it is invited. Who is no member is left alone.

        Args:
            agent: Whom: an agent, its id, or its address.
            by: The room's owner, or whom `rooms_may` lets `remove_agent`.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
            InvalidInput: `agent_required` for a person; `bad_address`.
            NotFound: `agent_not_found`.
        """
        remove(self._desk, self.id, agent, by=by, now=now)
        return self

    def change_members(
        self,
        *,
        add: Iterable[Any] = (),
        remove: Iterable[Any] = (),
        by: Any,
        now: datetime | None = None,
    ) -> Room:
        """
        Lets agents in and takes others out, where a lead says who is in the room; those
        that are not named stay. Who is in already, or out, is left as it is.

        A single agent has its seat at once; a threaded one's conversations `join`. Who
        is taken out loses what it was owed here, and coming back brings none of it.

        Args:
            add, remove: Agents, their ids or addresses; not both empty, none in both.
            by: An agent that may `manage_rooms`, the room's owner, or whom the host's
                `rooms_may` lets `manage_members`.

        Raises:
            NotAllowed: `room_management_forbidden`.
            NotFound: `agent_not_found`; then nobody is let in or taken out.
            OverLimit: `member_limit`.
            InvalidInput: `invalid_request`, `agent_required`, `bad_address`.

        Source: L-ROOM-06, L-ROOM-07, L-ROOM-09.
        """
        change_members(self._desk, self.id, add=add, remove=remove, by=by, now=now)
        return self

    def set_members(
        self, members: Iterable[Any], *, by: Any, now: datetime | None = None
    ) -> Room:
        """
        Lets exactly these agents be in the room, none for an empty list; as
        `change_members`, all of it or nothing.

        Raises:
            Refused: What `change_members` raises.

        Source: L-ROOM-05.
        """
        set_members(self._desk, self.id, members, by=by, now=now)
        return self

    def invite(
        self, agent: Any, *, by: Any, reason: str = "", now: datetime | None = None
    ) -> Room:
        """
        Lets an agent join; it decides by itself, with `join` or `decline`.

        A member, or who is invited already, is left as it is. Into an open room an
        invitation is a notice alone. Until it joins, nothing is read by it.

        Args:
            agent: Whom: an agent, its id, its address, or a conversation of it; never a
                person.
            by: A member's conversation, or a person where people post.
            reason: What for; the agent reads it.

        Raises:
            InvalidInput: `agent_required` for a person; `bad_address`.
            NotFound: `agent_not_found`.
            NotAllowed: `not_a_member`, `read_only_access`.

        Source: G-INVITE-01 to G-INVITE-03, G-INVITE-07.
        """
        invite(self._desk, self.id, agent, by=by, reason=reason, now=now)
        return self

    def add(
        self,
        agent: Any,
        *,
        by: Any,
        reason: str,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Conversation:
        """
        Brings a threaded agent in: a member at once, in a fresh conversation that is
        told why, and acts for the person on whose word it was added.

        Args:
            agent: Whom: an agent, its id, or its address.
            by: A person where people post; a single agent's conversation, on its
                owner's permissions; a threaded one's turn with `word_of`.
            reason: Why; it is the message that starts the conversation.
            request_id: The same request again returns the same conversation.

        Raises:
            NotAllowed: `may_not_delegate` unless the host's `rooms_may` lets the actor
                `add_agent`; `person_required`, `origin_room_mail`, `invite_required`;
                `not_a_member`, `read_only_access`, `draft_refused`.
            InvalidInput: `body_empty`; `agent_required` for a person; `bad_address`.
            NotFound: `agent_not_found`.
            OverLimit: `send_rate` with `retry_at`, `message_too_long`.
            IdempotencyConflict: `idempotency_conflict`.

        Source: G-ADD-01 to G-ADD-07.
        """
        return add(
            self._desk,
            self.id,
            agent,
            by=by,
            reason=reason,
            request_id=request_id,
            now=now,
        )

    def uninvite(self, agent: Any, *, by: Any, now: datetime | None = None) -> Room:
        """
        Takes an invitation back that was not answered yet.

        Raises:
            InvalidInput: `agent_required` for a person; `bad_address`.
            NotFound: `unknown_invitation`; `agent_not_found`.
            NotAllowed: `not_a_member`, `read_only_access`.
        """
        uninvite(self._desk, self.id, agent, by=by, now=now)
        return self

    def decline(self, *, by: Any, now: datetime | None = None) -> None:
        """
        Answers an invitation with no; the agent may be invited again.

        Raises:
            NotFound: `unknown_invitation` where an open room did not invite it;
                `room_not_found` where an invite-only one did not.
        """
        decline(self._desk, self.id, by=by, now=now)

    def pause(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Holds every wake in the room until it goes on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        set_paused(self._desk, self.id, paused=True, by=by, now=now)
        return self

    def unpause(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Lets the room's wakes go on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        set_paused(self._desk, self.id, paused=False, by=by, now=now)
        return self

    def change_policy(
        self, policy: Any, *, by: Any, now: datetime | None = None
    ) -> Room:
        """
        Sets other options, from here on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        change_policy(self._desk, self.id, policy, by=by, now=now)
        return self

    def archive(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Closes the room to everything new: nobody posts, joins or is let in, and it is
        in no list. It can be read, what was accepted is still told, and its name is
        kept.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.

        Source: L-ROOM-15.
        """
        set_archived(self._desk, self.id, archived=True, by=by, now=now)
        return self

    def restore(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Opens an archived room again, without members; what they did not take by then
        ends.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.

        Source: L-ROOM-17.
        """
        set_archived(self._desk, self.id, archived=False, by=by, now=now)
        return self

    @property
    def archived(self) -> bool:
        """Whether it is archived."""
        with self._desk.lock:
            return self._state().archived

    def delete(self, *, by: Any, now: datetime | None = None) -> DeletedRoom:
        """
        Ends the room: its log goes, its name is free, and nobody reads it again.

        Args:
            by: The owner; an agent that may `manage_rooms`, where the policy says
                `lead_may_delete`; or whom `rooms_may` lets.

        Raises:
            NotAllowed: `not_owner` for anybody else.
        """
        return delete_room(self._desk, self.id, by=by, now=now)

    def erase(
        self, message: str | Message, *, by: Any, now: datetime | None = None
    ) -> Room:
        """
        Takes the words of a message away, and the files that it carries: for ever, and
        from all of the storage. Its number and what it did stay; nobody is woken for it
        any more. An erased message again is no fault.

        Args:
            message: The message, or its id.
            by: The room's owner, or whom `rooms_may` lets `erase_message`.

        Raises:
            NotFound: `unknown_message`.
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        erase(self._desk, self.id, message, by=by, now=now)
        return self

    # -- reading

    def read(
        self,
        *,
        by: Any,
        after: int = 0,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        A page of the transcript; for a conversation it settles what is on it.

        Args:
            by: A member's conversation, or a person.
            after: The number behind which the page begins; the caller owns its place.
            limit: At most so many messages, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return read(self._desk, self.id, by=by, after=after, limit=limit, now=now)

    def latest(
        self,
        *,
        by: Any,
        before: int | None = None,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        The newest page of the transcript, oldest message first, or the page before a
        number; for a conversation it settles what is on it.

        Args:
            by: A member's conversation, or a person.
            before: The `previous_cursor` of a page, for the one before it.
            limit: At most so many messages, up to 1,000.

        What is new afterwards comes with `read(after=page.position)`.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-VIEW-08.
        """
        return latest(self._desk, self.id, by=by, before=before, limit=limit, now=now)

    def exchange(
        self,
        of: Conversation | Person,
        *,
        by: Any,
        after: int | None = None,
        before: int | None = None,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        What one conversation or person said here, what addressed it, and the replies
        that it got: the newest page, oldest message first. It settles nothing.

        Args:
            of: Whose exchange.
            by: A member's conversation, or a person.
            after: Only messages behind this number, from there on.
            before: The `previous_cursor` of a page, for the one before it.
            limit: At most so many messages, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.

        Guarantees: the cost is that of the page, whatever the history.

        Source: G-VIEW-06.
        """
        return exchange(
            self._desk,
            self.id,
            of=of,
            by=by,
            after=after,
            before=before,
            limit=limit,
            now=now,
        )

    def participants(
        self,
        *,
        by: Any,
        previous_after: timedelta = PREVIOUS_AFTER,
        now: datetime | None = None,
    ) -> Participants:
        """
        Who is here: agents with their seats, when each was last active and whether it
        owes a reply, the persons behind them, and whoever was not active for long.

        Args:
            by: A member's conversation, or a person.
            previous_after: Who was not active for so long is told as previous.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-VIEW-05, G-VIEW-07, G-VIEW-10, G-IDLE-02.
        """
        return participants(
            self._desk, self.id, by=by, previous_after=previous_after, now=now
        )

    def windows(
        self,
        *,
        by: Any,
        of: Conversation | None = None,
        now: datetime | None = None,
    ) -> Windows:
        """
        How many messages a conversation may still post here, how many may still wake
        it, and when the next place frees.

        Args:
            by: A member's conversation, or a person, who names another.
            of: Whose windows; those of `by` unless given.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-RATE-01, G-RATE-03.
        """
        return windows(self._desk, self.id, by=by, of=of, now=now)

    def search(self, query: str, *, by: Any, limit: int = 20) -> tuple[Message, ...]:
        """
        Messages that hold every word of a query, the newest first; any text is a query.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return search(self._desk, self.id, query, by=by, limit=limit)

    def acknowledge(
        self, *messages: str | Message, by: Any, now: datetime | None = None
    ) -> Room:
        """
        Says by name what a conversation has seen here; as `Inbox.acknowledge`, which
        does so over all its rooms. Where the policy settles on `ack` nothing else does.

        Raises:
            NotFound: `unknown_message` for one that is not here.
            NotAllowed: `not_a_member`; `receipt_forbidden`.
            Conflict: `not_yet_delivered`.
            InvalidInput: `agent_required` for a person; `invalid_request` for none, or
                more than a hundred.
        """
        acknowledge_in(self._desk, self.id, messages, by=by, now=now)
        return self

    def explain(self, message: str | Message, *, by: Any = None) -> Explanation:
        """
        Why each seat was woken for a message, or was not, and what became of it.

        Args:
            message: The message, or its id.
            by: Who asks, who has to be allowed to read here; None for the host itself.

        Raises:
            NotFound: `unknown_message`.
            NotAllowed: `not_a_member`.
        """
        return explain(self._desk, self.id, message, by=by)

    # -- within the lobby

    @property
    def desk(self) -> Desk:
        """
        What it works with.

        :meta private:
        """
        return self._desk

    def message(self, fact: Fact) -> Message:
        """
        A recorded message as a value.

        :meta private:
        """
        return message_of(self._desk, self.id, fact)

    def _state(self) -> RoomState:
        return self._desk.room(self.id)

    @property
    def _stream(self) -> str:
        return room_stream(self.id)

    def handle(self, conversation: str, agent: str) -> Conversation:
        """
        The handle of a conversation of an agent.

        :meta private:
        """
        return Conversation(conversation, agent, self._desk)

    def _on_seat(
        self,
        decide_seat: Callable[[Seat], list[Event]],
        *,
        by: Any,
        now: datetime | None,
    ) -> Room:
        on_seat(self._desk, self.id, decide_seat, by=by, now=now)
        return self
