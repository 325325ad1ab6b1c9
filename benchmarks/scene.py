"""
A room with people in it, as the rows of a lobby find it.

Two laws. Whatever is posted wakes two conversations, under the policy that a room has
by default: the clock goes on by a minute with each call, so no window is ever full. And
a long room is no shortcut: its records are those that posts leave, chained, appended in
big commits, with the snapshot that closing it would have kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rooms import Conversation, Lobby, Person, Room, RoomPolicy
from rooms.lobby.answers import Posted
from rooms.lobby.recording.streams import Streams, room_stream
from rooms.log import snapshots
from rooms.log.events import RULES_VERSION, encoded
from rooms.log.posting import MessagePosted, Owed
from rooms.log.records import Commit, Record, written
from rooms.log.state import RoomState
from rooms.storage import Snapshot, Storage

__all__ = ["TEXT", "UNPACED", "Scene", "folder", "lengthen", "messages"]

TEXT = (
    "Leave the connector alone for an hour, please; the migration is running and would"
    " lose its lock."
)
UNPACED = RoomPolicy(wake_window=None, send_window=None)
A_COMMIT = 10_000
_MINUTE = timedelta(minutes=1)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder in the working one, so that files lie on a disk and not in memory."""
    with TemporaryDirectory(dir=Path.cwd()) as name:
        yield Path(name)


class _Clock:
    """A minute later at each call."""

    def __init__(self, year: int) -> None:
        self.now = datetime(year, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += _MINUTE
        return self.now


class Scene:
    """A lobby with one room, in which eve speaks to ben and cy, and others sit."""

    lobby: Lobby
    room: Room
    me: Person
    eve: Conversation

    def __init__(
        self, storage: Storage, *, policy: RoomPolicy | None = None, others: int = 0
    ) -> None:
        self.lobby = lobby = Lobby(storage, clock=_Clock(2026))
        self.me = lobby.person("me")
        self.eve = lobby.add_agent("eve").conversation()
        self.room = lobby.create_room("work", by=self.me, policy=policy)
        for name in ("ben", "cy", *(f"agent-{number}" for number in range(others))):
            self.room.join(by=lobby.add_agent(name).conversation())
        self.room.join(by=self.eve)

    @classmethod
    def again(cls, storage: Storage) -> Scene:
        """The scene that stands in a storage, years later."""
        scene = object.__new__(cls)
        scene.lobby = Lobby(storage, clock=_Clock(2036))
        scene.me = scene.lobby.person("me")
        scene.eve = scene.lobby.agent("eve").conversation()
        scene.room = scene.lobby.room("work")
        return scene

    def post(self) -> Posted:
        """A message that wakes two."""
        return self.room.post(TEXT, by=self.eve, to=("agent:ben", "agent:cy"))


def _salt() -> bytes:
    return b"s" * 16


def messages(
    stream: str,
    last: Record,
    seq: int,
    count: int,
    *,
    sender: tuple[str, str] = ("", "me"),
    owed: Sequence[Owed] = (),
) -> Iterator[Record]:
    """
    The records of messages behind a stream's last one, chained.

    `sender` is the conversation and the author's name, as a message records them.
    """
    conversation, author = sender
    version, at, chain = last.version, last.at, last.chain
    for number in range(seq + 1, seq + count + 1):
        version, at = version + 1, at + 1
        event = MessagePosted(number, conversation, author, owed=tuple(owed), text=TEXT)
        by = conversation or f"person:{author}"
        words = encoded(event, by=by, rules=RULES_VERSION)
        place = (stream, version, at, event.FORM)
        record = written(chain, *place, words=words, salt=_salt, seq=number)
        chain = record.chain
        yield record


def lengthen(storage: Storage, room: str, count: int) -> None:
    """
    Appends messages of a person, which wake nobody, and keeps the snapshot there.

    Folding such a message moves the room's numbers and nothing else; the row of a full
    replay asserts it.
    """
    stream = room_stream(room)
    head = storage.head(stream)
    [last] = storage.read(stream, after=head.version - 1, limit=1)
    state = Streams(storage).current(stream).state
    assert isinstance(state, RoomState)
    seq = state.seq
    while count:
        size = min(count, A_COMMIT)
        records = tuple(messages(stream, last, seq, size))
        storage.append(Commit(records))
        last, seq, count = records[-1], seq + size, count - size
    state.version, state.at, state.seq = last.version, last.at, seq
    storage.save_snapshot(
        Snapshot.sealed(
            stream,
            last.version,
            chain=last.chain,
            schema=snapshots.SCHEMA,
            state=snapshots.encode(state),
        )
    )
