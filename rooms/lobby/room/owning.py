"""What a room's owner does: it holds, changes, closes and ends it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from rooms.lobby.access.owning import (
    DeletedRoom,
    change_policy,
    delete_room,
    set_archived,
    set_paused,
)
from rooms.lobby.answers import Message
from rooms.lobby.posting.erasing import erase
from rooms.lobby.room.facts import RoomFacts

__all__ = ["Owning"]


class Owning(RoomFacts):
    """What is the owner's to do."""

    __slots__ = ()

    def pause(self, *, by: Any, now: datetime | None = None) -> Self:
        """
        Holds every wake in the room until it goes on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        set_paused(self._desk, self.id, paused=True, by=by, now=now)
        return self

    def unpause(self, *, by: Any, now: datetime | None = None) -> Self:
        """
        Lets the room's wakes go on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        set_paused(self._desk, self.id, paused=False, by=by, now=now)
        return self

    def change_policy(
        self, policy: Any, *, by: Any, now: datetime | None = None
    ) -> Self:
        """
        Sets other options, from here on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        change_policy(self._desk, self.id, policy, by=by, now=now)
        return self

    def archive(self, *, by: Any, now: datetime | None = None) -> Self:
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

    def restore(self, *, by: Any, now: datetime | None = None) -> Self:
        """
        Opens an archived room again, without members; what they did not take by then
        ends.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.

        Source: L-ROOM-17.
        """
        set_archived(self._desk, self.id, archived=False, by=by, now=now)
        return self

    def delete(self, *, by: Any, now: datetime | None = None) -> DeletedRoom:
        """
        Ends the room: its log goes, its name is free, and nobody reads it again.

        Args:
            by: The owner; an agent that may `manage_rooms`, where the policy says
                `lead_may_delete`; or whom `rooms_may` lets.

        Raises:
            NotAllowed: `not_owner` for anybody else.
            StorageError: One that is `recorded` (see there): the room is gone.
        """
        return delete_room(self._desk, self.id, by=by, now=now)

    def erase(
        self, message: str | Message, *, by: Any, now: datetime | None = None
    ) -> Self:
        """
        Takes the words of a message away, and the files that it carries: for ever, and
        from all of the storage. Its number and what it did stay; nobody is woken for it
        any more. An erased message again is no fault. One that was cancelled before it
        was delivered is erased by the id that its sender has; while it waits, it is to
        be cancelled first.

        Args:
            message: The message, or its id.
            by: The room's owner, or whom `rooms_may` lets `erase_message`.

        Raises:
            NotFound: `unknown_message`.
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
            StorageError: One that is `recorded` (see there): the words are gone.
        """
        erase(self._desk, self.id, message, by=by, now=now)
        return self
