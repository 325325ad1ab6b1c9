"""The rooms of a lobby: making them, finding them, and writing without naming one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.lobby.access.creating import create_room
from rooms.lobby.access.finding import find_room
from rooms.lobby.access.inviting import invitations
from rooms.lobby.answers import Invitation, Posted
from rooms.lobby.handles import Agent
from rooms.lobby.messages import Message, id_meant
from rooms.lobby.posting.sending import send
from rooms.lobby.room import Room
from rooms.lobby.schedules.handle import Schedules, schedules
from rooms.log.access import HIVE
from rooms.log.posting import meaning_of
from rooms.policy import RoomPolicy

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Rooms"]


class Rooms:
    """What rooms there are."""

    _desk: Desk

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

    @property
    def rooms(self) -> tuple[Room, ...]:
        """All rooms but hives, in the order of their creation."""
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            listed = desk.directory().rooms
            return tuple(Room(room, desk) for room in listed if listed[room] != HIVE)

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
