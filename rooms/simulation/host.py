"""
The host of a run: what any host of a lobby does, and no more.

Two laws. It takes wakes, opens a turn on each, asks the agent, posts what it says under
a request id, in a team reports what that cost, and ends the turn; where the storage
fails it does the same again a little later. And once it is dead nothing of it happens
any more: what it had in hand is owed again when its claims run out, or when the host
that comes after it says that its teams recover.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rooms.errors import InvalidInput, Refused, RoomsError, StorageError
from rooms.simulation.addressees import strangers
from rooms.simulation.saying import Call, Say
from rooms.simulation.voices import Voice

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from rooms.lobby import Conversation, Lobby, Person, Posted, Room, Turn, Wake
    from rooms.lobby.team.briefing import Brief
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
    said: list[tuple[str, Say | Call]] | None = None
    used: tuple[Decimal, int] | None = None


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
    _members: dict[str, dict[str, Conversation]] = field(factory=dict)

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
            world.approver.look(self.lobby)
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
            world.plan(AGAIN, lambda: None)
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
                brief = partial(self._brief, turn)
                task.said = voice.asked(world.clock.now, turn.wake, brief)
            if self._in_team(turn):
                task.used = voice.part.uses(voice.random)
        try:
            while task.said:
                if self._say(turn, *task.said[0]):
                    task.said.clear()  # a question ends the turn that asks it
                else:
                    task.said.pop(0)
            self._report(task)
            turn.end(failed=task.failed)
        except StorageError as error:
            world.note("storage_failed", error.code, voice.name)
            world.plan(AGAIN, partial(self._end, task))

    def _in_team(self, turn: Turn) -> bool:
        wake = turn.wake
        return wake is not None and wake.room.id in self.world.approver.rooms.values()

    def _brief(self, turn: Turn) -> Brief | None:
        if not self._in_team(turn):
            return None
        with suppress(Refused):  # it is in the team no more, or that is over
            return self.lobby.member(by=turn).brief
        return None

    def _report(self, task: _Task) -> None:
        """Says what a turn cost; once, however often it is said."""
        if task.used is None or task.turn.wake is None:
            return
        (cost, tokens), wake = task.used, task.turn.wake
        self.lobby.report_usage(
            wake.conversation,
            cost=cost,
            tokens=tokens,
            room=wake.room,
            request_id=f"usage-{wake.id}",
        )
        task.used = None

    def _say(self, turn: Turn, request: str, say: Say | Call) -> bool:
        """Says or does something in a turn; whether the turn is over by that."""
        wake = turn.wake
        assert wake is not None  # noqa: S101 - a run opens turns on wakes alone
        who = turn.conversation.agent
        if isinstance(say, Call):
            return self._call(who, say, by=turn, request=request)
        try:
            if say.to or say.room is not None:
                room = wake.room if say.room is None else self.lobby.room(say.room)
                posted = self._post(room, say, by=turn, request=request)
            else:
                posted = turn.reply(say.text, request_id=request)
        except (Refused, InvalidInput) as error:
            self._refused(who, say, error)
        else:
            self._acknowledge(request, posted, who, say)
        return False

    def _call(self, who: str, call: Call, *, by: Any, request: str) -> bool:
        """Calls a tool; what it refuses, a model would be told."""
        from rooms import tools  # noqa: PLC0415 - for who calls one

        try:
            answer = tools.call(call.tool, call.repeatable(request), by=by)
        except (Refused, InvalidInput) as error:
            self._refused(who, call, error)
            return False
        return answer.get("your_turn_ends") is True

    # -- on somebody's own initiative

    def initiate(self, who: str, say: Say | Call, room: str, request: str) -> None:
        """
        Posts what an agent of the run, or a person, says of itself.

        Raises:
            StorageError: Where the storage fails.
        """
        world, posted = self.world, None
        agent = who in world.voices
        try:
            if isinstance(say, Call):
                by = self.conversation(who, room)
                self._call(who, say, by=by, request=request)
                return
            team = None if agent else world.approver.team(self.lobby, room, who)
            if team is not None:
                posted = world.approver.tell(team, say, request)
            else:
                speaks: Conversation | Person = (
                    self.conversation(who, room) if agent else self.lobby.person(who)
                )
                posted = self._post(
                    self.lobby.room(room), say, by=speaks, request=request
                )
        except (Refused, InvalidInput) as error:
            self._refused(who, say, error)
        else:
            if posted is not None:
                self._acknowledge(request, posted, who, say)

    def conversation(self, name: str, room: str = "") -> Conversation:
        """The conversation with which an agent takes part in a room."""
        placed = self._placed(room)
        if name in placed:
            return placed[name]
        threaded = self.world.voices[name].part.threaded
        label = MAIN if threaded else None
        return self.lobby.conversation(name, thread=label, label=label)

    def _placed(self, room: str) -> dict[str, Conversation]:
        """The members of a team's room, once it is started; nobody for another room."""
        if not self._members.get(room):
            self._members[room] = self.world.approver.members(self.lobby, room)
        return self._members[room]

    def _post(self, room: Room, say: Say, *, by: Any, request: str) -> Posted:
        return room.post(
            say.text,
            by=by,
            to=self._meant(room, say.to),
            request_id=request,
            confirm_all_threads=True,
        )

    def _meant(self, room: Room, to: tuple[str, ...]) -> list[Any]:
        """Whom names mean in a room: members of a team by their keys, too."""
        approver, voices = self.world.approver, self.world.voices
        named = {known: name for name, known in approver.rooms.items()}.get(room.id, "")
        placed = self._placed(named)
        return [
            placed[one]
            if one in placed
            else self.conversation(one)
            if one in voices
            else one
            for one in to
        ]

    def _acknowledge(self, request: str, posted: Posted, who: str, say: Say) -> None:
        world = self.world
        world.acknowledged[request] = (posted.room.id, posted.message.id)
        unknown = (*posted.unresolved, *strangers(world.scenario, say.to))
        if unknown:
            world.note("unresolved", who=who, to=unknown, text=say.text)

    def _refused(self, who: str, say: Say | Call, error: RoomsError) -> None:
        said = {"to": say.to, "text": say.text, "problem": str(error)}
        self.world.note("refused", error.code, who, **said)
