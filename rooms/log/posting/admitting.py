"""
Admit: may it be said?

Law: the checks look at the room and the words alone, each refuses with its code, and
none changes anything (foundation 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rooms.errors import Conflict, InvalidInput, NotAllowed, OverLimit
from rooms.log.actors import Actor
from rooms.log.media import TEXT_NAMES, is_known, is_text_name
from rooms.log.path_keys import path_key
from rooms.log.posting.draft import AttachedFile
from rooms.log.posting.reaching import escaped_bytes
from rooms.log.rooms import check_open
from rooms.log.seats import member_seat
from rooms.log.state import RoomState, Seat
from rooms.pacing import frees_at
from rooms.policy import RoomPolicy
from rooms.values import moment

__all__ = [
    "check_file_count",
    "check_file_size",
    "check_left",
    "check_send_rate",
    "file_fields",
    "fitting",
    "may_attach",
    "sender_seat",
    "upload_required",
]


def sender_seat(room: RoomState, by: Actor) -> Seat | None:
    """The seat of who posts; None for a person where people post."""
    if by.kind == "conversation":
        return member_seat(room, by.id, action="post")
    if room.policy.people != "post":
        raise NotAllowed(
            "read_only_access",
            "people watch in this room and do not post",
            action="post",
        )
    return None


def check_send_rate(room: RoomState, seat: Seat | None, by: Actor, now: int) -> None:
    """
    Refuses what the sender's send window has no place for.

    Whoever has the floor may speak: its turns are bounded by rounds.
    """
    window = room.policy.send_window
    if seat is None or window is None:
        return
    if by.wake and room.floor is not None and room.floor.wake == by.wake:
        return
    limit = window.limit
    free = frees_at(limit, window.micros, seat.sends, now)
    if free != now:
        raise OverLimit(
            "send_rate",
            f"{limit} messages within {window.period} are sent already",
            limit=limit,
            retry_at=None if free is None else moment(free),
        )


def fitting(room: RoomState, text: str) -> tuple[str, int]:
    """The text within bounds, and its length before it was cut, or 0."""
    if not text.strip():
        raise InvalidInput("content", "is empty", code="body_empty")
    limit = room.policy.max_message_bytes
    if limit is not None and (size := escaped_bytes(text, limit)) > limit:
        raise OverLimit(
            "message_too_long",
            f"the text has {size} bytes as JSON, and may have {limit}",
            length=size,
            limit=limit,
        )
    most = room.policy.max_message_chars
    if most is None or len(text) <= most:
        return text, 0
    if room.policy.oversize == "truncate":
        return text[:most], len(text)
    raise OverLimit(
        "message_too_long",
        f"the text has {len(text)} characters, and may have {most}",
        length=len(text),
        limit=most,
    )


def may_attach(room: RoomState, by: Actor, count: int) -> RoomPolicy:
    """
    The policy that says how large each file may be that somebody attaches.

    Raises:
        NotAllowed: `room_deleted`, `not_a_member`, `read_only_access`;
            `may_not_attach` for a single agent where only threaded ones do (G-FILE-03).
        OverLimit: `too_many` (G-FILE-07).
    """
    check_open(room)
    check_file_count(room, sender_seat(room, by), count)
    return room.policy


def check_file_size(path: str, size: int, policy: RoomPolicy) -> None:
    """
    Whether a file is small enough (G-FILE-07, L-ATT-03).

    Raises:
        OverLimit: `too_large`, naming the option as `setting`.
    """
    limit, setting = policy.max_attachment_bytes, "max_attachment_bytes"
    texts = policy.max_text_attachment_bytes
    if texts is not None and is_text_name(path):
        limit, setting = texts, "max_text_attachment_bytes"
    if size > limit:
        raise OverLimit(
            "too_large",
            f"the file {path[:80]!a} has more than {limit} bytes",
            path=path,
            limit=limit,
            setting=setting,
        )


def _check_file_type(file: AttachedFile, policy: RoomPolicy) -> None:
    """
    Whether a message may carry a file of that type (L-ATT-02).

    Raises:
        InvalidInput: `attachment_type`.
    """
    if policy.attachment_types == "any":
        return
    if not is_known(file.path, file.kind, text=file.text):
        raise InvalidInput(
            f"attachments[{file.path[:80]!a}]",
            "is no image and no text of a known name",
            allowed="a PNG, JPEG, GIF or WebP image, or UTF-8 without a NUL named"
            f" {', '.join(TEXT_NAMES)}; say what else there is in the field `evidence`",
            code="attachment_type",
            path=file.path,
        )


def file_fields(
    room: RoomState,
    seat: Seat | None,
    files: Sequence[AttachedFile],
    left: tuple[int, str] | None,
) -> tuple[tuple[tuple[str, int, bool], ...], tuple[tuple[str, str], ...]]:
    """
    What a message records of its files: in its header, and in its body.

    Raises:
        NotAllowed: `may_not_attach`.
        OverLimit: `too_many`, `too_large`; `storage_capacity`.
        InvalidInput: `attachment_type`.
        Conflict: `attachment_upload_required` (the last of these: L-ATT-04).
    """
    check_file_count(room, seat, len(files))
    for one in files:
        check_file_size(one.path, one.size, room.policy)
        if not one.missing:
            _check_file_type(one, room.policy)
    check_left(sum(one.fresh for one in files), left)
    missing = [one.content for one in files if one.missing]
    if missing:
        raise upload_required(missing)
    header = tuple((path_key(room.id, one.path), one.size, one.text) for one in files)
    return header, tuple((one.path, one.content) for one in files)


def check_left(size: int, left: tuple[int, str] | None) -> None:
    """
    Whether there is room for new contents (L-ATT-14).

    Raises:
        OverLimit: `storage_capacity`, naming the `setting` that says so.
    """
    if left is not None and size > max(left[0], 0):
        raise OverLimit(
            "storage_capacity",
            f"{size} bytes of files are new, and there is room for {max(left[0], 0)}",
            setting=left[1],
            left=max(left[0], 0),
        )


def upload_required(contents: Iterable[str]) -> Conflict:
    """What is said of contents that their sender does not have (L-ATT-05)."""
    missing = tuple(dict.fromkeys(contents))
    return Conflict(
        "attachment_upload_required",
        f"the sender has handed in no content {', '.join(missing)}",
        missing=missing,
    )


def check_file_count(room: RoomState, seat: Seat | None, count: int) -> None:
    """
    Whether a message may carry so many files (G-FILE-03, G-FILE-07).

    Raises:
        NotAllowed: `may_not_attach`.
        OverLimit: `too_many`.
    """
    policy = room.policy
    if count and policy.attachments_from == "threaded" and seat and not seat.threaded:
        raise NotAllowed(
            "may_not_attach",
            "only conversations of threaded agents attach files in this room",
        )
    if count > policy.max_attachments:
        raise OverLimit(
            "too_many",
            f"{count} files are attached, and {policy.max_attachments} may be",
            count=count,
            limit=policy.max_attachments,
        )
