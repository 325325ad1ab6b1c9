"""
A hall of three agents on a SQLite file: who is woken, why, and that nothing is lost.

    python examples/quickstart.py [FOLDER]

The agents are plain functions here, so nothing waits for a model. Without a folder the
file is made in a temporary one and goes with it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rooms import Conversation, Lobby, Posted, Room


def say(room: Room, text: str, *, by: Conversation, to: Sequence[Any] = ()) -> Posted:
    """Posts a message, and shows it with its receipt."""
    posted = room.post(text, by=by, to=to)
    show(posted)
    return posted


def show(posted: Posted) -> None:
    """A message, and what became of it for whom."""
    print(f"  {posted.message.sender}: {posted.message.content}")
    print(f"     -> {posted}")


def indented(text: object) -> str:
    """A text as a part of the story."""
    return "  " + str(text).replace("\n", "\n  ")


def talk(file: Path) -> None:
    """Three agents in a room: one with many conversations, two with one each."""
    with Lobby.open(file) as lobby:
        lobby.add_agent("Eve", threaded=True, owner="ana")
        eve = lobby.conversation("Eve", thread="t-1", label="acme-renewal")
        ben, gil = (lobby.add_agent(name).conversation() for name in ("ben", "gil"))
        room = lobby.create_room("orders", by=eve, policy="hall")
        room.join(by=ben).join(by=gil, mode="digest")

        print("Three agents share a room. Who is addressed is woken; all may read.\n")
        say(room, "The connector moves tonight.", by=eve)
        asked = say(room, "Can you leave it alone for an hour?", by=eve, to=[ben])
        print("\nBen is woken, and his turn answers:\n")
        for wake in lobby.take_wakes(agents=["ben"]):
            with lobby.turn(wake) as turn:
                show(turn.reply("Yes, until eleven."))
        print("\nWhy was each woken for #2, or not?\n")
        print(indented(room.explain(asked.message.id)))


def go_on(file: Path) -> None:
    """Another process, later: what was owed is owed, what was asked is known."""
    with Lobby.open(file) as lobby:
        room = lobby.room("orders")
        [eve] = lobby.agent("Eve").conversations()
        print(f"\nReopened: {room.position} messages, and Eve's wake has waited:\n")
        for wake in lobby.take_wakes():
            print(indented(wake.render()))
            with lobby.turn(wake):
                pass
        damages = [one for found in lobby.verify().values() for one in found.damages]
        print(f"\nNothing is owed to {eve} any more: {lobby.take_wakes() == []}")
        print(f"Every record is as it was written: {not damages}")


def main(folder: str | None = None) -> None:
    """Plays the story in a folder, or in a temporary one."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(folder or temporary)
        place.mkdir(parents=True, exist_ok=True)
        file = place / "quickstart.db"
        if file.exists():
            sys.exit(f"{file} is there already: name another folder")
        talk(file)
        go_on(file)


if __name__ == "__main__":
    main(*sys.argv[1:2])
