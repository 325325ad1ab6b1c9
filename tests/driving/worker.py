"""A process that drives a room of a file until nobody is next: `worker.py FILE OUT`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from rooms import Lobby
from rooms.driving import View, drive


def main(file: str, out: str) -> None:
    """Drives, and notes when each turn began and ended."""
    with (
        Lobby.open(f"sqlite:///{file}?durability=relaxed") as lobby,
        Path(out).open("w", encoding="utf-8") as notes,
    ):

        def speak(_: Any, view: View) -> str:
            began = time.monotonic_ns()
            time.sleep(0.002)
            notes.write(f"{view.name} {view.round} {began} {time.monotonic_ns()}\n")
            notes.flush()
            return "@eve @ada on"

        room = lobby.room("panel")
        for _ in range(2_000):
            if drive(room, speak, limit=1).reason == "round_cap":
                break
            time.sleep(0.001)


if __name__ == "__main__":
    main(*sys.argv[1:])
