"""
A process that lives a day on a file of the driver as it is, and says what became of it.

    python daily.py DATABASE

Each line on its standard output is a JSON list:

    ["shown", name, seq, content]   a post returned
    ["failed", name, code]          a call raised a `StorageError`; it is made again
    ["done"]                        every call succeeded, at last
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from lobby.campaign.day import Day
from rooms import SQLiteStorage
from rooms.errors import StorageError

TRIES = 3


def say(*words: Any) -> None:
    """One report, which is out before anything else happens."""
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def opened(path: str) -> SQLiteStorage | None:
    """The file, opened at the first or a later try."""
    for _ in range(TRIES):
        try:
            return SQLiteStorage(path, busy_timeout=1)
        except StorageError as error:
            say("failed", "", error.code)
    return None


def succeeds(day: Day, name: str) -> bool:
    """Makes a call, some times if need be."""
    for _ in range(TRIES):
        try:
            day.do(name)
        except StorageError as error:
            say("failed", name, error.code)
        else:
            return True
    return False


def main() -> None:
    """Lives until the file system lets nothing more be done."""
    storage = opened(sys.argv[1])
    if storage is None:
        return
    day = Day(storage)
    said = dict[str, Any]()
    for name in day.calls:
        if not succeeds(day, name):
            return
        for post in day.shown.keys() - said.keys():
            said[post] = day.shown[post].message
            say("shown", post, said[post].seq, said[post].content)
    say("done")


if __name__ == "__main__":
    main()
