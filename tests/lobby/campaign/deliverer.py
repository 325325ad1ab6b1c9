"""
A process that delivers what is due, instant by instant, until it is killed.

    python deliverer.py DATABASE COMMIT WHEN FIRST INSTANT ...

It begins with the instant at that place, from 0. In its COMMIT-th commit, from 1, it
kills itself (SIGKILL): `before` that is committed, when all of it is written, or
`after`; 0 for somebody else to do so. Each line on its standard output is a JSON list,
written out before the next call:

    ["delivering", place]    before what is due at that instant is delivered
    ["done"]                 all is delivered
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import datetime
from typing import Any

from rooms import Lobby, SQLiteStorage


def say(*words: Any) -> None:
    """One report, which is out before anything else happens."""
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def doom(storage: SQLiteStorage, commit: int, when: str) -> None:
    """Has this process die in that one of its commits."""
    end, number = storage._database.end, 0

    def ending(sql: str) -> None:
        nonlocal number
        number += sql == "COMMIT"
        is_last = sql == "COMMIT" and number == commit
        if is_last and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        end(sql)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    storage._database.end = ending  # type: ignore[method-assign]


def main() -> None:
    """Delivers until nothing is left, or until it dies."""
    path, commit, when, first, *instants = sys.argv[1:]
    storage = SQLiteStorage(path)
    doom(storage, int(commit), when)
    with Lobby(storage) as lobby:
        for place in range(int(first), len(instants)):
            say("delivering", place)
            lobby.deliver(datetime.fromisoformat(instants[place]))
    say("done")


if __name__ == "__main__":
    main()
