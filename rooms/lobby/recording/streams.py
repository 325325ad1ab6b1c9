"""
The streams of a lobby as their states, kept in memory and brought up to date.

Two laws. The log is the only truth: a state is loaded from a snapshot that its stream's
chain vouches for, or from the first record on, and dropped whenever it may be wrong.
And a state is proven current before anything is decided on it: the storage's position
tells in one cheap question whether anybody else committed (foundation 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from attrs import define, field, frozen

from rooms.errors import CorruptLog
from rooms.log import agents, directory, folding, snapshots
from rooms.log.agents import AgentState
from rooms.log.directory import LobbyState
from rooms.log.events import Fact, Unknown, decoded, followed
from rooms.log.records import GENESIS, Record, chained
from rooms.log.state import RoomState
from rooms.storage import Snapshot, Storage

__all__ = [
    "LOBBY",
    "Stream",
    "Streams",
    "agent_stream",
    "empty_stream",
    "proven",
    "room_stream",
]

LOBBY = "lobby"
SNAPSHOT_EVERY = 1_000
_A_RECORD = 100  # bytes of a snapshot that cost what reading one record does
_BATCH = 500  # of a size that stays in a processor's cache

State = LobbyState | AgentState | RoomState
S = TypeVar("S", LobbyState, AgentState, RoomState)


@frozen
class _Kind(Generic[S]):
    """How the streams of one kind are folded and kept."""

    empty: Callable[[], S]
    evolve: Callable[[S, Fact], None]
    evolve_all: Callable[[S, Sequence[Fact]], None]


def _one_by_one(
    evolve: Callable[[S, Fact], None],
) -> Callable[[S, Sequence[Fact]], None]:
    def evolve_all(state: S, facts: Sequence[Fact]) -> None:
        for fact in facts:
            evolve(state, fact)

    return evolve_all


_KINDS: dict[str, _Kind[Any]] = {
    "lobby": _Kind(LobbyState, directory.evolve, _one_by_one(directory.evolve)),
    "agent": _Kind(AgentState, agents.evolve, _one_by_one(agents.evolve)),
    "room": _Kind(RoomState, folding.evolve, folding.evolve_all),
}


def room_stream(room: str) -> str:
    """The name of a room's stream."""
    return f"room:{room}"


def agent_stream(agent: str) -> str:
    """The name of an agent's stream."""
    return f"agent:{agent}"


@define(eq=False)
class Stream:
    """
    One stream in memory.

    Attributes:
        name: Its name.
        state: Its state at `version`.
        version: The last version folded; `chain` is the chain there.
        at: The time of the last record, in microseconds.
        due: The instant that the storage has for it.
        epoch: When it was last brought up to date, in epochs of the others' commits.
        closed_by: The critical event that this version does not know, or "".
        snapshot: The version of the last snapshot.
        spacing: After how many more records the next one is worth it.
        used: Whether it was asked for since it was loaded, or passed over.
        ways: What is remembered of messages that went the same way (`posting.routed`).
    """

    name: str
    state: Any
    version: int = 0
    chain: bytes = GENESIS
    at: int = 0
    due: int | None = None
    epoch: int = -1
    closed_by: str = ""
    snapshot: int = 0
    spacing: int = SNAPSHOT_EVERY
    used: bool = False
    ways: dict[Any, Any] = field(factory=dict, repr=False)
    _evolve: Callable[[Any, Fact], None] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._evolve = _kind(self.name).evolve

    def fold(self, fact: Fact, chain: bytes) -> None:
        """Folds the next fact in, which is one of ours, and so is known."""
        self._evolve(self.state, fact)
        self.version, self.chain, self.at = fact.version, chain, fact.at

    def fold_read(self, fact: Fact, chain: bytes) -> None:
        """Folds the next fact in as it was read, of whatever version."""
        self.fold(fact, chain)
        if type(fact.event) is Unknown:
            self.note_unknown(fact)

    def note_unknown(self, fact: Fact) -> None:
        """Notes a fact that this version does not know, and may have to stop at."""
        if folding.unreadable(fact):
            self.closed_by = self.closed_by or getattr(fact.event, "type", "")

    def deadline(self) -> int | None:
        """The earliest instant that the stream waits for."""
        deadline: int | None = self.state.deadline()
        return deadline


def _kind(name: str) -> _Kind[Any]:
    return _KINDS[name.partition(":")[0]]


def empty_stream(name: str) -> Stream:
    """A stream before its first record."""
    return Stream(name, _kind(name).empty())


