"""
A process that posts and takes until it is killed, and says what was acknowledged.

    python worker.py DATABASE SEED NAME [alone]
    python worker.py DATABASE SEED NAME reads    only reads, as a person

Each line on its standard output is a JSON list, written out before the next call:

    ["ready"]                         the lobby is open
    ["asked", request, agent]         before the post; its content is the request's id
    ["acked", request, seq, id, at]   the post returned, at that time on every
                                      process's monotonic clock
    ["settled", agent, seqs]          a turn that carried these ended well, or it read
                                      them
    ["read", after, page, position]   what a reader saw: numbers with contents
    ["error", code, words]            a call raised, which nothing here may do

One that is not `alone` makes no claims: they would end the turns of the others.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from itertools import count
from random import Random
from time import monotonic
from typing import Any

from rooms import (
    Conflict,
    Lobby,
    Posted,
    Room,
    RoomPolicy,
    RoomsError,
    SQLiteStorage,
)
from rooms.lobby import Conversation, Wake

AGENTS = ("ana-bot", "ben-bot", "cy-bot")
POLICY = RoomPolicy(
    wake_window=None, send_window=None, default_mode="every_message", settle_on="read"
)


def say(*words: Any) -> None:
    """One report, which is out before anything else happens."""
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def say_acked(request: str, posted: Posted) -> None:
    """A post returned, just now."""
    say("acked", request, posted.message.seq, posted.message.id, monotonic())


def open_room(path: str) -> tuple[Lobby, Room, list[Conversation]]:
    """The lobby, its room and its members, made where they are not there yet."""
    lobby = Lobby.open(path)
    members = [lobby.add_agent(name).conversation() for name in AGENTS]
    room = lobby.create_room("work", by=members[0], policy=POLICY, request_id="room")
    for one in members:
        room.join(by=one)
    return lobby, room, members


class Worker:
    """Posts into a room and takes its wakes, as a seed has it."""

    def __init__(self, path: str, seed: int, name: str, *, alone: bool) -> None:
        self.random = Random(seed)
        self.alone = alone
        self.lobby, self.room, self.members = open_room(path)
        self.name = name
        self.requests = (f"{name}-{number}" for number in count())
        self.last = ("", self.members[0])
        storage = self.lobby._desk.storage
        assert isinstance(storage, SQLiteStorage)  # as a path opens one
        self.storage = storage

    def step(self) -> None:
        """One thing after the other, most of them posts."""
        chosen = self.random.choices(
            [self.post, self.again, self.take, self.read, self.claim, self.tidy],
            weights=[60, 10, 20, 9, 1, 2],
        )
        chosen[0]()

    def post(self) -> None:
        request = next(self.requests)
        self.last = (request, self.random.choice(self.members))
        self.send(*self.last)

    def again(self) -> None:
        if self.last[0]:
            self.send(*self.last)

    def send(self, request: str, by: Conversation) -> None:
        say("asked", request, by.agent)
        say_acked(request, self.room.post(request, by=by, request_id=request))

    def take(self) -> None:
        for wake in self.lobby.take_wakes(limit=2, holder=self.name):
            what = self.random.random()
            try:
                if what < 0.6:
                    self.run(wake)
                elif what < 0.8:
                    self.fail(wake)
                # else it is left lying: its claim runs out
            except Conflict as gone:
                # Another process has read all that it carried, which closes it.
                if self.alone or gone.code != "stale_wake":
                    raise

    def run(self, wake: Wake) -> None:
        with self.lobby.turn(wake) as turn:
            request = next(self.requests)
            say("asked", request, wake.conversation.agent)
            say_acked(request, self.room.post(request, by=turn, request_id=request))
        seqs = [message.seq for message in wake.messages]
        say("settled", wake.conversation.agent, seqs)

    def fail(self, wake: Wake) -> None:
        with suppress(LookupError), self.lobby.turn(wake):
            raise LookupError

    def read(self) -> None:
        reader = self.random.choice(self.members)
        after = self.random.randrange(self.room.position + 1)
        page = self.room.read(by=reader, after=after, limit=5)
        say("settled", reader.agent, [message.seq for message in page])

    def claim(self) -> None:
        if self.alone:
            self.random.choice(self.members).claim()

    def tidy(self) -> None:
        """What else is written: snapshots, or all of the file anew."""
        if self.random.random() < 0.5:
            self.lobby._desk.commits.save_snapshots(every=1)
        elif self.alone:
            self.storage.compact()


def works(path: str, seed: int, name: str, *, alone: bool) -> None:
    """Does one thing after the other, for ever."""
    worker = Worker(path, seed, name, alone=alone)
    say("ready")
    while True:
        worker.step()


def reads(path: str, seed: int) -> None:
    """Reads page by page, and begins anew somewhere when it is at the end."""
    random, after = Random(seed), 0
    lobby = Lobby.open(path)
    room, me = lobby.room("work"), lobby.person("watcher")
    say("ready")
    while True:
        page = room.read(by=me, after=after, limit=20)
        shown = [(one.seq, one.content) for one in page]
        say("read", after, shown, page.position)
        after = page.next_cursor or random.randrange(page.position + 1)


def main() -> None:
    """Goes on until somebody ends it."""
    path, seed, name, *how = sys.argv[1:]
    try:
        if how == ["reads"]:
            reads(path, int(seed))
        works(path, int(seed), name, alone=bool(how))
    except RoomsError as error:
        say("error", error.code, repr(error))
        raise


if __name__ == "__main__":
    main()
