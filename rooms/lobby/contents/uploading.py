"""
Uploading: a content is handed in before the message that carries it.

Three laws. It is noted before it is stored, so that what a crash left behind lapses.
Whoever handed it in may send it, by its digest alone, and so may who sent it before, as
long as that message is kept; nobody else may (L-ATT-05). And what a message took waits
no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

from attrs import evolve

from rooms.errors import InvalidInput, NotFound
from rooms.lobby.contents import capacity
from rooms.lobby.contents.values import Uploaded
from rooms.lobby.derived.carried import uploader_of
from rooms.lobby.handles import actor_of
from rooms.lobby.posting.uploading import (
    IN_MEMORY,
    PIECE,
    Uploads,
    check_content,
    spooled,
)
from rooms.lobby.recording.fence import check_claimed, check_fence
from rooms.log.actors import Actor
from rooms.log.media import BEGINS, media_type
from rooms.log.posting import AttachedFile, check_left, upload_required

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["found", "lapse", "staged", "take", "upload"]

_LARGE = 4 << 20


def upload(
    desk: Desk, content: Any, *, by: Any, sha256: str | None, now: datetime | None
) -> Uploaded:
    """As `Contents.upload`, which documents it."""
    actor = actor_of(by, desk)
    expected = None if sha256 is None else Uploaded(sha256).sha256
    check_content("content", content)
    desk.check_usable()
    desk.check_known(actor)
    with desk.lock:
        _check_may_act(desk, actor)
    most = desk.max_file_bytes
    room = None if most is None else (most, "max_file_bytes")
    who = uploader_of(actor)
    with SpooledTemporaryFile(IN_MEMORY) as spool:
        check = partial(check_left, left=room)
        file = spooled("", content, spool, check, field="content")
        if expected not in {None, file.content}:
            raise InvalidInput(
                "content",
                "is not what its digest says",
                allowed=expected,
                code="attachment_hash_mismatch",
                sha256=file.content,
            )
        with desk.lock:
            _check_may_act(desk, actor)
            if not _is_kept(desk, file.content):
                capacity.check(desk, file.size)
            _note(desk, who, file, desk.time(now))
        _put(desk, spool)
    return Uploaded(file.content, file.size, file.kind)


def _check_may_act(desk: Desk, actor: Actor) -> None:
    check_fence(desk, actor)
    check_claimed(desk, actor)


def _note(desk: Desk, who: str, file: AttachedFile, at: int) -> None:
    desk.uploads.add(who, file.content, at=at, size=file.size, text=file.text)


def _put(desk: Desk, spool: SpooledTemporaryFile[bytes]) -> None:
    spool.seek(0)
    desk.storage.put_blob(iter(partial(spool.read, PIECE), b""))


@contextmanager
def staged(desk: Desk, by: Actor, uploads: Uploads) -> Iterator[None]:
    """
    Stores large contents before the message that carries them, as if they were handed
    in: so whoever else writes waits for no more than a part of them. What no message
    took in this context goes at its end, and after a crash in an hour.
    """
    who, here = uploader_of(by), list[str]()
    try:
        for file, spool in uploads.read():
            if file.size < _LARGE:
                continue
            with desk.lock:
                if _is_kept(desk, file.content):
                    continue
                _note(desk, who, file, desk.time(None))
            here.append(file.content)
            _put(desk, spool)
        yield
    finally:
        if here:
            with desk.lock:
                _let_go(desk, [(who, content) for content in here])


def found(
    desk: Desk, by: Actor, files: Sequence[AttachedFile]
) -> tuple[AttachedFile, ...]:
    """
    The files of a message, what is said of those that were handed in before taken from
    what they are; one that its sender does not have is marked. The lock is held.

    Raises:
        InvalidInput: `attachment_mismatch`.
    """
    who, fresh = uploader_of(by), set[str]()
    counts = desk.max_file_bytes is not None or desk.disk_reserve is not None
    every = []
    for file in files:
        one = _had(desk, who, file) if file.given else file
        if counts and not one.given and one.content not in fresh:
            fresh.add(one.content)
            if not _is_kept(desk, one.content):
                one = evolve(one, fresh=one.size)
        every.append(one)
    return tuple(every)


def _is_kept(desk: Desk, content: str) -> bool:
    return bool(
        desk.carried.size(content) is not None or desk.uploads.waiting_for(content)
    )


def _had(desk: Desk, who: str, file: AttachedFile) -> AttachedFile:
    content = file.content
    had = desk.uploads.of(who, content) or desk.carried.sent_by(who, content)
    begins = None if had is None else _begins(desk, content)
    if had is None or begins is None:
        return evolve(file, missing=True)
    size, text = had
    kind = media_type(file.path, begins, text=text)
    if file.size not in {-1, size} or not _agrees(file.kind, kind, text=text):
        raise InvalidInput(
            f"attachments[{file.path[:80]!a}]",
            "is said to be what it is not",
            allowed=f"{size} bytes of {kind}",
            code="attachment_mismatch",
            path=file.path,
        )
    return evolve(file, size=size, text=text, kind=kind)


def _agrees(said: str, kind: str, *, text: bool) -> bool:
    """Whether a media type that somebody names is no contradiction."""
    if not said:
        return True
    if said.startswith("image/") or kind.startswith("image/"):
        return said == kind
    return text or not said.startswith("text/")


def _is_stored(desk: Desk, content: str) -> bool:
    return _begins(desk, content) is not None


def _begins(desk: Desk, content: str) -> bytes | None:
    """How a content begins; None where it is not stored."""
    try:
        pieces = desk.storage.blob(content)
    except NotFound:
        return None
    return next(pieces, b"")[:BEGINS]


def take(desk: Desk, by: Actor, uploads: Uploads) -> None:
    """
    Stores what a message carries, and lets it wait for none any more; in the commit of
    that message.

    Raises:
        Conflict: `attachment_upload_required` for what lapsed in this very moment.
    """
    who = uploader_of(by)
    missing = []
    for file, spool in uploads.read():
        if file.size < _LARGE or not _is_stored(desk, file.content):
            _put(desk, spool)
    for file in uploads.files:
        if file.given and not _is_stored(desk, file.content):
            missing.append(file.content)
        desk.uploads.remove(who, file.content)
    if missing:
        raise upload_required(missing)


def lapse(desk: Desk, *, now: datetime | None) -> int:
    """Takes away what waited for too long; how many contents of how many senders."""
    desk.check_usable()
    with desk.lock:
        due = desk.uploads.due(desk.time(now))
        if due:
            _let_go(desk, due)
    return len(due)


def _let_go(desk: Desk, waiting: Sequence[tuple[str, str]]) -> None:
    """Some contents wait no more, and go where no message carries them."""
    with desk.storage.writing(whole=True):
        for who, content in waiting:
            desk.uploads.remove(who, content)
        desk.filed.forget(dict.fromkeys(content for _, content in waiting))
