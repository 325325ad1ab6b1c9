"""
The lobby: one namespace of agents, persons and rooms over one storage.

Three laws. The library opens no socket, starts no thread, sleeps never and calls no
model: a host drives it. One storage is one lobby, in any threads and several processes,
with one handle a process (foundation 17). And what a call acknowledges is stored.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

from rooms.errors import InvalidInput
from rooms.lobby.access.auditing import AuditPage, audit
from rooms.lobby.access.creating import create_room
from rooms.lobby.access.finding import find_room
from rooms.lobby.access.identities import add_agent, note_person
from rooms.lobby.access.inviting import invitations
from rooms.lobby.access.recovering import recover
from rooms.lobby.access.resting import Rested, rest, resume
from rooms.lobby.answers import Invitation, Posted, Report, Wake
from rooms.lobby.contents import Contents
from rooms.lobby.desk import Desk
from rooms.lobby.handles import (
    Agent,
    Claim,
    Conversation,
    Person,
    find_conversation,
)
from rooms.lobby.inbox import Inbox, InboxPage
from rooms.lobby.inbox.asking import PAGE_BYTES, Asked, Wanted
from rooms.lobby.inbox.handle import inbox_of
from rooms.lobby.inbox.pages import history_of_all
from rooms.lobby.keeping.sweeping import Swept, sweep
from rooms.lobby.messages import Message, id_meant
from rooms.lobby.posting.sending import send
from rooms.lobby.pushing.confirming import confirm
from rooms.lobby.pushing.values import Push, ReceiptPush
from rooms.lobby.recording.batching import batch
from rooms.lobby.room import Room
from rooms.lobby.schedules.handle import Schedules, schedules
from rooms.lobby.team.entrance import member_of, recover_teams, teams_of
from rooms.lobby.team.member import Member
from rooms.lobby.team.person import Teams
from rooms.lobby.team.using import report_usage
from rooms.lobby.transfer.opening import imported, opened
from rooms.lobby.transfer.proving import verify_storage
from rooms.lobby.views.agents import ListedAgent, list_agents
from rooms.lobby.views.figures import Figures, figures
from rooms.lobby.views.listing import ListedRoom, RoomList, list_hives, list_rooms
from rooms.lobby.waking.carrying import deliver
from rooms.lobby.waking.holding import HOLD, give_back_wake
from rooms.lobby.waking.idling import DROP_AFTER
from rooms.lobby.waking.restarting import (
    PlannedRestart,
    announce_restart,
    call_off_restart,
    planned_restart,
)
from rooms.lobby.waking.taking import take
from rooms.lobby.waking.turns import Turn
from rooms.lobby.working.statuses import set_owner_requests, set_status
from rooms.log.access import HIVE
from rooms.log.posting import meaning_of
from rooms.log.verification import Verification
from rooms.policy import RoomPolicy
from rooms.storage import Storage
from rooms.team import Catalogue
from rooms.values import moment

__all__ = ["Lobby"]


def _now() -> datetime:
    return datetime.now(UTC)


def _id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(8)}"


def _salt() -> bytes:
    return secrets.token_bytes(16)


class Lobby:
    """
    Opens a storage as a lobby.

    Args:
        storage: Where it is kept; the lobby closes it.
        clock: What tells the time where a call is given none: an aware datetime.
        ids: What makes an id from a prefix; unique in the lobby.
        salt: What makes the 16 bytes that a body's digest is salted with.
        hives: Whether an agent has a hive for whom nobody switched it (G-HIVE-02).
        max_agents: How many agents it holds at most; None sets no end.
        max_rooms: How many rooms it holds at most, those of direct messages and hives
            aside; None sets no end.
        max_file_bytes: How many bytes the files of all messages have at most, equal
            contents counted once; None sets no end.
        disk_reserve: How many bytes of the storage's disk new files leave free; None
            for none.
        default_access: What a room is whose creator says nothing, `open` or
            `invite_only` (G-ACCESS-02).

    With the same commands, times, ids and salts the log is the same, byte for byte.

    Any call may raise `InvalidInput` that names the argument which is wrong, such as
    `naive_time` for a `now` without a time zone, and `StorageError`: `closed` after
    `close` and after a fork, `storage_busy`, `storage_full`, `storage_failed`,
    `corrupt_log`. Whatever raises has recorded nothing. A call that changes something
    may also raise `NotAllowed` with `unsupported_event`, where a later version wrote
    what this one may not ignore.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], datetime] = _now,
        ids: Callable[[str], str] = _id,
        salt: Callable[[], bytes] = _salt,
        hives: bool = False,
        default_access: str = "open",
        max_agents: int | None = None,
        max_rooms: int | None = None,
        max_file_bytes: int | None = None,
        disk_reserve: int | None = None,
    ) -> None:
        given: Any = storage
        if not callable(getattr(given, "streams", None)):
            raise InvalidInput(
                "storage",
                f"is of type {type(given).__name__}",
                allowed="a Storage; Lobby.open(...) takes a path or a URL",
            )
        self._desk = Desk(
            storage,
            clock=clock,
            ids=ids,
            salt=salt,
            hives=hives,
            default_access=default_access,
            max_agents=max_agents,
            max_rooms=max_rooms,
            max_file_bytes=max_file_bytes,
            disk_reserve=disk_reserve,
        )

    @classmethod
    def open(
        cls,
        where: str | os.PathLike[str],
        *,
        plugins: str | None = None,
        allow: Iterable[str] | None = None,
        **options: Any,
    ) -> Lobby:
        """
        Opens a lobby by its path or storage URL; a file that is not there is made.

        Args:
            where: A path, `sqlite:///team.db?durability=full`, `memory:`, or a URL
                whose scheme a plugin brings.
            plugins: `entrypoints` loads what installed packages announce; None nothing.
            allow: The names of the plugins that may be loaded, and have to be there.
            options: `clock`, `ids`, `salt`, `hives`, `default_access`, `max_agents`,
                `max_rooms`, `max_file_bytes` and `disk_reserve`, as for `Lobby`.

        Raises:
            UnsupportedSchema: `unsupported_schema` for a file that is no lobby of ours;
                it is not touched.
            StorageError: `storage_failed` where the file cannot be opened.
            InvalidInput: `invalid_request` for an unknown scheme, option or plugin.
        """
        storage, loaded = opened(where, plugins, allow)
        lobby = cls(storage, **options)
        lobby._desk.plugins = loaded
        return lobby

    @classmethod
    def import_from(
        cls, lines: Iterable[str], where: str | os.PathLike[str], **options: Any
    ) -> Lobby:
        """
        Opens a new lobby with the log that `export` wrote; all of it or nothing.

        Args:
            lines: The lines in their order, for example an open file.
            where: As for `open`: a storage that holds nothing yet.
            options: `clock`, `ids`, `salt` and `hives`, as for `Lobby`.

        Raises:
            InvalidInput: `invalid_json` or `too_large`, with the number of the `line`.
            CorruptLog: `corrupt_log`, with the `line`, for what was changed or cut.
            UnsupportedSchema: `unsupported_schema` for what is no export.
            Conflict: `not_empty`.
        """
        return cls(imported(lines, where), **options)

    @classmethod
    def in_memory(cls, **options: Any) -> Lobby:
        """A lobby that lasts as long as this handle."""
        from rooms.storage.memory import MemoryStorage  # noqa: PLC0415

        return cls(MemoryStorage(), **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """
        Keeps snapshots of what grew, and lets the storage go; twice is no fault.

        Receipts, wakes and messages stay readable.
        """
        desk = self._desk
        if not desk.usable:  # after a fork it is the parent's to close
            return
        with desk.lock:
            desk.closed = True
            try:
                desk.commits.save_snapshots(every=1)
            finally:
                desk.storage.close()

    def register(self, plugin: Any, name: str | None = None) -> str:
        """
        Adds a plugin, whose hooks are called from now on; returns its name.

        Raises:
            InvalidInput: `unknown_hook` for a hook that does not exist, with the one
                that was likely meant; `invalid_request` for any other mistake in it.
        """
        from rooms.hooks import Plugins  # noqa: PLC0415 - loads pluggy

        if self._desk.plugins is None:
            self._desk.plugins = Plugins()
        return self._desk.plugins.register(plugin, name)

    # -- who is here

    def add_agent(
        self,
        name: str,
        *,
        threaded: bool = False,
        owner: str | Person | None = None,
        role: str | None = None,
        work_description: str | None = None,
        machine: str | None = None,
        can_broadcast: bool | None = None,
        manage_rooms: bool | None = None,
        allowed_recipients: Iterable[str | Agent] | None = None,
        now: datetime | None = None,
    ) -> Agent:
        """
        Adds an agent; one that is there with equal facts is left as it is.

        Args:
            name: Its id: letters, digits, `_`, `.`, `-`, unique without case.
            threaded: Whether it has many conversations; the bare name then starts one.
            owner: The person behind it.
            role, work_description, machine: What it is said to be, as `Agent.change`
                has them.
            can_broadcast, manage_rooms, allowed_recipients: What it may do, likewise.

        Raises:
            OverLimit: `agent_capacity`.
            InvalidInput: `invalid_request` for a name that is none, `reserved_identity`
                for one that means something in addresses.
            Conflict: `agent_exists` where it is there with other facts.
        """
        facts: dict[str, Any] = {
            "role": role,
            "work_description": work_description,
            "machine": machine,
            "can_broadcast": can_broadcast,
            "manage_rooms": manage_rooms,
        }
        if allowed_recipients is not None:
            facts["allowed_recipients"] = allowed_recipients
        add_agent(
            self._desk, name, threaded=threaded, owner=owner, facts=facts, now=now
        )
        return self.agent(name)

    def agent(self, name: str) -> Agent:
        """
        An agent, by its name in any case.

        Raises:
            NotFound: `agent_not_found`.
        """
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            return Agent(desk.agent(name).agent, desk)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents, in the order of their adding."""
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            known = list(desk.directory().agents.values())
        return tuple(Agent(one.agent, desk) for one in known)

    def list_agents(
        self, *, by: Any, waiting: bool = False, now: datetime | None = None
    ) -> tuple[ListedAgent, ...]:
        """
        The agents that take part, as any of them may find the others, in the order of
        their adding. The host has `lobby.agents`, disabled ones too, and all of each.

        Args:
            by: Who looks: a person, or a conversation, turn or claim.
            waiting: Only those of which something waits on the owner, the longest
                first.

        Raises:
            NotAllowed: `agent_disabled`.

        Source: L-DISC-01 to L-DISC-05, L-VIEW-02.
        """
        return list_agents(self._desk, by=by, waiting=waiting, now=now)

    def set_status(self, text: str, *, by: Any, now: datetime | None = None) -> None:
        """
        Keeps one line for an agent's peers, such as what it has queued; nobody is told
        that it changed. It stays until it is set anew, or the runtime is retired.

        Args:
            text: One line of at most 300 characters, trimmed; "" for none.
            by: Whose line: a conversation, turn or claim.

        Raises:
            InvalidInput: `invalid_request` for no line, `agent_required` for a person.
            Conflict: `stale_runtime`, `stale_wake`.
            NotAllowed: `agent_disabled`.

        Source: L-ACT-12.
        """
        set_status(self._desk, text, by=by, now=now)

    def set_owner_requests(
        self, count: int, text: str = "", *, by: Any, now: datetime | None = None
    ) -> None:
        """
        Says how many things wait on an agent's owner, and which. It stays until it is
        set anew, or the runtime is retired; the same again keeps since when it waits.

        Args:
            count: How many, up to 20; 0 for nothing any more, whatever the text.
            text: Which, in one line of at most 300 characters, trimmed.
            by: Whose requests: a conversation, turn or claim.

        Raises:
            InvalidInput: `invalid_request`, naming what is wrong; `agent_required` for
                a person.
            Conflict: `stale_runtime`, `stale_wake`.
            NotAllowed: `agent_disabled`.

        Source: L-ACT-10, L-ACT-11.
        """
        set_owner_requests(self._desk, count, text, by=by, now=now)

    def person(self, name: str, *, now: datetime | None = None) -> Person:
        """
        A person, noted at the first time that it is named.

        Raises:
            InvalidInput: `invalid_request` for what is no name, or another spelling of
                one that is known.
        """
        note_person(self._desk, name, now=now)
        return Person(name, self._desk)

    def conversation(
        self,
        agent: str | Agent,
        *,
        thread: str | None = None,
        label: str | None = None,
        acts_for: str | Person | None = None,
        now: datetime | None = None,
    ) -> Conversation:
        """
        A conversation of an agent: its only one, or the one of a thread or label.

        A thread that is known finds its conversation, and a label alone the one that
        has it or ever had it; anything else starts one, with a suffix where the label
        is taken.

        Args:
            agent: Whose conversation.
            thread: The host's name for the thread that carries it.
            label: Two to five words for what it works on.
            acts_for: The person for whom a threaded agent's new conversation acts, who
                watches the rooms in which it has a seat; a single agent's acts for its
                owner.

        Raises:
            NotFound: `agent_not_found`.
            InvalidInput: `invalid_request` where a threaded agent's conversation is
                named by neither, or for what is no thread or label;
                `reserved_identity` for `new` and `all`.
            Conflict: `thread_bound` where a single agent's thread is another's;
                `conversation_exists` for one that acts for somebody else.
        """
        name = agent.id if isinstance(agent, Agent) else agent
        return find_conversation(
            self._desk, name, thread=thread, label=label, acts_for=acts_for, now=now
        )

    def inbox(self, of: Any, *, by: Any = None) -> Inbox:
        """
        What a conversation is owed over all its rooms.

        Args:
            of: A single agent, its id, or a conversation, turn or claim.
            by: Who looks: a claim or turn of it, or a person for whom it acts; the
                conversation itself unless given.

        Raises:
            InvalidInput: `agent_required` for a person's; `invalid_request` for a
                threaded agent, which has many conversations.
            NotFound: `agent_not_found`.
        """
        return inbox_of(self._desk, of, by)

    def history(
        self,
        *,
        by: Person | None = None,
        after: int = 0,
        limit: int = 30,
        query: str | None = None,
        ids: Sequence[str | Message] | None = None,
        max_bytes: int = PAGE_BYTES,
        now: datetime | None = None,
    ) -> InboxPage:
        """
        All messages of all rooms, in the log's order, each with what became of it for
        each that it is owed to.

        Args:
            by: Who looks: a person whom the host lets read every room, which is
                recorded; None for the host itself.
            after, limit, query, ids, max_bytes: As for `Inbox.history`.

        Raises:
            NotAllowed: `administrator_required`.

        Source: L-READ-04, L-FACT-04.
        """
        asked = Asked.of(after, limit, max_bytes, now)
        return history_of_all(self._desk, by, asked, Wanted.of(query, ids))

    # -- rooms

    def create_room(
        self,
        name: str,
        *,
        by: Any,
        access: str | None = None,
        policy: RoomPolicy | str | None = None,
        invite: Iterable[Any] = (),
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Room:
        """
        Creates a room; a conversation that creates one has a seat in it at once.

        Args:
            name: One line of at most 120 characters, unique among open rooms without
                case and spacing; an invite-only room takes no name from them.
            by: A person, or a conversation, turn or claim.
            access: `open`, unless the lobby has another default: any agent may join,
                and any person read. `invite_only`: only who is invited may join, and
                whoever is not in it is answered as if there were no such room.
            policy: A RoomPolicy, or a preset's name: `broker`, `hall`, `panel`,
                `thread`.
            invite: Agents that are invited at once, as by `Room.invite`.
            request_id: The same request again returns the same room.

        Raises:
            Conflict: `room_exists` where the name is taken.
            IdempotencyConflict: `idempotency_conflict` for a used `request_id`.
            InvalidInput: `invalid_request` for a name, access or policy that is none.
            NotAllowed: `read_only_access` for a person where people only watch.
        """
        room = create_room(
            self._desk,
            name,
            by=by,
            access=access,
            policy=policy,
            invite=invite,
            request_id=request_id,
            now=now,
        )
        return Room(room, self._desk)

    def send(
        self,
        content: str,
        *,
        by: Any,
        to: Any,
        reply_to: str | Message | None = None,
        request_id: str | None = None,
        attachments: Mapping[str, Any] | None = None,
        kind: str | None = None,
        expects_reply: bool | None = None,
        urgency: str = "normal",
        supersedes: str | Message | None = None,
        correlation: str | None = None,
        fields: Mapping[str, Any] | None = None,
        notify_when_seen: bool = False,
        deliver_at: datetime | None = None,
        policy: RoomPolicy | str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Sends a message to one agent, or to all that take part, without naming a room.

        It is a message of a room of its own: that of the two, which the first one makes
        and later ones use, whoever of them writes; or that of everybody. `posted.room`
        is it, and reads as any other.

        Args:
            content: What to say.
            by: Who says it: a conversation, a person, a turn, a claim.
            to: An agent, its id or address; a conversation; `"*"` for all agents that
                take part, but those that the sender may not write to. To oneself it is
                a reminder.
            reply_to, request_id, attachments: As for `Room.post`.
            kind, expects_reply, urgency, supersedes, correlation, fields: Likewise.
            notify_when_seen, deliver_at: Likewise.
            policy: Of the room that a first message makes: a RoomPolicy, or a preset's
                name; the preset `broker` unless given.

        Raises:
            NotFound: `agent_not_found`, `unknown_conversation`; as `Room.post`.
            InvalidInput: `agent_required` for a person, who takes no turns.
            NotAllowed: `recipient_forbidden`, `broadcast_forbidden`.
            Conflict: `recipient_disabled`.
            Refused: All else that `Room.post` raises.

        Source: L-SEND-04 to L-SEND-09, foundation 28.
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
        return send(
            self._desk,
            content,
            by=by,
            to=to,
            reply_to=reply_to,
            request_id=request_id,
            attachments=attachments,
            meaning=meaning,
            policy=policy,
            deliver_at=deliver_at,
            now=now,
        )

    def teams(self, *, by: Any, catalogue: Catalogue | None = None) -> Teams:
        """
        A person's surface for teams: it prepares, starts, ends and answers them.

        Args:
            by: The person, or a turn that was opened on its word.
            catalogue: What the host has: models, tools, skills, and what a plugin's
                tool does; anything goes where it is not said.

        Raises:
            NotAllowed: `person_required` for anybody else, and for a member of any
                team; `origin_room_mail`.

        Source: S-SURFACE-01, S-SURFACE-02.
        """
        return teams_of(self._desk, by=by, catalogue=catalogue)

    def member(self, *, by: Any, room: str | Room | None = None) -> Member:
        """
        A member's surface for its team.

        Args:
            by: Who acts: a conversation on the roster, its turn or claim.
            room: The team's room, for a conversation that is on several rosters; the
                one that woke the turn otherwise.

        Raises:
            NotAllowed: `not_a_member` for whoever is on no roster, and for a person.
            InvalidInput: `invalid_request` where it is on several, and named none.

        Source: S-SURFACE-01, S-SURFACE-05.
        """
        return member_of(self._desk, by=by, room=room)

    def report_usage(
        self,
        by: Any,
        *,
        cost: Decimal | float | str = 0,
        tokens: int = 0,
        room: str | Room | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> None:
        """
        Says what a turn in a team used, once more; a limit that is reached by it stops
        new turns. It may come after the turn, and after the team's end.

        Args:
            by: Whose turn: the turn or its wake, also ended ones, or the conversation.
            cost: What it cost, in the host's unit, from 0 on.
            tokens: How many tokens it used.
            room: The team's room, for a conversation that is in several teams.
            request_id: The same report again counts once.
            now: The instant; the lobby's clock unless given.

        Raises:
            InvalidInput: `invalid_request` for what is negative, no number or no finite
                one, and where several teams are meant.
            NotAllowed: `not_a_member` for whoever had no turn in a team.

        Source: S-LIMIT-02 to S-LIMIT-05.
        """
        report_usage(
            self._desk,
            by,
            cost=cost,
            tokens=tokens,
            room=room,
            request_id=request_id,
            now=now,
        )

    def recover_teams(self, *, now: datetime | None = None) -> None:
        """
        Says that the host was restarted, before anything is scheduled: turns that ran
        are released and not rerun, a start or an adjustment that was interrupted is a
        draft again, and a delivery that was under way waits for the person.

        Source: S-RECOVER-01 to S-RECOVER-06.
        """
        recover_teams(self._desk, now=now)

    def room(self, name: str, *, by: Any = None) -> Room:
        """
        A room by its id or its name; an id begins with `room_` (G-ROOM-08).

        Args:
            name: Its id, or the name of an open room; else that of an invite-only one
                which `by` may know of.
            by: For whom it is looked up; None for the host itself, which knows all.

        Raises:
            NotFound: `room_not_found` where there is none, or none that `by` may know
                of: nothing tells the one from the other.
            Conflict: `ambiguous_name` where `by` knows several of that name, with their
                ids.
        """
        return Room(find_room(self._desk, name, by=by), self._desk)

    def invitations(self, *, by: Any) -> tuple[Invitation, ...]:
        """
        The invitations of an agent that it has not answered, the oldest first.

        Args:
            by: A conversation of the agent; `room.join` accepts, `decline` does not.

        Raises:
            InvalidInput: `agent_required` for a person.

        Source: G-INVITE-02, G-INVITE-04.
        """
        return invitations(self._desk, by=by)

    @property
    def rooms(self) -> tuple[Room, ...]:
        """All rooms but hives, in the order of their creation."""
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            listed = desk.directory().rooms
            return tuple(Room(room, desk) for room in listed if listed[room] != HIVE)

    def schedules(self, *, by: Any, of: Agent | str | None = None) -> Schedules:
        """
        What somebody has to come: messages that wait for their time, and schedules
        that recur.

        Args:
            by: Whose; or the owner of another, or whom `rooms_may` lets
                `manage_schedules` of the agent.
            of: The agent whose they are, if not of `by` itself.

        Raises:
            NotFound: `agent_not_found`.
            NotAllowed: `not_owner`.

        Source: L-SCHED-10 to L-SCHED-14.
        """
        return schedules(self._desk, by=by, of=of)

    # -- views

    def figures(self, *, by: Any, since: datetime | None = None) -> Figures:
        """
        How many rooms, participants and messages there were, among what the viewer may
        know of; hives count nowhere.

        Args:
            by: Who looks: a person, or a conversation, turn or claim.
            since: The beginning of the period, which is taken down to the whole hour in
                UTC; None is for all time.

        Guarantees: the cost does not grow with the messages, only with what the period
        holds of hours, and of rooms and participants that were active in it.

        Source: G-VIEW-03.
        """
        return figures(self._desk, by=by, since=since)

    def list_rooms(
        self,
        *,
        by: Any,
        participant: Agent | Conversation | Person | None = None,
        need_look: bool = False,
        after: str | None = None,
        limit: int = 50,
    ) -> RoomList:
        """
        The rooms that somebody may know of, the last active first.

        Args:
            by: Who looks: a person, or a conversation, turn or claim.
            participant: Only rooms in which this one is; a person is where its agents
                and conversations are.
            need_look: Only rooms where a message waits on a reply: as many as
                `Figures.need_look` says.
            after: The `next_cursor` of the page before.
            limit: At most so many rooms, up to 1,000.

        Raises:
            InvalidInput: `invalid_request` for what is no cursor of a list.

        Source: G-VIEW-01, G-VIEW-02, G-VIEW-04.
        """
        return list_rooms(
            self._desk,
            by=by,
            participant=participant,
            need_look=need_look,
            after=after,
            limit=limit,
        )

    def audit(self, *, by: Person, after: int = 0, limit: int = 100) -> AuditPage:
        """
        Who read what only by the right to read every room, in the order of recording.

        Raises:
            NotAllowed: `administrator_required` for anybody whom `rooms_may` does not
                let `read_audit`.

        Source: G-AUDIT-02 to G-AUDIT-04.
        """
        return audit(self._desk, by=by, after=after, limit=limit)

    def hives(self, *, by: Person) -> tuple[ListedRoom, ...]:
        """
        The hives of all agents, which are in no other list.

        Raises:
            NotAllowed: `administrator_required` for anybody whom `rooms_may` does not
                let `read_every_room`.

        Source: G-VIEW-02, G-HIVE-08.
        """
        return list_hives(self._desk, by=by)

    # -- restarts

    def announce_restart(
        self,
        at: datetime,
        reason: str = "",
        *,
        notify_rooms: bool = False,
        now: datetime | None = None,
    ) -> None:
        """
        Says that the host restarts at an instant; a later call takes its place.

        Args:
            at: When; from then on it is over.
            reason: Why, for people to read.
            notify_rooms: Whether agents are told, too: each conversation that is in a
                room once, at the start of its next turn or when its helper checks in.

        Source: G-NOTICE-01, G-NOTICE-02.
        """
        announce_restart(self._desk, at, reason, notify_rooms=notify_rooms, now=now)

    def call_off_restart(self, *, now: datetime | None = None) -> None:
        """Says that no restart is planned any more; it is no fault if none was."""
        call_off_restart(self._desk, now=now)

    def planned_restart(self, *, now: datetime | None = None) -> PlannedRestart | None:
        """The restart that is planned and not over yet, or None."""
        return planned_restart(self._desk, now=now)

    def recover(self, *, now: datetime | None = None) -> None:
        """
        Says that the storage came from a backup, before anything else is done with it:
        every claim is stale, and what one held is owed again.

        Source: L-STORE-04.
        """
        recover(self._desk, now=now)

    # -- rest

    def rest(
        self,
        agents: Iterable[str | Agent | Conversation],
        *,
        by: Any,
        until: datetime | None = None,
        now: datetime | None = None,
    ) -> tuple[Rested, ...]:
        """
        Lets other agents rest, all of them or none: what comes for them is owed, and
        nothing is delivered until they go on. A later call takes this one's place.

        It is the pause of `Agent.change`; what they do meanwhile goes on.

        Args:
            agents: Whom; never the one that asks.
            by: Who asks: an agent that may `manage_rooms`.
            until: When they go on by themselves; None where somebody has to say so.

        Raises:
            InvalidInput: `cannot_rest_self`, `resume_at_past`; `owner_pauses` for a
                person, who leaves it to the host.
            NotFound: `agent_not_found`.
            NotAllowed: `room_management_forbidden`.
            Conflict: `agent_disabled`.

        Source: L-REST-01 to L-REST-07.
        """
        return rest(self._desk, agents, by=by, until=until, now=now)

    def resume(
        self,
        agents: Iterable[str | Agent | Conversation],
        *,
        by: Any,
        now: datetime | None = None,
    ) -> tuple[Rested, ...]:
        """
        Lets agents that rest go on: what came meanwhile is owed at once, as one wake a
        room. Nobody is woken for whom nothing came.

        Raises:
            Refused: As `rest`.

        Source: L-REST-03, L-REST-05.
        """
        return resume(self._desk, agents, by=by, now=now)

    # -- files and what ends by time

    @property
    def contents(self) -> Contents:
        """A handle to what the files of messages say, without any message."""
        return Contents(self._desk)

    def sweep(
        self, *, idle_for: timedelta = DROP_AFTER, now: datetime | None = None
    ) -> Swept:
        """
        Ends what is past its time; nothing ends before a host calls it, at its start
        and then every minute, or once a day where no room forgets.

        A message goes that its room has kept for its policy's `retention`, read or not:
        its words, its request id, and what was still owed for it; its record stays,
        without words. So the same request posts a new message then.

        A subscription ends whose conversation gave no sign of life in its room for
        long: no post, no read, no wake. The membership stays, a label or a reply still
        wakes it, and it may follow anew.

        Raises:
            StorageBusy: `storage_busy` where another process was reading all the time:
                the words are gone, but not yet from the -wal file; sweep again.

        Source: L-KEEP-01, L-KEEP-03; G-IDLE-01, G-IDLE-03, G-FOLLOW-05.
        """
        return sweep(self._desk, idle_for=idle_for, now=now)

    # -- wakes and turns

    def take_wakes(
        self,
        *,
        agents: Iterable[str | Agent] | None = None,
        conversations: Sequence[Conversation | Claim] | None = None,
        limit: int = 20,
        hold_for: timedelta = HOLD,
        holder: str | None = None,
        now: datetime | None = None,
    ) -> list[Wake]:
        """
        Takes wakes that are owed now, one a conversation and room, at most `limit`.

        A take is a claim: nobody else gets the wake while it holds. Open a turn on it,
        or hand it back with `give_back`; if the claim runs out, it is owed again. For a
        host that opens no turns at all, coming back for more says that it was told.

        Args:
            agents: Only wakes of these agents.
            conversations: Only wakes of these conversations; a `Claim` that is not the
                newest is refused.
            hold_for: How long the claim holds, up to 30 days.
            holder: Who takes, where several workers share one thread; each thread, and
                each task of asyncio, takes for itself.

        Raises:
            Conflict: `stale_runtime` for an older claim.
            NotFound: `agent_not_found`.
        """
        return take(
            self._desk,
            agents=agents,
            conversations=conversations,
            limit=limit,
            hold_for=hold_for,
            holder=holder,
            now=now,
        )

    def give_back(self, wake: Wake, *, now: datetime | None = None) -> None:
        """
        Hands back a wake that nobody was told: it is owed again, at once.

        One that is not its taker's any more is left alone: a turn on it has ended or
        runs, its claim ran out, its room is gone.

        Raises:
            InvalidInput: `invalid_request` for what is no wake.
        """
        give_back_wake(self._desk, wake, now=now)

    def new_holder(self) -> str:
        """
        Who takes, for one of several workers in one thread.

        :meta private:
        """
        return self._desk.new_holder()

    def turn(
        self,
        woken: Wake | Conversation | Claim,
        *,
        word_of: Person | None = None,
        now: datetime | None = None,
    ) -> Turn:
        """
        A turn, as a context manager: for a wake, or for a conversation that the host
        runs for another reason, on a person's word or on its own initiative.

        Raises:
            InvalidInput: `agent_required` for a person; `invalid_request` for anything
                else that is not woken, and for the word of somebody behind a wake.
            Conflict: When it is opened: `stale_wake`, `stale_runtime`, `turn_running`.
            NotFound: When it is opened: `room_not_found` where the room is gone.
        """
        self._desk.check_usable()
        return Turn(self._desk, woken, word_of=word_of, now=now)

    def deliver(self, now: datetime | None = None) -> Report:
        """
        Lets what is due happen, and hands what can be taken to the plugins that carry.

        A host calls it when `next_deadline` says so, and after a post. What a plugin
        does wrong is in the report and raises nothing.
        """
        self._desk.check_usable()
        return deliver(self._desk, now)

    def confirm(
        self,
        push: str | Push | ReceiptPush,
        *,
        by: Any,
        stage: str = "attempted",
        now: datetime | None = None,
    ) -> None:
        """
        Says what became of a push: that who writes it has it (`received`), or that it
        was written for the runtime (`attempted`). Then its messages are told: they wait
        to be seen, and are not sent to the same runtime again. Again, it changes
        nothing.

        Args:
            push: The push, or its id, the `notification_id`.
            by: The runtime to which it was sent: a claim, or the conversation where
                nobody claims it.

        Raises:
            NotFound: `unknown_notification` for none of the conversation's.
            Conflict: `stale_runtime` for one that was sent to an older claim, or by it.
            InvalidInput: `agent_required` for a person.

        Source: L-NOTIFY-15, L-NOTIFY-17.
        """
        confirm(self._desk, push, by=by, stage=stage, now=now)

    def batch(self) -> AbstractContextManager[None]:
        """
        Makes all that is recorded inside it durable in one commit of the storage.

        `with lobby.batch():` costs one wait for the disk and not one for each call.
        Each call is decided, refused and recorded as it would be alone, but it is
        durable only when the block has ended; what was accepted before the block raised
        stands. Meanwhile no other thread or process writes, so keep it short. Where a
        plugin has to be asked, each call is a commit of its own.

        Raises:
            StorageError: At the end of the block, where the storage fails to commit:
                nothing that was done inside is stored, whatever the calls returned.
        """
        return batch(self._desk)

    def next_deadline(self) -> datetime | None:
        """
        When `deliver`, or a take, has work again by the passing of time; or None.

        It lies in the past where something fell due that nobody acted upon yet.
        """
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            due = desk.storage.next_due()
        return None if due is None else moment(due)

    # -- proofs

    def export(self) -> Iterator[str]:
        """
        The whole log as lines of text, each ending in a line break.

        Equal logs have equal lines, whatever they are stored in. Others may write
        meanwhile: it ends where the log stood when the first line was taken.

        Raises:
            CorruptLog: `corrupt_log` at the first record that is not what was written.
            Conflict: `room_deleted` where a room went while it was read,
                `erased_meanwhile` where a message with files did.
        """
        from rooms.lobby.transfer.log import export_log  # noqa: PLC0415 - seldom asked

        self._desk.check_usable()
        return export_log(self._desk.storage)

    def verify(self) -> Mapping[str, Verification]:
        """
        Checks every record of every stream against its chain.

        Returns:
            By stream, what is not as it was written, and which words were erased, which
            is no damage. All is well where every `damages` is empty.
        """
        self._desk.check_usable()
        return verify_storage(self._desk.storage)
