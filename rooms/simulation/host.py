"""
The host of a run: what any host of a lobby does, and no more.

Two laws. It takes wakes, opens a turn on each, asks the agent, posts what it says under
a request id and ends the turn; where the storage fails it does the same again a little
later. And once it is dead nothing of it happens any more: what it had in hand is owed
again when its claims run out.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define

from rooms.errors import Refused, StorageError
from rooms.simulation.parts import Say
from rooms.simulation.voices import Voice

if TYPE_CHECKING:
    from datetime import datetime

    from rooms.lobby import Conversation, Lobby, Person, Posted, Room, Turn, Wake
    from rooms.simulation.world import World

__all__ = ["AGAIN", "MAIN", "Host"]

AGAIN = timedelta(seconds=1)
"""How long it waits after a failure of the storage."""

MAIN = "main"
"""The label of a threaded agent's own conversation."""

_HELD = timedelta(minutes=15)  # how long a take holds unless it is renewed
_AT_ONCE = 1_000


@define(eq=False)
class _Task:
    """A turn in the host's hands, and how far it is."""

    turn: Turn
    voice: Voice
    failed: bool = False
    said: list[tuple[str, Say]] | None = None


@define(eq=False)
class Host:
    """
    One process that drives the lobby, from its start to its end or its death.

    Attributes:
        world: The run that it lives in: its clock, its agenda, its voices.
        lobby: Its own handle.
        alive: Whether it is.
    """

    world: World
    lobby: Lobby
    alive: bool = True
    _served: tuple[datetime | None, int] = (None, -1)

    def deadline(self) -> datetime | None:
        """When the lobby has work again; what is due, was served and stays is none."""
        world, due = self.world, self.lobby.next_deadline()
        if due is None or due > world.clock.now:
            return due
        return None if self._served == (due, world.storage.position()) else due

    def serve(self) -> None:
        """Lets happen what is due, and begins the turns that are owed."""
        world = self.world
        try:
            due = self.lobby.next_deadline()
            if due is not None and due <= world.clock.now:
                for failure in self.lobby.deliver().failures:
                    world.note("plugin_failed", failure.plugin)
            for wake in self.lobby.take_wakes(limit=_AT_ONCE):
                self._begin(wake)
            self._served = (self.lobby.next_deadline(), world.storage.position())
        except StorageError as error:
            world.note("storage_failed", error.code)
            world.plan(AGAIN, lambda: None)

    # -- turns

    def _begin(self, wake: Wake) -> None:
        world = self.world
        voice = world.voices[wake.conversation.agent]
        takes = voice.part.takes(voice.random)
        turn = self.lobby.turn(wake)
        try:
            turn.__enter__()
            if takes >= _HELD:
                turn.renew(takes + _HELD)
        except StorageError as error:
            world.note("turn_lost", error.code, voice.name)
            with suppress(StorageError):  # else the claim runs out
                turn.end(failed=True)
        except Refused as error:  # the wake is somebody else's by now
            world.note("turn_refused", error.code, voice.name)
        else:
            world.plan(takes, partial(self._end, _Task(turn, voice)))

    def _end(self, task: _Task) -> None:
        if not self.alive:
            return
        world, voice, turn = self.world, task.voice, task.turn
        if task.said is None:
            task.failed, task.said = voice.fails(), []
            if not task.failed:
                task.said = voice.asked(world.clock.now, turn.wake)
        try:
            while task.said:
                self._say(turn, *task.said[0])
                task.said.pop(0)
            turn.end(failed=task.failed)
        except StorageError as error:
            world.note("storage_failed", error.code, voice.name)
            world.plan(AGAIN, partial(self._end, task))

    def _say(self, turn: Turn, request: str, say: Say) -> None:
        wake = turn.wake
        assert wake is not None  # noqa: S101 - a run opens turns on wakes alone
        try:
            if say.to or say.room is not None:
                room = wake.room if say.room is None else self.lobby.room(say.room)
                posted = self._post(room, say, by=turn, request=request)
            else:
                posted = turn.reply(say.text, request_id=request)
        except Refused as error:
            self.world.note("refused", error.code, turn.conversation.agent)
        else:
            self._acknowledge(request, posted)

    # -- on somebody's own initiative

    def initiate(self, who: str, say: Say, room: str, request: str) -> None:
        """
        Posts what an agent of the run, or a person, says of itself.

        Raises:
            StorageError: Where the storage fails.
        """
        by: Conversation | Person = (
            self.conversation(who)
            if who in self.world.voices
            else self.lobby.person(who)
        )
        try:
            posted = self._post(self.lobby.room(room), say, by=by, request=request)
        except Refused as error:
            self.world.note("refused", error.code, who)
        else:
            self._acknowledge(request, posted)

    def conversation(self, name: str) -> Conversation:
        """The conversation with which an agent takes part."""
        threaded = self.world.voices[name].part.threaded
        label = MAIN if threaded else None
        return self.lobby.conversation(name, thread=label, label=label)

    def _post(self, room: Room, say: Say, *, by: Any, request: str) -> Posted:
        voices = self.world.voices
        return room.post(
            say.text,
            by=by,
            to=[self.conversation(one) if one in voices else one for one in say.to],
            request_id=request,
            confirm_all_threads=True,
        )

    def _acknowledge(self, request: str, posted: Posted) -> None:
        self.world.acknowledged[request] = (posted.room.id, posted.message.id)
