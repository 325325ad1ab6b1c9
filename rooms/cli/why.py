"""
`rooms why DB MESSAGE [WHO]`: why a message woke somebody, or did not.

Law: what is told is what the log says of that message, and what is derived says so.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from attrs import asdict

from rooms.cli.log import rooms_in, stream_called
from rooms.errors import InvalidInput, NotFound
from rooms.rendering.showing import listed, shown

if TYPE_CHECKING:
    from rooms.log.explaining import Explanation, SeatExplanation
    from rooms.storage import Storage

__all__ = ["add_to"]

_LONGEST_LINE = 2_000
_MOST_DIGITS = 16


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "why",
        help="explain why a message woke somebody, or did not",
        description="Tells what a message was to every seat of its room: woken, held or"
        " not, by which rule, which messages filled the window, what would have woken"
        " it, and what became of it since. The file is not changed.",
        epilog="Exit code: 0 it was told, 1 a record is damaged, 2 the file, the"
        " message or the seat cannot be found.",
    )
    command.add_argument("database", metavar="DB", help="the lobby's file")
    command.add_argument(
        "message", metavar="MESSAGE", help="its id; or its number, with --room"
    )
    command.add_argument(
        "who", metavar="WHO", nargs="?", help="only this agent, or agent/label"
    )
    command.add_argument("--room", metavar="NAME", help="the room of a number")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the explanation; 0."""
    from rooms.storage.sqlite.reading import reading  # noqa: PLC0415 - loads SQLite

    with reading(arguments.database) as storage:
        told = _explained(storage, arguments.message, arguments.room)
    seats = told.seats if arguments.who is None else (_seat(told, arguments.who),)
    if arguments.json:
        head = {"seq": told.seq, "at": told.at, "sender": told.sender}
        print(json.dumps(head | {"seats": [asdict(seat) for seat in seats]}))
        return 0
    lines = [str(told).partition("\n")[0], *(str(seat) for seat in seats)]
    for line in "\n".join(lines).splitlines():
        print(shown(line, at_most=_LONGEST_LINE))
    return 0


def _explained(storage: Storage, message: str, room: str | None) -> Explanation:
    from rooms.lobby import Lobby  # noqa: PLC0415 - loads the lobby
    from rooms.log.records import record_id, room_of_record  # noqa: PLC0415

    lobby = Lobby(storage)  # never closed: that would keep snapshots
    if message.isdecimal():
        if room is None:
            raise InvalidInput(
                "--room",
                "is missing, and a number is one of a room",
                allowed=listed(rooms_in(storage)) or "there is no room",
            )
        stream = stream_called(storage, room)
        seq = int(message) if len(message) < _MOST_DIGITS else 0
        found = storage.messages(stream, after=seq - 1, limit=1) if seq else []
        if not found or found[0].seq != seq:
            raise NotFound(
                "unknown_message",
                f"{shown(room)} has no message {shown(message)}",
                seqs=[seq],
            )
        name = stream.removeprefix("room:")
        return lobby.room(name).explain(record_id(name, found[0].version))
    return lobby.room(room_of_record(message) or "-").explain(message)


def _seat(told: Explanation, who: str) -> SeatExplanation:
    names = {seat.name.removeprefix("agent:"): seat for seat in told.seats}
    wanted = who.removeprefix("agent:")
    alike = [name for name in names if name.partition("/")[0] == wanted]
    if wanted in names:
        return names[wanted]
    if len(alike) == 1:
        return names[alike[0]]
    if wanted.startswith("person:") or wanted == told.sender:
        raise NotFound(
            "unknown_address",
            f"{shown(who)} is a person, and only agents are woken;"
            f" there were {listed(names)}",
            alternatives=sorted(names),
        )
    raise NotFound(
        "unknown_address",
        f"{shown(who)} is no agent that was in the room then; there were"
        f" {listed(names)}",
        alternatives=sorted(alike or names),
    )
