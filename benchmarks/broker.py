"""
What a broker's calls cost: a full send beside a plain one, a page of a full inbox, a
retry among a million requests.

Law: each side does the same; one of them where there is much more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.paired import Row, compare
from benchmarks.scene import A_COMMIT, TEXT, Scene, folder, messages
from rooms import Lobby, SQLiteStorage
from rooms.lobby.recording.streams import room_stream
from rooms.log.records import Commit
from rooms.policy import RoomPolicy

FULL, SMALL = 100_000, 100
REQUESTS = 1_000_000
PAGE = 30
ACKED = 100


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    with folder() as place:
        yield _of_sends(place)
    with folder() as place:
        yield from _of_inboxes(place)
    with folder() as place:
        yield _of_retries(place)


def _opened(path: Path) -> SQLiteStorage:
    return SQLiteStorage(path, durability="relaxed")


def _of_sends(place: Path) -> Row:
    scene = Scene(_opened(place / "sends.db"), others=1)
    count = 0

    def send() -> None:
        nonlocal count
        count += 1
        scene.room.post(
            TEXT,
            by=scene.eve,
            to=("agent:ben", "agent:cy", "agent:agent-0"),
            request_id=f"r-{count}",
            kind="request",
        )

    row = Row(
        "post with request id, kind, three recipients",
        "a plain post",
        compare(send, scene.post),
        must=1.5,
        stretch=1.3,
    )
    scene.lobby.close()
    return row


def _of_inboxes(place: Path) -> Iterator[Row]:
    full, small = (
        _Inbox(place / f"{count}.db", count) for count in (FULL, SMALL + ACKED)
    )
    yield Row(
        f"a pending page of {PAGE} out of {FULL:,}",
        f"out of {SMALL}",
        compare(full.page, small.page),
        must=1.3,
        stretch=1.1,
    )
    yield Row(
        f"{ACKED} messages acknowledged in one call",
        f"in {ACKED} calls",
        compare(full.at_once, full.one_by_one, rounds=1, calls=(1, 1)),
    )
    full.lobby.close()
    small.lobby.close()


class _Inbox:
    """Ben's inbox, with so many messages that he has not acknowledged."""

    def __init__(self, path: Path, count: int) -> None:
        policy = RoomPolicy(
            default_mode="every_message",
            settle_on="ack",
            wake_window=None,
            send_window=None,
        )
        scene = Scene(_opened(path), policy=policy)
        ben = scene.lobby.agent("ben").conversation()
        stream, storage = room_stream(scene.room.id), scene.lobby._desk.storage  # noqa: SLF001 - nobody would wait for 100,000 posts
        scene.lobby.close()
        storage = _opened(path)
        head = storage.head(stream)
        [last] = storage.read(stream, after=head.version - 1, limit=1)
        owed = ((ben.id, "now", "none", "every_message", "ready"),)
        done = 0
        while done < count:
            size = min(count - done, A_COMMIT)
            records = tuple(
                messages(
                    stream, last, done, size, sender=(scene.eve.id, "eve"), owed=owed
                )
            )
            storage.append(Commit(records))
            last, done = records[-1], done + size
        self.lobby = Lobby(storage)
        self.ben = self.lobby.agent("ben").conversation()
        self.inbox = self.lobby.inbox(self.ben)
        assert len(self.page()) == min(PAGE, count)

    def page(self) -> Any:
        """The first messages that wait."""
        return self.inbox.pending(limit=PAGE)

    def at_once(self) -> None:
        """Acknowledges the next hundred in one call."""
        found = self.inbox.pending(limit=ACKED)
        self.inbox.acknowledge([one.message.id for one in found])

    def one_by_one(self) -> None:
        """Acknowledges the next hundred in a call each."""
        for one in self.inbox.pending(limit=ACKED):
            self.inbox.acknowledge([one.message.id])


def _of_retries(place: Path) -> Row:
    many, few = _Retries(place / "many.db", REQUESTS), _Retries(place / "few.db", 0)
    row = Row(
        f"a retry among {REQUESTS:,} requests",
        "the only one",
        compare(many.again, few.again),
        must=1.3,
        stretch=1.1,
    )
    many.scene.lobby.close()
    few.scene.lobby.close()
    return row


class _Retries:
    """A lobby that knows so many requests, and one that is asked for again."""

    def __init__(self, path: Path, requests: int) -> None:
        made = Scene(_opened(path))
        made.lobby.close()
        storage = _opened(path)
        stream = room_stream(made.room.id)
        head = storage.head(stream)
        [last] = storage.read(stream, after=head.version - 1, limit=1)
        done = 0
        while done < requests:
            size = min(requests - done, A_COMMIT)
            records = tuple(messages(stream, last, done, size))
            keys = {f"request:post:eve:{done + one}": "0" for one in range(size)}
            storage.append(Commit(records, add=keys))
            last, done = records[-1], done + size
        self.scene = Scene.again(storage)
        assert not self.again().duplicate

    def again(self) -> Any:
        """The same request, again."""
        scene = self.scene
        return scene.room.post(TEXT, by=scene.eve, to=("agent:ben",), request_id="r")
