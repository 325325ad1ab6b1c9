"""
What a look into a hall costs: figures, lists, pages, one seat's part of a transcript.

Two laws. Both sides ask the same of files that hold the same, but for the messages, of
which one has many more; the rows behind the views are fed before. And what feeding
costs is a row of its own, since the first question after a long silence pays it.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter_ns
from types import ModuleType
from typing import Any

from benchmarks.paired import Pair, Row, compare
from benchmarks.scene import Scene, folder, lengthen
from rooms import SQLiteStorage
from rooms.storage import Storage

LONG, SHORT = 1_000_000, 2_000
SEATS = 200
ROOMS, FEW = 10_000, 20
MANY_SEATS, FEW_SEATS = 10_000, 10
SAID = 20

LATE = datetime(2035, 12, 25, tzinfo=UTC)  # a scene that is there goes on in 2036

Question = Callable[[Scene], Any]

QUESTIONS: dict[str, Question] = {
    "the figures of all time": lambda s: s.lobby.figures(by=s.me),
    "the figures of late": lambda s: s.lobby.figures(by=s.me, since=LATE),
    "a page of the list": lambda s: s.lobby.list_rooms(by=s.me),
    "the newest page of 30": lambda s: s.room.latest(by=s.me),
    "a seat's exchange of 20": lambda s: s.room.exchange(s.eve, by=s.me, limit=SAID),
    f"who is in a room of {SEATS}": lambda s: s.room.participants(by=s.me),
    "a document": lambda s: s.room.files.read("plan.md", by=s.me),
}


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    with folder() as place:
        short, long = place / "short.db", place / "long.db"
        scene = Scene(_opened(short), others=SEATS)
        scene.room.files.write("plan.md", "# Plan\n", by=scene.eve)
        scene.lobby.close()
        shutil.copy(short, long)
        for path, count in ((short, SHORT), (long, LONG)):
            with closing(_opened(path)) as storage:
                lengthen(storage, scene.room.id, count)
        few, many = Scene.again(_opened(short)), Scene.again(_opened(long))
        yield _feeding(many, long)
        for asked in (few, many):
            for _ in range(SAID):
                asked.post()
        for name, question in QUESTIONS.items():
            yield _asking(name, question, many, few)
        for scene in (few, many):
            scene.lobby.close()
    yield from _of_many_rooms()
    yield from _of_many_seats()


def _asking(name: str, question: Question, many: Scene, few: Scene) -> Row:
    for scene in (many, few):
        question(scene)
    return Row(
        f"{name}, in a room with {LONG:,} messages",
        f"with {SHORT:,}",
        compare(lambda: question(many), lambda: question(few)),
        1.2,
        1.05,
    )


def _feeding(scene: Scene, path: Path) -> Row:
    """What the first question costs that finds no rows yet; once, so it informs."""
    begun = perf_counter_ns()
    scene.lobby.figures(by=scene.me)
    fed = perf_counter_ns() - begun
    begun = perf_counter_ns()
    with closing(sqlite3.connect(path)) as raw:
        for _ in raw.execute("SELECT * FROM records"):
            pass
    read = perf_counter_ns() - begun
    return Row(
        f"the first figures, which feed {LONG:,} messages",
        "raw iteration of the rows",
        Pair(fed / read, fed, read),
    )


def _of_many_rooms() -> Iterator[Row]:
    """A list shows a page, however many rooms there are."""
    with folder() as place:
        few, many = (Scene(_opened(place / name)) for name in ("few.db", "many.db"))
        for scene, count in ((few, FEW), (many, ROOMS)):
            for number in range(count):
                scene.lobby.create_room(f"room {number}", by=scene.me)
            scene.lobby.list_rooms(by=scene.me, limit=10)
        for name, question in {
            "a page of 10 of the list": lambda s: s.lobby.list_rooms(by=s.me, limit=10),
            "who needs a look": lambda s: s.lobby.list_rooms(by=s.me, need_look=True),
            "a post": Scene.post,
        }.items():
            yield Row(
                f"{name}, among {ROOMS:,} rooms",
                f"among {FEW}",
                compare(lambda q=question: q(many), lambda q=question: q(few)),  # type: ignore[misc]
                1.3,
                1.1,
            )
        for scene in (few, many):
            scene.lobby.close()


def _opened(path: Path) -> Storage:
    return SQLiteStorage(path, durability="relaxed")


def _of_many_seats() -> Iterator[Row]:
    """What wakes two costs two, however many sit there."""
    with folder() as place:
        few, many = (
            Scene(_opened(place / f"{count}.db"), others=count)
            for count in (FEW_SEATS, MANY_SEATS)
        )
        for asked in (few, many):
            for _ in range(SAID):
                asked.post()
        for name, question in {
            "a post that wakes two": Scene.post,
            "the newest page of 30": lambda s: s.room.latest(by=s.me),
            "a seat's exchange of 20": lambda s: s.room.exchange(
                s.eve, by=s.me, limit=SAID
            ),
        }.items():
            yield _seated(name, question, many, few, must=1.3, stretch=1.1)
        # They tell how many took part, and look at each who did.
        yield _seated("the figures", lambda s: s.lobby.figures(by=s.me), many, few)
        for scene in (few, many):
            scene.lobby.close()


def _seated(
    name: str,
    question: Question,
    many: Scene,
    few: Scene,
    *,
    must: float | None = None,
    stretch: float | None = None,
) -> Row:
    for scene in (many, few):
        question(scene)
    return Row(
        f"{name}, in a room of {MANY_SEATS:,} seats",
        f"of {FEW_SEATS}",
        compare(lambda: question(many), lambda: question(few)),
        must,
        stretch,
    )
