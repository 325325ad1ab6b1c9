"""
The lobby, its rooms and their files, each call awaited.

Two laws. The names, arguments, answers and errors are those of `rooms.Lobby`; what is a
property there is a call here. And agents, persons, conversations, messages and wakes
are the same values: `lobby.run` does what they themselves would wait for.
"""

from __future__ import annotations

import os
from asyncio import Task, current_task
from collections.abc import (
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar
from weakref import WeakKeyDictionary

from rooms import lobby as blocking
from rooms.aio.calls import Call, Handle, bare, call, got
from rooms.aio.teams import Member, Teams, member_made, teams_made
from rooms.aio.turns import Turn
from rooms.aio.worker import Worker
from rooms.lobby import Agent, Claim, Conversation, Person, Wake
from rooms.policy import RoomPolicy
from rooms.storage import Storage

__all__ = ["Files", "Inbox", "Lobby", "Memory", "Room", "Schedules"]

P = ParamSpec("P")
R = TypeVar("R")
_LINES = 256  # of an export at once
_HOLD = timedelta(minutes=15)


class Memory(Handle):
    """A room's shared memory, as `rooms.lobby.Memory`."""

    sync: blocking.Memory

    appoint = call(blocking.Memory.appoint)
    remember = call(blocking.Memory.remember)
    recall = call(blocking.Memory.recall)
    entries = call(blocking.Memory.entries)
    own = call(blocking.Memory.own)
    status = call(blocking.Memory.status)
    brief = call(blocking.Memory.brief)
    review = call(blocking.Memory.review)
    curate = call(blocking.Memory.curate)
    fail = call(blocking.Memory.fail)
    listed = call(blocking.Memory.listed)
    erase = call(blocking.Memory.erase)
    tidy = call(blocking.Memory.tidy)


class Inbox(Handle):
    """What a conversation is owed over all its rooms, as `rooms.lobby.Inbox`."""

    sync: blocking.Inbox

    count = call(blocking.Inbox.count)
    acknowledge = call(blocking.Inbox.acknowledge, brief=True)
    checkpoint = call(blocking.Inbox.checkpoint)
    save_checkpoint = call(blocking.Inbox.save_checkpoint, brief=True)
    receipts = call(blocking.Inbox.receipts)
    context = call(blocking.Inbox.context)
    pending = call(blocking.Inbox.pending)
    reconciliation = call(blocking.Inbox.reconciliation)
    history = call(blocking.Inbox.history)

    @property
    def conversation(self) -> Conversation:
        """Whose it is."""
        return self.sync.conversation


class Contents(Handle):
    """The contents of a lobby's files, as `rooms.lobby.Contents`."""

    sync: blocking.Contents

    upload = call(blocking.Contents.upload)
    usage = call(blocking.Contents.usage)
    listed = call(blocking.Contents.listed)


def _inbox(handle: Handle, inbox: blocking.Inbox) -> Inbox:
    return Inbox(inbox, handle.worker)


class Schedules(Handle):
    """What somebody has to come, as `rooms.lobby.Schedules`."""

    sync: blocking.Schedules

    create = call(blocking.Schedules.create)
    list = call(blocking.Schedules.list)
    cancel = call(blocking.Schedules.cancel)
    update = call(blocking.Schedules.update)


class Files(Handle):
    """The files of a room, as `rooms.lobby.Files`."""

    sync: blocking.Files

    write = call(blocking.Files.write)
    remove = call(blocking.Files.remove)
    documents = call(blocking.Files.documents)
    history = call(blocking.Files.history)
    read = call(blocking.Files.read)
    attachments = call(blocking.Files.attachments)

    async def download(self, path: str, **options: Any) -> AsyncIterator[bytes]:
        """As `rooms.lobby.Files.download`, a piece at a time."""
        named = {name: bare(one) for name, one in options.items()}
        work = partial(self.sync.download, path, **named)
        pieces = await self.worker.run(work)
        async for run in _runs(self.worker, pieces, 1):
            yield run[0]


def _room(handle: Handle, room: blocking.Room) -> Room:
    return Room(room, handle.worker)


def _schedules(handle: Handle, found: blocking.Schedules) -> Schedules:
    return Schedules(found, handle.worker)


def _rooms(handle: Handle, rooms: Iterable[blocking.Room]) -> tuple[Room, ...]:
    return tuple(Room(one, handle.worker) for one in rooms)


def _call_for_room(
    method: Callable[Concatenate[Any, P], blocking.Room],
) -> Call[P, Room]:
    return Call(method, _room, brief=True)


def _name(room: blocking.Room) -> str:
    return room.name


def _policy(room: blocking.Room) -> RoomPolicy:
    return room.policy


def _hive(room: blocking.Room) -> Agent | None:
    return room.hive


def _members(room: blocking.Room) -> tuple[Agent, ...]:
    return room.members


def _conversations(room: blocking.Room) -> tuple[Conversation, ...]:
    return room.conversations


def _invited(room: blocking.Room) -> tuple[Agent, ...]:
    return room.invited


def _floor(room: blocking.Room) -> Conversation | None:
    return room.floor


def _archived(room: blocking.Room) -> bool:
    return room.archived


def _position(room: blocking.Room) -> int:
    return room.position


class Room(Handle):
    """A room of a lobby, as `rooms.Room`."""

    sync: blocking.Room

    @property
    def id(self) -> str:
        """Its id, `room_...`."""
        return self.sync.id

    @property
    def files(self) -> Files:
        """The files of the room."""
        return Files(self.sync.files, self.worker)

    @property
    def memory(self) -> Memory:
        """The shared memory of the room."""
        return Memory(self.sync.memory, self.worker)

    name = got(_name, "The name that it was created with")
    policy = got(_policy, "The options that hold now")
    hive = got(_hive, "The agent whose hive it is, or None")
    members = got(_members, "The agents that are members now")
    conversations = got(_conversations, "The conversations with a seat")
    invited = got(_invited, "The agents that are invited")
    floor = got(_floor, "Whose turn it is, or None")
    archived = got(_archived, "Whether it is archived")
    position = got(_position, "The newest message's number")

    post = call(blocking.Room.post, brief=True)
    read = call(blocking.Room.read, brief=True)
    latest = call(blocking.Room.latest, brief=True)
    join = _call_for_room(blocking.Room.join)
    subscribe = _call_for_room(blocking.Room.subscribe)
    rest = _call_for_room(blocking.Room.rest)
    resume = _call_for_room(blocking.Room.resume)
    leave = _call_for_room(blocking.Room.leave)
    invite = call(blocking.Room.invite)
    add = call(blocking.Room.add)
    uninvite = _call_for_room(blocking.Room.uninvite)
    remove = _call_for_room(blocking.Room.remove)
    decline = call(blocking.Room.decline)
    pause = _call_for_room(blocking.Room.pause)
    unpause = _call_for_room(blocking.Room.unpause)
    change_members = _call_for_room(blocking.Room.change_members)
    set_members = _call_for_room(blocking.Room.set_members)
    change_policy = _call_for_room(blocking.Room.change_policy)
    acknowledge = _call_for_room(blocking.Room.acknowledge)
    erase = _call_for_room(blocking.Room.erase)
    delete = call(blocking.Room.delete)
    archive = _call_for_room(blocking.Room.archive)
    restore = _call_for_room(blocking.Room.restore)
    exchange = call(blocking.Room.exchange)
    participants = call(blocking.Room.participants)
    windows = call(blocking.Room.windows)
    search = call(blocking.Room.search)
    explain = call(blocking.Room.explain)
    export_git = call(blocking.Room.export_git)


def _agents(lobby: blocking.Lobby) -> tuple[Agent, ...]:
    return lobby.agents


def _listed(lobby: blocking.Lobby) -> tuple[blocking.Room, ...]:
    return lobby.rooms


class Lobby(Handle):
    """
    A lobby for asyncio, as `rooms.Lobby`.

    `sync` is the lobby behind it. Plugins are called in the worker's thread. Calls may
    be made from tasks of any loop; closing waits for those that were made before.
    """

    sync: blocking.Lobby

    def __init__(self, behind: blocking.Lobby | Storage, **options: Any) -> None:
        lobby = (
            behind
            if isinstance(behind, blocking.Lobby)
            else blocking.Lobby(behind, **options)
        )
        super().__init__(lobby, Worker(lobby.batch))
        self._holders: WeakKeyDictionary[Task[Any], str] = WeakKeyDictionary()

    @classmethod
    def open(cls, where: str | os.PathLike[str], **options: Any) -> Opening:
        """
        Opens a lobby by its path or storage URL, as `rooms.Lobby.open`: to be awaited,
        or entered with `async with`, which closes it.
        """
        return Opening(partial(blocking.Lobby.open, where, **options))

    @classmethod
    def in_memory(cls, **options: Any) -> Lobby:
        """A lobby that ends with the process."""
        return cls(blocking.Lobby.in_memory(**options))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """As `rooms.Lobby.close`, after what waits is done; twice is no fault."""
        if not self.worker.closed:
            await self.worker.run(self.sync.close)
            self.worker.close()

    async def run(
        self, work: Callable[P, R], /, *args: P.args, **options: P.kwargs
    ) -> R:
        """
        Does something of this lobby's in the worker's thread, such as
        `await lobby.run(conversation.rename, "acme")`, so that the loop is not blocked.
        """
        return await self.worker.run(partial(work, *args, **options))

    register = call(blocking.Lobby.register)
    add_agent = call(blocking.Lobby.add_agent)
    agent = call(blocking.Lobby.agent)
    person = call(blocking.Lobby.person)
    conversation = call(blocking.Lobby.conversation)
    create_room = _call_for_room(blocking.Lobby.create_room)
    room = _call_for_room(blocking.Lobby.room)
    list_agents = call(blocking.Lobby.list_agents)
    set_status = call(blocking.Lobby.set_status)
    set_owner_requests = call(blocking.Lobby.set_owner_requests)
    send = call(blocking.Lobby.send)
    schedules = Call(blocking.Lobby.schedules, _schedules, brief=False)
    agents = got(_agents, "The agents")
    rooms: Call[[], tuple[Room, ...]] = Call(_listed, _rooms, brief=False)

    @property
    def contents(self) -> Contents:
        """What the files of messages say, without any message."""
        return Contents(self.sync.contents, self.worker)

    inbox: Call[..., Inbox] = Call(blocking.Lobby.inbox, _inbox, brief=False)
    figures = call(blocking.Lobby.figures)
    history = call(blocking.Lobby.history)
    list_rooms = call(blocking.Lobby.list_rooms)
    audit = call(blocking.Lobby.audit)
    hives = call(blocking.Lobby.hives)
    invitations = call(blocking.Lobby.invitations)
    announce_restart = call(blocking.Lobby.announce_restart)
    call_off_restart = call(blocking.Lobby.call_off_restart)
    planned_restart = call(blocking.Lobby.planned_restart)
    recover = call(blocking.Lobby.recover)
    recover_teams = call(blocking.Lobby.recover_teams)
    report_usage = call(blocking.Lobby.report_usage)
    teams: Call[..., Teams] = Call(blocking.Lobby.teams, teams_made, brief=False)
    member: Call[..., Member] = Call(blocking.Lobby.member, member_made, brief=False)
    confirm = call(blocking.Lobby.confirm)
    rest = call(blocking.Lobby.rest)
    resume = call(blocking.Lobby.resume)
    sweep = call(blocking.Lobby.sweep)
    deliver = call(blocking.Lobby.deliver)
    give_back = call(blocking.Lobby.give_back, brief=True)
    next_deadline = call(blocking.Lobby.next_deadline)
    verify = call(blocking.Lobby.verify)

    async def take_wakes(
        self,
        *,
        agents: Iterable[str | Agent] | None = None,
        conversations: Sequence[Conversation | Claim] | None = None,
        limit: int = 20,
        hold_for: timedelta = _HOLD,
        holder: str | None = None,
        now: datetime | None = None,
    ) -> list[Wake]:
        """As `rooms.Lobby.take_wakes`; each task takes for itself."""
        work = partial(
            self.sync.take_wakes,
            agents=agents,
            conversations=conversations,
            limit=limit,
            hold_for=hold_for,
            holder=self._holder() if holder is None else holder,
            now=now,
        )
        return await self.worker.run(work, brief=True)

    def turn(
        self,
        woken: Wake | Conversation | Claim,
        *,
        word_of: Person | None = None,
        now: datetime | None = None,
    ) -> Turn:
        """As `rooms.Lobby.turn`, for `async with`."""
        turn = self.sync.turn(woken, word_of=word_of, now=now)
        return Turn(turn, self.worker)

    async def export(self) -> AsyncIterator[str]:
        """As `rooms.Lobby.export`, read a few hundred lines at a time."""
        lines = await self.worker.run(self.sync.export)
        async for run in _runs(self.worker, lines, _LINES):
            for line in run:
                yield line

    def _holder(self) -> str:
        """Who takes where the caller names nobody: each task for itself (ledger 7)."""
        task = current_task()
        if task is None:
            return self.sync.new_holder()
        holder = self._holders.get(task)
        if holder is None:
            holder = self._holders[task] = self.sync.new_holder()
        return holder


class Opening:
    """A lobby to be: awaited, or entered."""

    def __init__(self, open_: Callable[[], blocking.Lobby]) -> None:
        self._open = open_
        self._lobby: Lobby | None = None

    def __await__(self) -> Generator[Any, None, Lobby]:
        return self._opened().__await__()

    async def __aenter__(self) -> Lobby:
        self._lobby = await self._opened()
        return self._lobby

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lobby is not None:
            await self._lobby.close()

    if not TYPE_CHECKING:  # a checker knows that these names are not here

        def __getattr__(self, name: str) -> Any:
            msg = f"the lobby is not open yet: `await` it before `{name}`, or enter it"
            raise AttributeError(msg, name=name, obj=self)

    async def _opened(self) -> Lobby:
        from asyncio import to_thread  # noqa: PLC0415

        return Lobby(await to_thread(self._open))


async def _runs(
    worker: Worker, values: Iterator[R], size: int
) -> AsyncIterator[list[R]]:
    """An iterator's values, so many at a time."""
    while run := await worker.run(lambda: list(islice(values, size))):
        yield run
