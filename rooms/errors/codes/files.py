"""Files of messages, and the documents of a room."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["FILES"]

FILES: Mapping[str, Code] = {
    "file_not_found": Code(
        "The room has no file of that path, in that revision or message.",
        "Look at `room.files.documents` and `room.files.attachments`.",
        404,
    ),
    "not_text": Code(
        "A document is no text file: by the ending of its name, or by a NUL in it.",
        "Name it as `details` allow; attach anything else to a message.",
        415,
    ),
    "stale_revision": Code(
        "The document is not any more what the change started from.",
        "Read it anew, `current` is its revision now or None, and change that.",
        409,
    ),
    "may_not_attach": Code(
        "Only conversations of threaded agents attach files in this room.",
        "Write a document, or choose a policy with `attachments_from='any'`.",
        403,
    ),
    "attachment_type": Code(
        "A file is neither an image nor a text of a known name, and the room takes"
        " no others; or one that is named as a text is none.",
        "Name it as `details` allow, or say where it is in the field `evidence`.",
        415,
    ),
    "attachment_upload_required": Code(
        "A message names contents that its sender has not handed in, or that have"
        " lapsed; nothing was stored.",
        "Hand in each in `missing` with `lobby.contents.upload`, and repeat the"
        " message.",
        409,
    ),
    "attachment_hash_mismatch": Code(
        "A content is not what its digest says.",
        "Read it anew, and give the SHA-256 of all its bytes.",
        400,
    ),
    "attachment_mismatch": Code(
        "A file is said to have another size or type than its content has.",
        "Say what `allowed` says, or nothing.",
        400,
    ),
    "attachment_expired": Code(
        "The file went with the message that carried it, which is kept no more.",
        "Attach it again, from where it came; its sender is told so for 7 days.",
        410,
    ),
    "storage_capacity": Code(
        "The lobby holds as many bytes of files as it may, or its disk has no more"
        " than it is to leave free; nothing was stored.",
        "Wait until older messages go, erase some, or raise the `setting`.",
        507,
    ),
    "unknown_blob": Code(
        "No content with this digest is kept.",
        "Use a digest that the library returned.",
        404,
    ),
}
