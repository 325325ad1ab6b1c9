"""
One of several processes that ask for the same sends at once.

    python senders.py NUMBER

Reads a seed and a file's URL a line, asks for every request of that stream in its
order, some of them again, and writes how often it was the first.
"""

from __future__ import annotations

import random
import sys
from itertools import count
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent.parent))

from lobby.place import NOON
from lobby.test_send_streams import Asked, stream_of
from rooms import Lobby
from rooms.storage import open_storage

MINE = 1_000_000


def main(number: int) -> None:
    numbers = count(MINE * (number + 1))
    for line in sys.stdin:
        seed, url = line.split(maxsplit=1)
        draw = random.Random(f"sender {number} of {seed}")
        lobby = Lobby(
            open_storage(url.strip()),
            clock=lambda: NOON,
            ids=lambda prefix: f"{prefix}_{next(numbers)}",
            salt=lambda: b"s" * 16,
        )
        first, done = 0, list[Asked]()
        with lobby:
            for asked in stream_of(int(seed)):
                first += not asked.ask(lobby, draw, plainly=True)
                done.append(asked)
                for again in draw.sample(done, draw.randrange(min(3, len(done)) + 1)):
                    assert again.ask(lobby, draw)
        sys.stdout.write(f"{first}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