class Streams:
    """
    The loaded streams, each by name; one not used lately is let go for another.

    None is while a command is decided and recorded (`keeping`): what it was decided on
    would be loaded anew as it is by then, and vouch for a decision on what it was.

    `changes` counts what may have changed anything but what is owed in a room, so that
    whoever found something out knows that it still is so without looking.
    """

    def __init__(self, storage: Storage, *, most: int = 1_000) -> None:
        self.keeping = False
        self.storage = storage
        self.most = most
        self.loaded: dict[str, Stream] = {}
        self.position = -1
        self.epoch = 0
        self.changes = 0

    def prove(self) -> bool:
        """
        Asks whether anybody committed since; then every stream is caught up when it is
        asked for.
        """
        position = self.storage.position()
        if position == self.position:
            return False
        self.position = position
        self.epoch += 1
        self.changes += 1
        return True

    def current(self, name: str) -> Stream:
        """A stream with everything that anybody committed before the last proof."""
        stream = self.loaded.get(name)
        if stream is not None and stream.epoch == self.epoch:
            stream.used = True
            return stream
        if stream is None:
            stream = self._load(name)
        else:
            self._catch_up(stream)
            stream.used = True
        stream.epoch = self.epoch
        return stream

    def drop(self, name: str) -> None:
        """Forgets a stream, so that it is loaded anew."""
        self.changes += 1
        self.loaded.pop(name, None)

    def drop_all(self) -> None:
        """Forgets all streams, so that each is loaded anew."""
        self.changes += 1
        self.loaded.clear()
        self.position = -1

    def committed(self, position: int, added: int) -> None:
        """
        Notes our own commit of so many records, the last one at a position: where
        nobody came in between, whatever was current still is.
        """
        self.changes += 1
        if self.position == position - added:
            self.position = position

    def save_snapshots(
        self, streams: Iterable[Stream] | None = None, *, every: int | None = None
    ) -> None:
        """
        Keeps a snapshot of each loaded stream that grew by so many records since; else
        by as many as cost about what the snapshot does, so that a post never costs more
        because much is owed.
        """
        for stream in self.loaded.values() if streams is None else streams:
            grown = stream.version - stream.snapshot
            if grown < (every or stream.spacing) or stream.closed_by:
                continue
            if self.loaded.get(stream.name) is stream:  # and not removed, or dropped
                stream.snapshot = stream.version  # tried: not again at every record
                snapshot = _snapshot(stream)
                stream.spacing = _spacing(snapshot)
                self.storage.save_snapshot(snapshot)

    def _load(self, name: str) -> Stream:
        stream = self._from_snapshot(name) or empty_stream(name)
        self._catch_up(stream)
        if not self.keeping:
            self._let_go()
        self.loaded[name] = stream
        return stream

    def _let_go(self) -> None:
        """Lets the oldest go that nobody used since it was last looked at here."""
        self.changes += 1
        while len(self.loaded) >= self.most:
            name = next(iter(self.loaded))
            stream = self.loaded.pop(name)
            if stream.used:
                stream.used = False
                self.loaded[name] = stream

    def _from_snapshot(self, name: str) -> Stream | None:
        """The stream as of its snapshot, if the record there carries the same chain."""
        kept = self.storage.load_snapshot(name)
        if kept is None or not kept.intact or kept.version < 1:
            return None
        at = self.storage.read(name, after=kept.version - 1, limit=1)
        if not at or at[0].version != kept.version or at[0].chain != kept.chain:
            return None
        state = snapshots.decode(kept.state, type(_kind(name).empty()))
        if state is None:
            return None
        return Stream(
            name,
            state,
            kept.version,
            kept.chain,
            at[0].at,
            snapshot=kept.version,
            spacing=_spacing(kept),
        )

    def _catch_up(self, stream: Stream) -> None:
        try:
            more = True
            while more:
                records = self.storage.read(
                    stream.name, after=stream.version, limit=_BATCH, words=False
                )
                more = len(records) == _BATCH
                _follow(stream, records)
        except BaseException:  # an interrupt too: it may be folded in part
            self.drop(stream.name)
            raise
        stream.due = stream.deadline()  # whoever committed keeps it so (foundation 19)


def _follow(stream: Stream, records: Sequence[Record]) -> None:
    """
    Folds the next records in, without their words: first all are proven and read, then
    all are folded, which takes half the time of one after the other.

    Raises:
        CorruptLog: As `proven`; and naming a record that cannot be folded.
    """
    facts = followed(records, stream.version, stream.chain)
    state = stream.state
    try:
        _kind(stream.name).evolve_all(state, facts)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        where = f"{stream.name} {state.version + 1}"
        raise _corrupt(where, "cannot be folded") from error
    for fact in facts:
        if type(fact.event) is Unknown:
            stream.note_unknown(fact)
    if facts:
        last = records[len(facts) - 1]
        stream.version, stream.chain, stream.at = last.version, last.chain, last.at
    rest = records[len(facts) :]
    next(proven(rest, stream.version, stream.chain), None)  # the first is refused


def proven(
    records: Iterable[Record], version: int = 0, chain: bytes = GENESIS
) -> Iterator[tuple[Fact, bytes]]:
    """
    The facts of a stream behind a version and its chain, each with its own chain.

    Nothing is decided on a record that is not what was written behind the one before.

    Raises:
        CorruptLog: `corrupt_log`, naming the record.
    """
    for record in records:
        version += 1
        if record.version != version:
            raise _corrupt(record.stream, f"goes on at {record.version}, not {version}")
        try:
            chain = chained(chain, record)
        except (TypeError, ValueError):  # a flipped bit gave a column another type
            chain = b""
        if chain != record.chain:
            raise _corrupt(f"{record.stream} {version}", "is not what was written")
        yield decoded(record), chain


def _corrupt(where: str, problem: str) -> CorruptLog:
    return CorruptLog("corrupt_log", f"{where} {problem}", where=where)


def _spacing(snapshot: Snapshot) -> int:
    return max(SNAPSHOT_EVERY, len(snapshot.state) // _A_RECORD)


def _snapshot(stream: Stream) -> Snapshot:
    return Snapshot.sealed(
        stream.name,
        stream.version,
        chain=stream.chain,
        schema=snapshots.SCHEMA,
        state=snapshots.encode(stream.state),
    )
