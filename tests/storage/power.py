"""
Losing power, many times over: a file system that remembers, and the images it could
have left.

A recording VFS logs each write, truncation, sync and deletion while a storage works,
and each acknowledgement that it gave. An image is that log cut at some point: what was
written up to a file's last sync is there; of the rest nothing, a beginning, a random
half, or a beginning with a torn last write. Deletions hold. SQLite keeps its index of
the -wal file in memory here, since that of the -shm file would not survive either.
"""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import apsw
from attrs import Factory, define, frozen

from rooms.storage import SQLiteStorage
from storage.through_apsw import opened

__all__ = ["Log", "RecordedStorage", "image"]


@frozen
class Event:
    """One thing that the disk was told, or one acknowledgement (`acked`)."""

    kind: str
    suffix: str = ""
    offset: int = 0
    content: bytes = b""
    count: int = 0


@define
class Log:
    """What happened, in its order, on top of the files as they were at first."""

    base: dict[str, bytes]
    events: list[Event] = Factory(list)

    def acked(self, cut: int) -> int:
        """How many commits had been acknowledged by then."""
        counts = (one.count for one in self.events[:cut] if one.kind == "acked")
        return max(counts, default=0)


class _File(apsw.VFSFile):
    def __init__(self, log: Log, base: str, name: Any, flags: list[int]) -> None:
        self._log = log
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._suffix = path.rpartition(".db")[2]
        super().__init__(base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        content = bytes(data)
        self._log.events.append(Event("write", self._suffix, offset, content))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        self._log.events.append(Event("truncate", self._suffix, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._log.events.append(Event("sync", self._suffix))
        super().xSync(flags)


class _Disk(apsw.VFS):
    def __init__(self, name: str, log: Log) -> None:
        self._log = log
        super().__init__(name, "", maxpathname=0)

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802
        return _File(self._log, "", name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self._log.events.append(Event("delete", filename.rpartition(".db")[2]))
        super().xDelete(filename, syncdir)


class RecordedStorage(SQLiteStorage):
    """The library's own storage, on a disk that remembers."""

    def __init__(self, path: Path, *, durability: str, pages: int) -> None:
        SQLiteStorage(path).close()
        self.log = Log({"": path.read_bytes()})
        self._pages = pages
        super().__init__(path, durability=durability)

    def _connect(self, *, durability: str, busy_timeout: int) -> sqlite3.Connection:
        self._disk = _Disk(f"remembers-{id(self)}", self.log)
        return opened(
            str(self.path),
            vfs=f"remembers-{id(self)}",
            durability=durability,
            busy_timeout=busy_timeout,
            pages=self._pages,
        )

    def acknowledged(self, count: int) -> None:
        self.log.events.append(Event("acked", count=count))


def image(log: Log, cut: int, source: random.Random, path: Path) -> None:
    """Write the files as a loss of power at that point could have left them."""
    happened = [one for one in log.events[:cut] if one.kind != "acked"]
    suffixes = {one.suffix for one in happened} | set(log.base)
    for suffix in suffixes:
        own = [one for one in happened if one.suffix == suffix]
        synced = max(
            (at + 1 for at, one in enumerate(own) if one.kind in {"sync", "delete"}),
            default=0,
        )
        content: bytearray | None = None
        if suffix in log.base:
            content = bytearray(log.base[suffix])
        for one in [*own[:synced], *_survivors(own[synced:], source)]:
            content = _applied(content, one)
        target = path.with_name(path.name + suffix)
        if content is not None:
            target.write_bytes(content)


def _survivors(unsynced: list[Event], source: random.Random) -> list[Event]:
    kind = source.randrange(4)
    if kind == 0 or not unsynced:
        return []
    if kind == 1:
        return [one for one in unsynced if source.random() < 0.5]
    kept = unsynced[: source.randrange(len(unsynced)) + 1]
    if kind == 3 and kept[-1].kind == "write":
        last = kept[-1]
        torn = source.randrange(len(last.content) + 1)
        kept[-1] = Event("write", last.suffix, last.offset, last.content[:torn])
    return kept


def _applied(content: bytearray | None, one: Event) -> bytearray | None:
    if one.kind == "delete":
        return None
    content = bytearray() if content is None else content
    if one.kind == "truncate":
        del content[one.offset :]
    elif one.kind == "write":
        missing = one.offset - len(content)
        content += b"\0" * max(0, missing)
        content[one.offset : one.offset + len(one.content)] = one.content
    return content
