"""
A runtime that is stopped at a moment of its work, and goes on as if nothing had been.

    python holder.py DATABASE SEED

For each line on its standard input it claims the conversation of `ben`, becomes ready,
takes what it is owed, and stops itself (SIGSTOP): between two calls, or in the middle
of one, after that was decided and before it is committed. Once somebody lets it go on
(SIGCONT) it tries everything that a runtime writes, and prints as JSON with what code
each was refused, by its name; "" for what was not.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

from rooms import Lobby, RoomsError, hookimpl
from rooms.lobby import Claim, Wake

HOLD = timedelta(milliseconds=1)


class Stopping:
    """Stops the process inside a post: it was decided, and is not committed."""

    armed = False

    @hookimpl
    def rooms_check_draft(self, draft: object) -> None:
        if self.armed:
            self.armed = False
            stop()


def stop() -> None:
    """Stops the process until somebody lets it go on."""
    os.kill(os.getpid(), signal.SIGSTOP)


def code(act: Callable[[], object]) -> str:
    """The code with which a write is refused, or nothing."""
    try:
        act()
    except RoomsError as error:
        return error.code
    return ""


def writes(lobby: Lobby, claim: Claim, wake: Wake) -> Iterator[tuple[str, Any]]:
    """Everything that a runtime may write."""
    room, inbox = wake.room, lobby.inbox(claim.conversation, by=claim)
    seen = wake.messages[0].id
    yield "post", partial(room.post, "stale", by=claim)
    yield "send", partial(lobby.send, "stale", by=claim, to="lea")
    yield "reply", partial(lobby.turn(wake).reply, "stale")
    yield "turn", lobby.turn(wake).__enter__
    yield "room.acknowledge", partial(room.acknowledge, seen, by=claim)
    yield "inbox.acknowledge", partial(inbox.acknowledge, [seen])
    yield (
        "save_checkpoint",
        partial(inbox.save_checkpoint, "stale", base=0, covered_receipt_seq=0),
    )
    yield "ready", partial(claim.ready, 0, claim.nonce)
    yield "bootstrap", claim.bootstrap
    yield "take_wakes", partial(lobby.take_wakes, conversations=[claim])
    yield "create_room", partial(lobby.create_room, "stale", by=claim)
    yield "leave", partial(room.leave, by=claim)
    yield "rest", partial(room.rest, by=claim)
    yield "set_status", partial(lobby.set_status, "stale", by=claim)
    yield "remember", partial(room.memory.remember, "stale", kind="gotcha", by=claim)
    yield (
        "reconnect",
        partial(claim.conversation.claim, claim.runtime, generation=claim.generation),
    )


def tried(lobby: Lobby, stopping: Stopping, *, inside: bool, expires: bool) -> Any:
    """With what code each write was refused behind a stop."""
    claim = lobby.conversation("ben").claim("r-1")
    claim.ready(0, claim.nonce)
    hold = HOLD if expires else timedelta(minutes=15)
    [wake] = lobby.take_wakes(conversations=[claim], hold_for=hold, limit=1)
    every = dict(writes(lobby, claim, wake))
    if expires:  # the wake is somebody else's then, and all else still the claim's
        every = {name: every[name] for name in ("reply", "turn")}
    if inside:
        stopping.armed = True  # in the first that is tried
    else:
        stop()
    first = "reply" if expires else "post"
    return {name: code(every[name]) for name in dict.fromkeys([first, *every])}


def main() -> None:
    """Is stopped and goes on, as often as it is asked to."""
    path, seed = sys.argv[1:]
    random, stopping = Random(int(seed)), Stopping()
    with Lobby.open(path) as lobby:
        lobby.register(stopping)
        for line in sys.stdin:
            inside, expires = random.random() < 0.5, line == "expires\n"
            given = tried(lobby, stopping, inside=inside, expires=expires)
            sys.stdout.write(json.dumps(given) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
