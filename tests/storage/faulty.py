"""A file system whose calls can be made to fail, and the library's storage on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
from attrs import define, field

from rooms.storage import SQLiteStorage
from rooms.storage.sqlite.faults import DRIVERS, translated
from storage.through_apsw import opened

__all__ = ["Faults", "FaultyStorage"]

_PAGES = 30  # of the write-ahead log: several checkpoints in a short test

_CODES = {
    "open": apsw.SQLITE_CANTOPEN,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "access": apsw.SQLITE_IOERR_ACCESS,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "size": apsw.SQLITE_IOERR_FSTAT,
    "lock": apsw.SQLITE_IOERR_LOCK,
}


@define
class Faults:
    """
    Which call of the file system fails.

    Attributes:
        kinds: Those that there were.
        at: The first one that fails, from 1; 0 for none.
        forever: Whether all after it fail too, until `heal`.
        full: Whether a write fails since the disk is full.
        hit: The kind of the call that failed last, or "".
    """

    at: int = 0
    forever: bool = False
    full: bool = False
    kinds: list[str] = field(factory=list)
    hit: str = ""

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What the test looks at meanwhile neither fails nor counts."""
        at, calls, self.at = self.at, len(self.kinds), 0
        yield
        self.at = at
        del self.kinds[calls:]

    def heal(self) -> None:
        """From here on nothing fails."""
        self.at = 0

    def count(self, kind: str) -> None:
        """Notes a call, and fails it where it is its turn."""
        self.kinds.append(kind)
        if self.at and (len(self.kinds) == self.at or (self.forever and self.hit)):
            self.hit = kind
            is_full = self.full and kind == "write"
            raise apsw.exception_for(apsw.SQLITE_FULL if is_full else _CODES[kind])


class _File(apsw.VFSFile):
    def __init__(self, faults: Faults, name: Any, flags: list[int]) -> None:
        self._faults = faults
        super().__init__("", name, flags)

    def xRead(self, amount: int, offset: int) -> Any:  # noqa: N802 - SQLite's name
        self._faults.count("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._faults.count("write")
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._faults.count("truncate")
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._faults.count("sync")  # and no more: here no power is lost

    def xFileSize(self) -> int:  # noqa: N802
        self._faults.count("size")
        return super().xFileSize()

    def xLock(self, level: int) -> None:  # noqa: N802
        self._faults.count("lock")
        super().xLock(level)

    def excepthook(self, *_: object) -> bool:
        """What SQLite takes no note of is no news."""
        return True


class _Disk(apsw.VFS):
    def __init__(self, name: str, faults: Faults) -> None:
        self._faults = faults
        super().__init__(name, "", maxpathname=0)

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802
        self._faults.count("open")
        return _File(self._faults, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self._faults.count("delete")
        super().xDelete(filename, syncdir)

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        self._faults.count("access")
        return super().xAccess(pathname, flags)

    def excepthook(self, *_: object) -> bool:
        """What SQLite takes no note of is no news."""
        return True


class FaultyStorage(SQLiteStorage):
    """The library's own storage, on a disk whose calls fail as `faults` has it."""

    def __init__(self, path: Path, faults: Faults) -> None:
        self.faults = faults
        self._name = f"fails-{id(faults)}"
        self._disk = _Disk(self._name, faults)
        try:
            super().__init__(path)
        except BaseException:
            self._disk.unregister()
            raise

    def _connect(self, *, durability: str, busy_timeout: int) -> sqlite3.Connection:
        try:
            return opened(
                str(self.path),
                vfs=self._name,
                durability=durability,
                busy_timeout=busy_timeout,
                pages=_PAGES,
            )
        except DRIVERS as error:  # as `rooms.storage.sqlite.opening.connect` does
            raise translated(error) from error

    def close(self) -> None:
        """As ever; nothing is left of the disk."""
        super().close()
        self._disk.unregister()
