"""A recorded transcript in a file that anybody may have written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rooms.errors import InvalidInput
from rooms.log.lines import BEGINNING
from rooms.rendering.showing import shown
from rooms.transcripts import MAX_CHARS as MAX_BYTES
from rooms.transcripts import Transcript, read
from rooms.transcripts.documents import no_json

__all__ = ["MAX_BYTES", "STANDARD_INPUT", "read_transcript"]

STANDARD_INPUT = "-"
_LOGS = (b"SQLite format 3\x00", BEGINNING.encode())  # a lobby's file, or an export


def read_transcript(path: str | Path, form: Any = "events", **how: Any) -> Transcript:
    """
    The transcript in a file; `-` is the standard input.

    Args:
        path: The file.
        form, how: As `rooms.transcripts.read` has them.

    Raises:
        InvalidInput: `invalid_json` with the line for what is not JSON, `too_large` for
            more than 64 MiB, `invalid_request` with the line for an event or a header
            that is none, and for a file that cannot be read, holds no event or is a
            lobby's log.
    """
    content = _bytes(path)
    if content.startswith(_LOGS):
        raise InvalidInput(
            "file",
            "holds a lobby's log",
            allowed="a transcript; `rooms check` decides a log again",
        )
    return read(_decoded(content, form), form, **how)


def _bytes(path: str | Path) -> bytes:
    try:
        if path == STANDARD_INPUT:
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        name = shown(str(path), at_most=4_096)
        raise InvalidInput("file", f"{name} cannot be read: {problem}") from error
    if len(content) > MAX_BYTES:
        raise InvalidInput(
            "file", "is longer than 64 MiB", allowed="<= 64 MiB", code="too_large"
        )
    return content


def _decoded(content: bytes, form: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        if form == "chat":
            raise InvalidInput(f"line {line}", "is not UTF-8") from error
        raise no_json(line, "is not UTF-8") from error
