"""
Artifacts: what may come of a team's work, and what is said of the work itself.

Law: who made something is who hands it in, and stands in no argument (S-ARTIFACT-03).
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput, OverLimit
from rooms.team.blueprints import check_words

__all__ = [
    "DECISION",
    "DONE",
    "KINDS",
    "MOST_ARTIFACTS",
    "MOST_WORK",
    "Draft",
    "check_content",
    "check_note",
    "check_title",
]

KINDS = (
    *("plan", "decision", "branch", "commit", "patch", "test_result"),
    *("review", "report", "pull_request", "final_answer"),
)
"""What an artifact may be (S-ARTIFACT-01)."""

DECISION = "decision"
DONE = frozenset({"done", "cancelled"})
"""The statuses of work at which nothing is to be done any more; all others are free."""

MOST_ARTIFACTS = 200
MOST_WORK = 200
_LONGEST_TITLE = 120
_LONGEST_CONTENT = 256 * 2**10
_LONGEST_REF = 2_000
_LONGEST_NOTE = 500
_LONGEST_STATUS = 40
_LONGEST_NOTES = 1_000


@frozen
class Draft:
    """An artifact as it is handed in: its content is stored, its `ref` somewhere."""

    kind: str
    title: str
    content: bytes | None
    ref: str


def check_title(title: Any) -> str:
    """A title, cut to 120 characters; an empty one is refused."""
    written = check_words("title", title).strip()
    if not written:
        raise InvalidInput("title", "is empty", allowed="some words")
    return written[:_LONGEST_TITLE].rstrip()


def check_status(status: Any) -> str:
    """A status of work, in free form."""
    written = check_words("status", status, most=_LONGEST_STATUS).strip()
    if not written:
        raise InvalidInput("status", "is empty", allowed="such as open, done")
    return written


def check_notes(notes: Any) -> str:
    """The notes of a piece of work."""
    return check_words("notes", notes, most=_LONGEST_NOTES)


def check_note(text: Any) -> str:
    """The conductor's note; an empty one clears it (S-BRIEF-04)."""
    return check_words("text", text, most=_LONGEST_NOTE).strip()


def check_content(content: Any) -> bytes:
    """A content as it is stored: UTF-8, at most 256 KiB."""
    written = values.storable("content", content)
    if "\x00" in written:
        raise InvalidInput("content", "holds a NUL", allowed="any other text")
    encoded = written.encode()
    if len(encoded) > _LONGEST_CONTENT:
        raise OverLimit(
            "too_large",
            f"the content has {len(encoded)} bytes",
            field="content",
            limit=_LONGEST_CONTENT,
        )
    return encoded


def check_artifact(kind: Any, title: Any, content: Any, ref: Any) -> Draft:
    """
    An artifact: its title, and its content or where it is (S-ARTIFACT-04).

    Raises:
        InvalidInput: `invalid_request` for another kind, no title, and neither content
            nor `ref`.
        OverLimit: `too_large`.
    """
    chosen = values.member("kind", kind, KINDS)
    titled = check_title(title)
    place = check_words("ref", ref, most=_LONGEST_REF).strip()
    kept = None if content is None else check_content(content)
    if not kept and not place:
        raise InvalidInput(
            "content", "is missing", allowed="what it says, or `ref`: where it is"
        )
    return Draft(chosen, titled, kept or None, place)
