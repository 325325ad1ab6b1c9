"""Who else is in a room: invited and added, let in and taken out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from rooms.lobby.access.adding import add
from rooms.lobby.access.inviting import decline, invite, uninvite
from rooms.lobby.access.managing import change_members, set_members
from rooms.lobby.access.owning import remove
from rooms.lobby.handles import Conversation
from rooms.lobby.room.facts import RoomFacts

__all__ = ["Membership"]


class Membership(RoomFacts):
    """What is done about who is in the room."""

    __slots__ = ()

    def invite(
        self, agent: Any, *, by: Any, reason: str = "", now: datetime | None = None
    ) -> Self:
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

    def uninvite(self, agent: Any, *, by: Any, now: datetime | None = None) -> Self:
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

    def remove(self, agent: Any, *, by: Any, now: datetime | None = None) -> Self:
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
    ) -> Self:
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
    ) -> Self:
        """
        Lets exactly these agents be in the room, none for an empty list; as
        `change_members`, all of it or nothing.

        Raises:
            Refused: What `change_members` raises.

        Source: L-ROOM-05.
        """
        set_members(self._desk, self.id, members, by=by, now=now)
        return self
