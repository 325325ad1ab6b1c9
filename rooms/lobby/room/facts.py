"""What a room is: its name, its options, and who is in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import field, frozen

from rooms.lobby.files.handle import Files
from rooms.lobby.handles import Agent, Conversation
from rooms.lobby.memory import Memory
from rooms.lobby.recording.streams import room_stream
from rooms.log.access import room_not_found
from rooms.log.rooms import RoomCreated
from rooms.log.state import RoomState
from rooms.policy import RoomPolicy

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["RoomFacts"]


@frozen
class RoomFacts:
    """What a room is."""

    id: str
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return self.id

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
    def archived(self) -> bool:
        """Whether it is archived."""
        with self._desk.lock:
            return self._state().archived

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

    @property
    def desk(self) -> Desk:
        """
        What it works with.

        :meta private:
        """
        return self._desk

    def _state(self) -> RoomState:
        return self._desk.room(self.id)

    @property
    def _stream(self) -> str:
        return room_stream(self.id)
