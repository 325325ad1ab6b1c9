"""Looking over all rooms at once: lists, figures, inboxes, histories, the audit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.lobby.access.auditing import AuditPage, audit
from rooms.lobby.handles import Agent, Conversation, Person
from rooms.lobby.inbox import Inbox, InboxPage
from rooms.lobby.inbox.asking import PAGE_BYTES, Asked, Wanted
from rooms.lobby.inbox.handle import inbox_of
from rooms.lobby.inbox.pages import history_of_all
from rooms.lobby.messages import Message
from rooms.lobby.views.agents import ListedAgent, list_agents
from rooms.lobby.views.figures import Figures, figures
from rooms.lobby.views.listing import ListedRoom, RoomList, list_hives, list_rooms

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Looking"]


class Looking:
    """What is seen over all rooms."""

    _desk: Desk

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

    def hives(self, *, by: Person) -> tuple[ListedRoom, ...]:
        """
        The hives of all agents, which are in no other list.

        Raises:
            NotAllowed: `administrator_required` for anybody whom `rooms_may` does not
                let `read_every_room`.

        Source: G-VIEW-02, G-HIVE-08.
        """
        return list_hives(self._desk, by=by)

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

    def audit(self, *, by: Person, after: int = 0, limit: int = 100) -> AuditPage:
        """
        Who read what only by the right to read every room, in the order of recording.

        Raises:
            NotAllowed: `administrator_required` for anybody whom `rooms_may` does not
                let `read_audit`.

        Source: G-AUDIT-02 to G-AUDIT-04.
        """
        return audit(self._desk, by=by, after=after, limit=limit)
