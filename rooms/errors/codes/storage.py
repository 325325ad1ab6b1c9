"""The log and what it is kept in."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["STORAGE"]

STORAGE: Mapping[str, Code] = {
    "storage_busy": Code(
        "Another process held the storage for longer than the busy timeout.",
        "Try the same call again, with the same request id; not where the error's"
        " `recorded` is true: then it is done, but for the -wal file.",
        503,
    ),
    "storage_full": Code(
        "The disk or the database's page limit is full; nothing was recorded.",
        "Free space and try again; reading goes on meanwhile.",
        507,
    ),
    "storage_failed": Code(
        "The storage failed in a way that the details name.",
        "Look at the file and the disk; try again with the same request id.",
        500,
    ),
    "unsupported_schema": Code(
        "The file is no database of ours, or one that this version cannot read.",
        "Open another path, or the file with the version that wrote it.",
        500,
    ),
    "unsupported_event": Code(
        "The stream holds a critical event that this version does not know.",
        "Read it as it is; write to it with the version that wrote the event.",
        500,
    ),
    "corrupt_log": Code(
        "A stored record is not what was written.",
        "Run `rooms verify`; restore the file or import an export.",
        500,
    ),
    "closed": Code(
        "The storage or the lobby was closed, or belongs to another process.",
        "Open it again; after a fork, open one in the child.",
        500,
    ),
    "key_held": Code(
        "A commit adds a key that is held already.",
        "For authors of storages: the shell answers it from what holds the key.",
        409,
    ),
    "version_conflict": Code(
        "A stream moved on between reading and writing.",
        "For authors of storages: the shell folds the news in and decides again.",
        409,
    ),
    "erased_meanwhile": Code(
        "A message with files was erased, or expired, while the log was exported.",
        "Export again: what was written so far is no whole log.",
        409,
    ),
    "not_empty": Code(
        "What an import or an export should fill holds something else already.",
        "Import into a storage that holds nothing, export into a new folder.",
        409,
    ),
}
