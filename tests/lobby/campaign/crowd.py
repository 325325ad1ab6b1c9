"""
One of several processes that use one lobby at once.

    python crowd.py post DATABASE NAME COUNT     posts so many messages
    python crowd.py race DATABASE NAME COUNT     so many requests, as the others do
    python crowd.py watch DATABASE NAME COUNT    posts, is refused, retries and reads
    python crowd.py drain DATABASE NAME COUNT    takes wakes until none is left
    python crowd.py edit DATABASE NAME COUNT     edits so many documents, as others do
    python crowd.py claim DATABASE NAME COUNT    claims so many conversations, each
                                                 process as a runtime of its own
    python crowd.py start DATABASE NAME COUNT    claims them all as one runtime

Each opens the lobby, says so with an empty list, waits for a line on its standard
input, so that all begin at once, and prints one JSON value: what the calls gave, and
the longest that one of them took, in seconds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from time import perf_counter
from typing import Any

from rooms import Conflict, Lobby, OverLimit


def posts(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """The number of each message that this process posts."""
    room, me = lobby.room("work"), lobby.conversation(name)
    for number in range(count):
        yield room.post(f"{name} {number}", by=me).message.seq


def races(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """The number and id of each message, and whether somebody was faster."""
    del name
    room, shared = lobby.room("work"), lobby.conversation("shared")
    for number in range(count):
        request = f"race-{number}"
        posted = room.post(request, by=shared, request_id=request)
        yield posted.message.seq, posted.message.id, posted.duplicate


def watches(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """What this process saw, as `history.py` has it."""
    room, me, random = lobby.room("work"), lobby.conversation(name), Random(name)
    after, request = 0, ""
    for number in range(count):
        match random.randrange(6):
            case 0 | 1:
                request = f"{name} {number}"
                posted = room.post(request, by=me, request_id=request)
                yield "post", request, posted.message.seq
            case 2:
                if request:  # a retry, which posts nothing
                    room.post(request, by=me, request_id=request)
                refused = f"refused {name} {number} "
                try:
                    room.post(refused.ljust(20_000, "x"), by=me)
                except OverLimit:
                    yield "refused", refused
            case _:
                page = room.read(by=me, after=after, limit=10)
                shown = [(one.seq, one.content[:50]) for one in page]
                yield "read", after, shown, page.position
                after = page.next_cursor or random.randrange(page.position + 1)


def drains(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """Who was woken where, by a wake that this process took or a notice in its turn."""
    del count
    while wakes := lobby.take_wakes(limit=7, holder=name):
        for wake in wakes:
            with lobby.turn(wake) as turn:
                told = [wake, *turn.notices]
            for one in told:
                seqs = [message.seq for message in one.messages]
                yield one.conversation.agent, one.room.id, seqs


def edits(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """Of each document: whether this edit of its first revision won, and what did."""
    room, me = lobby.room("work"), lobby.conversation(name)
    for one in room.files.documents(by=me)[:count]:
        first = room.files.history(one.path, by=me).items[-1]  # whoever was faster
        try:
            made = room.files.write(one.path, name, by=me, base=first.id)
        except Conflict as lost:
            yield False, lost.current
        else:
            yield True, made.id


def claims(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """Of each conversation: the generation of this process's claim, or its refusal."""
    room = lobby.room("work")
    for number in range(count):
        one = lobby.conversation("Eve", label=f"c-{number}")
        try:
            claim = one.claim(name)
        except Conflict as lost:
            yield lost.code
        else:
            room.post(f"{number} is claimed by {name}", by=claim)
            yield claim.generation


def starts(lobby: Lobby, name: str, count: int) -> Iterator[Any]:
    """Of each conversation: this process's claim, and whether it could post by it."""
    room = lobby.room("work")
    for number in range(count):
        claim = lobby.conversation("Eve", label=f"c-{number}").claim("r-1")
        try:
            room.post(f"{number} is claimed by {name}", by=claim)
        except Conflict as lost:
            yield claim.generation, lost.code
        else:
            yield claim.generation, ""


KINDS: dict[str, Callable[[Lobby, str, int], Iterator[Any]]] = {
    "post": posts,
    "race": races,
    "watch": watches,
    "drain": drains,
    "edit": edits,
    "claim": claims,
    "start": starts,
}


def main() -> None:
    """Does its part of the work."""
    kind, path, name, count = sys.argv[1:]
    given, longest = [], 0.0
    with Lobby.open(path) as lobby:
        sys.stdout.write("[]\n")
        sys.stdout.flush()
        sys.stdin.readline()
        before = perf_counter()
        for one in KINDS[kind](lobby, name, int(count)):
            given.append(one)
            now = perf_counter()
            longest, before = max(longest, now - before), now
    json.dump({"given": given, "longest": longest}, sys.stdout)


if __name__ == "__main__":
    main()
