"""
What is said of contents, as values.

Law: no value here has what a content says; its bytes come from a message that carries
it, to whoever may read that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput

__all__ = ["KeptContent", "KeptContents", "Uploaded", "Usage"]


def _digest(_: Any, __: Any, value: Any) -> None:
    text = values.text("sha256", value)
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise InvalidInput(
            "sha256", "is no digest", allowed="64 digits of lower-case hexadecimal"
        )


def _size(_: Any, __: Any, value: Any) -> None:
    if value is not None:
        values.whole_number("size", value, at_least=0)


def _type(_: Any, __: Any, value: Any) -> None:
    values.text("mime_type", value)


@frozen
class Uploaded:
    """
    A content that was handed in, as a message names it that is to carry it.

    Attributes:
        sha256: The digest of it, in hexadecimal.
        size: How many bytes it has; None where whoever names it does not say.
        mime_type: What it is, as a media type; "" where that is not said.
    """

    sha256: str = field(validator=_digest)
    size: int | None = field(default=None, validator=_size)
    mime_type: str = field(default="", validator=_type)

    @property
    def kind(self) -> str:
        """`image`, `text`, or `other`."""
        major = self.mime_type.partition("/")[0]
        return major if major in {"image", "text"} else "other"


@frozen
class KeptContent:
    """
    A content that is kept.

    Attributes:
        sha256: Its digest.
        size: How many bytes it has.
        uploaders: Who sent it, or handed it in: the keys of agents' names, and
            `person:<name>`.
        messages: The ids of the messages that carry it, those that wait for their time
            included; none where it waits for one.
        schedules: The ids of the schedules whose messages carry it.
    """

    sha256: str
    size: int
    uploaders: tuple[str, ...]
    messages: tuple[str, ...]
    schedules: tuple[str, ...] = ()


@frozen
class KeptContents:
    """
    Contents in the order of their digests.

    Attributes:
        items: The contents.
        next_cursor: What to pass as `after` for more; None at the end.
    """

    items: tuple[KeptContent, ...]
    next_cursor: str | None

    def __iter__(self) -> Iterator[KeptContent]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@frozen
class Usage:
    """
    How much the files of a lobby's messages take, and may take.

    Attributes:
        used_bytes: The bytes of all contents, each counted once, what was handed in and
            waits for its message included.
        quota_bytes: How many they may be; None for no end.
        uploads: How many contents were handed in and wait for a message.
        free_disk: How many bytes the storage's disk has left; None where it has none.
        disk_reserve: How many of these are left free; None for none.
    """

    used_bytes: int
    quota_bytes: int | None
    uploads: int
    free_disk: int | None
    disk_reserve: int | None
