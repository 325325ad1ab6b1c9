"""
`rooms log DB`: what was recorded, an event a line.

What people worded is shown on request alone; everything else is in the header.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import CorruptLog, NotFound, RoomsError
from rooms.rendering.showing import listed, shown

if TYPE_CHECKING:
    from rooms.log.records import Record
    from rooms.storage import Storage

__all__ = ["add_to", "rooms_in", "stream_called"]

_LONGEST_WORDS = 2_000
_NAMED = 8  # as many rooms as a refusal shows
_UNSHOWN = ("by", "rules", "keys")


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "log",
        help="show what was recorded, an event a line",
        description="Prints the events of a lobby in the order of their commits: the"
        " position, the time, the stream and the version in it, the type, who did it,"
        " and what was decided. The file is not changed.",
        epilog="Exit code: 0 all was shown, 1 a record is damaged, 2 the file or an"
        " argument cannot be used.",
    )
    command.add_argument("database", metavar="DB", help="the lobby's file")
    command.add_argument("--room", metavar="NAME", help="only this room, by name or id")
    command.add_argument("--limit", type=int, metavar="N", help="at most N events")
    command.add_argument(
        "--after",
        type=int,
        default=0,
        metavar="POSITION",
        help="only events behind this position",
    )
    command.add_argument(
        "--words", action="store_true", help="show also what people worded"
    )
    command.add_argument("--json", action="store_true", help="a JSON object a line")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the events; 1 if one cannot be read, else 0."""
    from rooms.storage.sqlite.reading import reading  # noqa: PLC0415 - loads SQLite

    values.whole_number("--after", arguments.after, at_least=0)
    if arguments.limit is not None:
        values.whole_number("--limit", arguments.limit, at_least=1)
    code = 0
    with reading(arguments.database) as storage:
        for record in _chosen(storage, arguments):
            try:
                said = _said(record)
            except CorruptLog as error:
                code, said = 1, {"damaged": error.args[0]}
            if arguments.json:
                print(json.dumps(_object(record, said, words=arguments.words)))
            else:
                print(_line(record, said, words=arguments.words))
    return code


def _chosen(storage: Storage, arguments: argparse.Namespace) -> Iterator[Record]:
    stream = None if arguments.room is None else stream_called(storage, arguments.room)
    left = arguments.limit
    for record in _records(storage, stream, arguments.after):
        if left == 0:
            return
        left = left and left - 1
        yield record


def stream_called(storage: Storage, room: str) -> str:
    """
    The stream of a room, by its name or its id; a room of two has only the latter.

    Raises:
        NotFound: `room_not_found`.
    """
    from rooms.lobby.access.creating import room_called  # noqa: PLC0415 - loads the lobby
    from rooms.lobby.recording.streams import room_stream  # noqa: PLC0415

    stream = room_stream(room_called(storage, room))
    if not storage.head(stream).version:
        there = listed(rooms_in(storage)) or "there is none"
        raise NotFound(
            "room_not_found",
            f"no room {room[:80]!a} is known; in the file: {there}",
            room=room,
        )
    return stream


def rooms_in(storage: Storage) -> Iterator[str]:
    """What rooms may be called here: their ids, and their names where they are read."""
    from rooms.lobby import Lobby  # noqa: PLC0415 - loads the lobby

    lobby = Lobby(storage)  # never closed: that would keep snapshots
    for number, stream in enumerate(storage.streams("room:")):
        room = stream.removeprefix("room:")
        try:
            yield f"{room} ({lobby.room(room).name})" if number < _NAMED else room
        except RoomsError:
            yield room


def _records(storage: Storage, stream: str | None, after: int) -> Iterator[Record]:
    from rooms.storage.walking import records_of, scanned  # noqa: PLC0415

    if stream is None:
        return scanned(storage, after=after)
    records = records_of(storage, stream)
    return (record for record in records if record.position > after)


def _said(record: Record) -> dict[str, Any]:
    """The header and the words of a record."""
    from rooms.log.records import parsed  # noqa: PLC0415 - loaded with the storage

    where = f"{record.stream} {record.version}"
    words = None if record.body is None else parsed(record.body, where=where)
    return {"header": parsed(record.header, where=where), "words": words}


def _line(record: Record, said: dict[str, Any], *, words: bool) -> str:
    start = (
        f"{record.position:>6}  {_time(record)}  {shown(record.stream)}"
        f" {record.version}  {shown(record.type)}"
    )
    if "damaged" in said:
        return f"{start}  DAMAGED: {shown(said['damaged'], at_most=200)}"
    header = said["header"]
    parts = [start, f" by {shown(str(header.get('by', '')))}"]
    parts += [
        f"{shown(name)}={shown(_text(value))}"
        for name, value in header.items()
        if name not in _UNSHOWN
    ]
    if _is_erased(record):
        parts.append("(its words were erased)")
    elif words and said["words"]:
        parts += [
            f"{shown(name)}={shown(_text(value), at_most=_LONGEST_WORDS)}"
            for name, value in said["words"].items()
        ]
    return " ".join(parts)


def _object(record: Record, said: dict[str, Any], *, words: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "position": record.position,
        "at": _time(record),
        "stream": record.stream,
        "version": record.version,
        "type": record.type,
        "erased": _is_erased(record),
        **said,
    }
    if not words:
        told.pop("words", None)
    return told


def _is_erased(record: Record) -> bool:
    return record.body is None and bool(record.digest)


def _time(record: Record) -> str:
    at = values.moment(record.at)
    return f"{record.at}us" if at is None else f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
