"""
The desk: what every handle of a lobby works with.

Three laws. The clock, the ids and the salts are arguments, and are asked here alone. No
hook is called while the lock or a transaction is held (foundation 24). And a lobby that
is closed, or that a fork brought into another process, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from threading import local
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import (
    CorruptLog,
    InvalidInput,
    NotFound,
    StorageError,
)
from rooms.lobby.derived.carried import Carried
from rooms.lobby.derived.coming import ComingRows
from rooms.lobby.derived.deliveries import Deliveries
from rooms.lobby.derived.filed import Filed
from rooms.lobby.derived.kept import Kept
from rooms.lobby.derived.lately import Lately
from rooms.lobby.derived.presence import Presence
from rooms.lobby.derived.projections import Wakes
from rooms.lobby.derived.questions import Questions
from rooms.lobby.derived.told import Told
from rooms.lobby.derived.undelivered import Undelivered
from rooms.lobby.derived.uploads import Uploads
from rooms.lobby.derived.written import Written
from rooms.lobby.floors import planning as floors
from rooms.lobby.floors.heard import Heard
from rooms.lobby.posting.backlogs import Seated
from rooms.lobby.pushing.uncarried import Uncarried
from rooms.lobby.pushing.waiting import Waiting
from rooms.lobby.recording.commits import Commits
from rooms.lobby.recording.decisions import Committed, Consents, Decision
from rooms.lobby.recording.fence import Unclaimed, check_acting, fenced
from rooms.lobby.recording.locking import Cached, Lock
from rooms.lobby.recording.passing import PassingOver
from rooms.lobby.recording.streams import LOBBY, Streams, agent_stream, room_stream
from rooms.lobby.team.following import teams_follow
from rooms.lobby.views.rows import Views
from rooms.lobby.waking.inhand import InHand
from rooms.log import ledger
from rooms.log.access import ACCESS, OPEN, room_not_found
from rooms.log.actors import SYSTEM, Actor
from rooms.log.agents import AgentState
from rooms.log.directory import AgentEntry, LobbyState
from rooms.log.events import Event, Fact, decoded
from rooms.log.ledger import TakeFacts
from rooms.log.state import RoomState
from rooms.log.team import following
from rooms.storage import Storage
from rooms.storage.forking import in_child

if TYPE_CHECKING:
    from rooms.hooks import HookFailure, Plugins

__all__ = ["Desk"]

_NO_KEYS: Mapping[str, str] = MappingProxyType({})
_SALT_BYTES = 16
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


class _Untold(local):
    """What a thread committed in its batch, whose observers are told afterwards."""

    def __init__(self) -> None:
        self.batches = 0
        self.commits: list[Committed] = []


class Desk:
    """One handle's storage, states, clock, ids and plugins."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], datetime],
        ids: Callable[[str], str],
        salt: Callable[[], bytes],
        hives: bool = False,
        default_access: str = OPEN,
        max_agents: int | None = None,
        max_rooms: int | None = None,
        max_file_bytes: int | None = None,
        disk_reserve: int | None = None,
    ) -> None:
        self.max_file_bytes = _most("max_file_bytes", max_file_bytes)
        self.disk_reserve = _most("disk_reserve", disk_reserve)
        self.max_agents = _most("max_agents", max_agents)
        self.max_rooms = _most("max_rooms", max_rooms)
        self.hives = values.flag("hives", hives)
        self.default_access = values.member("default_access", default_access, ACCESS)
        _check_callable("clock", clock)
        _check_callable("ids", ids)
        _check_callable("salt", salt)
        self.storage = storage
        self.clock = clock
        self._ids = ids
        self._salt = salt
        self.streams = Streams(storage)
        self.commits = Commits(
            storage, self.streams, salt=self.salt, follow=partial(floors.follow, self)
        )
        self.wakes = Wakes(storage)
        self.seated = Seated(self.wakes, self.streams)
        self.heard = Heard(self)
        self.views = Views(storage)
        self.deliveries = Deliveries(storage)
        self.lately = Lately(storage)
        self.told = Told(storage)
        self.written = Written(storage)
        self.questions = Questions(storage)
        self.undelivered = Undelivered(storage)
        self.presence = Presence(storage)
        self.uploads = Uploads(storage)
        self.carried = Carried(storage)
        self.filed = Filed(storage, self.uploads.waiting_for)
        self.kept = Kept(storage)
        self.unscrubbed = True  # words that went may stand in a log of the storage's
        self.coming = ComingRows(storage)
        self.lock = Lock(
            self.streams, Cached(storage, self.check_usable, self.forget_untold)
        )
        self.plugins: Plugins | None = None
        self.refusal = ""  # why nothing is answered any more
        self.unsent = Waiting()
        self.uncarried = Uncarried()
        self._passed_over: set[str] = set()
        self.planners: dict[str, Any] = {}
        self.unplanned: dict[str, None] = {}
        self.hand = InHand(self.ids)
        self._untold = _Untold()
        in_child(self._disown)

    # -- arguments of the shell

    @property
    def usable(self) -> bool:
        """Whether it is open, in the process that opened it."""
        return not self.refusal

    def check_usable(self) -> None:
        """Refuses a closed lobby, and one that a fork brought here."""
        if self.refusal:
            raise StorageError("closed", f"the lobby {self.refusal}; open it again")

    def close(self) -> None:
        """Answers nothing any more; whoever is at it, with the lock held, goes on."""
        self.refusal = "is closed"

    def _disown(self) -> None:
        self.refusal = self.refusal or "belongs to another process"

    def ids(self, prefix: str) -> str:
        """A new id with a prefix; what no stream could be named after is refused."""
        made = self._ids(prefix)
        if not isinstance(made, str) or not _ID.fullmatch(made):
            shown = ascii(made)[:80] if isinstance(made, str) else type(made).__name__
            raise InvalidInput("ids", f"gave {shown}", allowed=_ID.pattern)
        return made

    def salt(self) -> bytes:
        """
        A new salt; one of another form would leave digests from which words that were
        erased can be guessed.
        """
        made = self._salt()
        if type(made) is not bytes or len(made) != _SALT_BYTES:
            shown = f"{len(made)} bytes" if isinstance(made, bytes) else type(made)
            raise InvalidInput("salt", f"gave {shown}", allowed="16 bytes")
        return made

    def time(self, now: datetime | None) -> int:
        """The given instant, or the clock's, in microseconds."""
        return values.micros("now", self.clock() if now is None else now)

    # -- states

    def directory(self) -> LobbyState:
        """The lobby's own state, current."""
        state: LobbyState = self.streams.current(LOBBY).state
        return state

    def agent(self, name: str) -> AgentEntry:
        """An agent of the directory; `NotFound` with `agent_not_found`."""
        known = self.directory().agent(values.text("agent", name))
        if known is None:
            raise NotFound(
                "agent_not_found", f"no agent {name[:80]!a} is known", agent=name
            )
        return known

    def talks(self, agent: str) -> AgentState:
        """The conversations of an agent, current."""
        state: AgentState = self.streams.current(agent_stream(agent)).state
        return state

    def room(self, room: str) -> RoomState:
        """A room's state, current; `NotFound` with `room_not_found`."""
        streams = self.streams
        loaded, epoch = streams.loaded, streams.epoch
        lobby, stream = loaded.get(LOBBY), loaded.get(f"room:{room}")
        if (
            lobby is not None
            and stream is not None
            and lobby.epoch == stream.epoch == epoch
            and room in lobby.state.rooms
            and stream.version
        ):
            lobby.used = stream.used = True
            known: RoomState = stream.state
            return known
        return self._looked_up(room)

    def _looked_up(self, room: str) -> RoomState:
        """As `room`, where that may be neither listed nor current yet."""
        streams = self.streams
        if room not in streams.current(LOBBY).state.rooms:
            self._check_listed(room)
        state: RoomState = streams.current(room_stream(room)).state
        if not state.version:
            self.streams.prove()  # it may have been deleted between the two looks
            self._check_listed(room)
            raise CorruptLog(
                "corrupt_log", f"{room} is listed, and has no log", where=room
            )
        return state

    def _check_listed(self, room: str) -> None:
        if room not in self.directory().rooms:
            raise room_not_found(room)

    def fact(self, stream: str, version: int) -> Fact | None:
        """One fact of a stream, or None for a version that it does not have."""
        records = self.storage.read(stream, after=version - 1, limit=1)
        found = records and records[0].version == version
        return decoded(records[0]) if found else None

    def generations(
        self, conversations: Iterable[tuple[str, str]]
    ) -> Mapping[str, tuple[int, int]]:
        """The claims of conversations, given with their agents, that have one."""
        claims = {}
        for conversation, agent in conversations:
            talk = self.talks(agent).talks.get(conversation)
            if talk is not None and talk.generation:
                claims[conversation] = (talk.generation, talk.claimed_at)
        return claims

    def listens(self, conversation: str, agent: str) -> bool:
        """Whether a conversation may be handed what it is owed (L-BOOT-01)."""
        talk = self.talks(agent).talks.get(conversation)
        return talk is None or talk.listening

    def check_known(self, actor: Actor) -> None:
        """
        Refuses an actor that is nobody in this lobby.

        Raises:
            NotFound: `person_not_found`, `agent_not_found`, `unknown_conversation`.
        """
        with self.lock:
            if actor.kind == "conversation":
                self.talks(self.agent(actor.agent).agent).talk(actor.id)
            elif actor.id not in self.directory().persons.values():
                raise NotFound(
                    "person_not_found",
                    f"no person {actor.id[:80]!a} is known",
                    person=actor.id,
                )

    def passing_over(self, room: str) -> PassingOver:
        """
        Lets the other rooms go on where one is gone, damaged, or of a later version.

        A damaged one is named by `verify`, and by every call that is about it alone; it
        is logged once.
        """
        return PassingOver(room, self._passed_over)

    # -- recording

    def record(
        self,
        decide: Callable[[int], Decision],
        *names: str,
        by: Actor,
        now: datetime | None,
        cached: bool = False,
        planning: bool = False,
        unclaimed: Unclaimed = "refused",
    ) -> Committed | None:
        """
        Decides and records a command, tells the observers, and has a plugin's planner
        asked where nobody has the floor any more.

        Every command passes here, so a stale actor is refused at every door (F-87).
        `cached` is for a command that may be decided on cached states, `unclaimed` for
        one that needs no claim.
        """
        command = teams_follow(
            self, fenced(self, by, decide, names, unclaimed=unclaimed)
        )
        with self.lock.cached if cached else self.lock:
            committed, late = self.commits.record(
                command, *names, by=by.recorded, now=self.time(now)
            )
            if committed is None:
                return None
            self._note(committed)
        self._follow_up(committed, late, now, planning=planning)
        return committed

    def record_in(
        self,
        room: str,
        decide: Callable[[RoomState, int], Sequence[Event] | None],
        *,
        by: Actor,
        now: datetime | None,
        keys: Mapping[str, str] = _NO_KEYS,
    ) -> Committed | None:
        """
        As `record`, for a command that comes to some events of one room and is quickly
        decided: once, while nobody else can write; one that comes to None is left to
        `record`. Its actor's claim is needed as of one for which `unclaimed` is
        refused.
        """
        stream = room_stream(room)

        def command(at: int) -> Sequence[Event] | None:
            if by.agent:
                check_acting(self, by, stream)
            state = self.room(room)
            events = decide(state, at)
            if events is None or state.team is None:
                return events
            return [*events, *following(state, events)]

        with self.lock.cached:
            committed, late = self.commits.record_run(
                stream, command, by=by.recorded, now=self.time(now), keys=keys
            )
            if committed is None:
                return None
            self._note(committed)
        self._follow_up(committed, late, now, planning=False)
        return committed

    def _note(self, committed: Committed) -> None:
        """What is remembered of rooms follows a commit of our own; with the lock."""
        self.seated.note(committed)
        if committed.then is not None:
            self.seated.note(committed.then)
        self.heard.note(committed)

    def _follow_up(
        self,
        committed: Committed,
        late: StorageError | None,
        now: datetime | None,
        *,
        planning: bool,
    ) -> None:
        """What a commit has to be followed by; nobody holds the lock meanwhile."""
        if self.plugins is not None:
            for one in committed.each:
                self.announce(one)
        if not planning:
            for stream in committed.facts:
                self._plan(stream, now)
        if late is not None:
            raise late

    def _plan(self, stream: str, now: datetime | None) -> None:
        """Plans the floor of a room where an activity goes on and nobody has it."""
        loaded = self.streams.loaded.get(stream)
        room = None if loaded is None else loaded.state
        if isinstance(room, RoomState) and room.activity and room.floor is None:
            floors.plan(self, room.id, now=now)
        elif self.unplanned and isinstance(room, RoomState):
            self.unplanned.pop(room.id, None)

    def reclaim(self, conversation: str, agent: str, *, now: datetime | None) -> None:
        """Has every room of a conversation give back what an older claim holds."""
        with self.lock:
            rooms = self.wakes.rooms_of(conversation)
        for room in rooms:
            self._reclaim_in(room, conversation, agent, now)

    def _reclaim_in(
        self, room: str, conversation: str, agent: str, now: datetime | None
    ) -> None:
        stream = room_stream(room)

        def decide(at: int) -> Decision:
            claims = self.generations([(conversation, agent)])
            facts = TakeFacts(self.hand.holder, at, claims)
            events = ledger.reclaim(self.room(room), conversation, facts, now=at)
            return Decision({stream: events})

        with self.passing_over(room):
            self.record(decide, stream, by=SYSTEM, now=now)

    def announce(self, committed: Committed | None) -> None:
        """Tells the observers of a commit; nobody holds the lock meanwhile."""
        if committed is None or self.plugins is None:
            return
        if self._untold.batches:
            self._untold.commits.append(committed)
        else:
            self.observe("rooms_committed", commit=committed)

    @contextmanager
    def telling_later(self) -> Iterator[None]:
        """Has observers told of what this thread commits when the context ends."""
        untold = self._untold
        untold.batches += 1
        try:
            yield
        finally:
            untold.batches -= 1
            if not untold.batches:
                commits, untold.commits = untold.commits, []
                for committed in commits:
                    self.announce(committed)

    def forget_untold(self) -> None:
        """What this thread committed is not stored after all."""
        self._untold.commits.clear()
        self.streams.drop_all()

    # -- hooks

    def hears(self, hook: str) -> bool:
        """Whether any plugin implements a hook."""
        return self.plugins is not None and self.plugins.has(hook)

    @property
    def hands_over(self) -> bool:
        """Whether any plugin is handed what stands in no room, by pushes or wakes."""
        return self.hears("rooms_push") or self.hears("rooms_carry")

    @property
    def asks_plugins(self) -> bool:
        """Whether any plugin has to be asked, and not only told."""
        return self.plugins is not None and self.plugins.asks

    def observe(self, hook: str, **arguments: Any) -> tuple[HookFailure, ...]:
        """Tells every plugin; what they do wrong is logged and reported."""
        if self.plugins is None or not self.plugins.has(hook):
            return ()
        return self.plugins.observe(hook, **arguments)

    def may(self, actor: Actor, action: str, subject: Any) -> Consents:
        """
        The consents of the host to an action that the rules leave to it: nothing for a
        no, which is the default; else what is recorded with what comes of it.
        """
        if self.plugins is None or not self.plugins.has("rooms_may"):
            return ()
        verdict = self.plugins.decide(
            "rooms_may", actor=actor, action=action, subject=subject
        )
        if verdict.allowed is not True:
            return ()
        return tuple((action, one.plugin) for one in verdict.answers)


def _most(field: str, value: int | None) -> int | None:
    return None if value is None else values.whole_number(field, value, at_least=1)


def _check_callable(field: str, value: Any) -> None:
    if not callable(value):
        kind = type(value).__name__
        raise InvalidInput(field, f"is of type {kind}", allowed="a callable")
