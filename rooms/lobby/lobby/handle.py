"""
The lobby: one namespace of agents, persons and rooms over one storage.

Three laws. The library opens no socket, starts no thread, sleeps never and calls no
model: a host drives it. One storage is one lobby, in any threads and several processes,
with one handle a process (foundation 17). And what a call acknowledges is stored.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any, Self

from rooms.errors import InvalidInput
from rooms.lobby.desk import Desk
from rooms.lobby.lobby.identities import Identities
from rooms.lobby.lobby.keeping import Keeping
from rooms.lobby.lobby.looking import Looking
from rooms.lobby.lobby.resting import Resting
from rooms.lobby.lobby.rooms import Rooms
from rooms.lobby.lobby.teaming import Teaming
from rooms.lobby.lobby.waking import Waking
from rooms.lobby.recording.batching import batch
from rooms.lobby.transfer.opening import imported, opened
from rooms.storage import Storage

__all__ = ["Lobby"]


def _now() -> datetime:
    return datetime.now(UTC)


def _id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(8)}"


_salt = partial(os.urandom, 16)


class Lobby(Identities, Rooms, Teaming, Waking, Resting, Looking, Keeping):
    """
    Opens a storage as a lobby.

    Args:
        storage: Where it is kept; the lobby closes it.
        clock: What tells the time where a call is given none: an aware datetime.
        ids: What makes an id from a prefix; unique in the lobby.
        salt: What makes the 16 bytes that a body's digest is salted with.
        hives: Whether an agent has a hive for whom nobody switched it (G-HIVE-02).
        max_agents: How many agents it holds at most; None sets no end.
        max_rooms: How many rooms it holds at most, those of direct messages and hives
            aside; None sets no end.
        max_file_bytes: How many bytes the files of all messages have at most, equal
            contents counted once; None sets no end.
        disk_reserve: How many bytes of the storage's disk new files leave free; None
            for none.
        default_access: What a room is whose creator says nothing, `open` or
            `invite_only` (G-ACCESS-02).

    With the same commands, times, ids and salts the log is the same, byte for byte.

    Any call may raise `InvalidInput` that names the argument which is wrong, such as
    `naive_time` for a `now` without a time zone, and `StorageError`: `closed` after
    `close` and after a fork, `storage_busy`, `storage_full`, `storage_failed`,
    `corrupt_log`. Whatever raises has recorded nothing, but for a `StorageError` that
    says so (`StorageError.recorded`). A call that changes something may also raise
    `NotAllowed` with `unsupported_event`, where a later version wrote what this one may
    not ignore.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], datetime] = _now,
        ids: Callable[[str], str] = _id,
        salt: Callable[[], bytes] = _salt,
        hives: bool = False,
        default_access: str = "open",
        max_agents: int | None = None,
        max_rooms: int | None = None,
        max_file_bytes: int | None = None,
        disk_reserve: int | None = None,
    ) -> None:
        given: Any = storage
        if not callable(getattr(given, "streams", None)):
            raise InvalidInput(
                "storage",
                f"is of type {type(given).__name__}, which has no call `streams`",
                allowed="what has every call of rooms.storage.Storage;"
                " Lobby.open(...) takes a path or a URL",
            )
        self._desk = Desk(
            storage,
            clock=clock,
            ids=ids,
            salt=salt,
            hives=hives,
            default_access=default_access,
            max_agents=max_agents,
            max_rooms=max_rooms,
            max_file_bytes=max_file_bytes,
            disk_reserve=disk_reserve,
        )

    @classmethod
    def open(
        cls,
        where: str | os.PathLike[str],
        *,
        plugins: str | None = None,
        allow: Iterable[str] | None = None,
        **options: Any,
    ) -> Lobby:
        """
        Opens a lobby by its path or storage URL; a file that is not there is made.

        Args:
            where: A path, `sqlite:///team.db?durability=full`, `memory:`, or a URL
                whose scheme a plugin brings.
            plugins: `entrypoints` loads what installed packages announce; None nothing.
            allow: The names of the plugins that may be loaded, and have to be there.
            options: `clock`, `ids`, `salt`, `hives`, `default_access`, `max_agents`,
                `max_rooms`, `max_file_bytes` and `disk_reserve`, as for `Lobby`.

        Raises:
            UnsupportedSchema: `unsupported_schema` for a file that is no lobby of ours;
                it is not touched.
            StorageError: `storage_failed` where the file cannot be opened.
            InvalidInput: `invalid_request` for an unknown scheme, option or plugin.
        """
        storage, loaded = opened(where, plugins, allow)
        lobby = cls(storage, **options)
        lobby._desk.plugins = loaded
        return lobby

    @classmethod
    def import_from(
        cls, lines: Iterable[str], where: str | os.PathLike[str], **options: Any
    ) -> Lobby:
        """
        Opens a new lobby with the log that `export` wrote; all of it or nothing.

        Args:
            lines: The lines in their order, for example an open file.
            where: As for `open`: a storage that holds nothing yet.
            options: `clock`, `ids`, `salt` and `hives`, as for `Lobby`.

        Raises:
            InvalidInput: `invalid_json` or `too_large`, with the number of the `line`.
            CorruptLog: `corrupt_log`, with the `line`, for what was changed or cut.
            UnsupportedSchema: `unsupported_schema` for what is no export.
            Conflict: `not_empty`.
        """
        return cls(imported(lines, where), **options)

    @classmethod
    def in_memory(cls, **options: Any) -> Lobby:
        """A lobby that lasts as long as this handle."""
        from rooms.storage.memory import MemoryStorage  # noqa: PLC0415

        return cls(MemoryStorage(), **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """
        Keeps snapshots of what grew, and lets the storage go; twice is no fault.

        Receipts, wakes and messages stay readable.
        """
        desk = self._desk
        if not desk.usable:  # after a fork it is the parent's to close
            return
        with desk.lock:
            desk.close()
            try:
                desk.commits.save_snapshots(every=1)
            finally:
                desk.storage.close()

    def register(self, plugin: Any, name: str | None = None) -> str:
        """
        Adds a plugin, whose hooks are called from now on; returns its name.

        Raises:
            InvalidInput: `unknown_hook` for a hook that does not exist, with the one
                that was likely meant; `invalid_request` for any other mistake in it.
        """
        from rooms.hooks import Plugins  # noqa: PLC0415 - loads pluggy

        if self._desk.plugins is None:
            self._desk.plugins = Plugins()
        known = self._desk.plugins.register(plugin, name)
        self._desk.uncarried.clear()
        return known

    def batch(self) -> AbstractContextManager[None]:
        """
        Makes all that is recorded inside it durable in one commit of the storage.

        `with lobby.batch():` costs one wait for the disk and not one for each call.
        Each call is decided, refused and recorded as it would be alone, but it is
        durable only when the block has ended; what was accepted before the block raised
        stands. Meanwhile no other thread or process writes, so keep it short. Where a
        plugin has to be asked, each call is a commit of its own.

        Raises:
            StorageError: At the end of the block, where the storage fails to commit:
                nothing that was done inside is stored, whatever the calls returned.
        """
        return batch(self._desk)
