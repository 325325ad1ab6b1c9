"""
Asking: which page of an inbox somebody wants, each value checked.

Law: a page holds up to so many messages and so many bytes, and at least one message; a
filter makes it neither longer nor costlier than the messages that it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.derived.deliveries import Letter
from rooms.lobby.inbox.mail import InboxPage, Mail, size_of
from rooms.lobby.inbox.naming import checked_ids
from rooms.lobby.messages import Message

__all__ = ["ANYTHING", "PAGE_BYTES", "Asked", "Wanted"]

Fetch = Callable[..., list[Letter]]

PAGE_BYTES = 80 * 2**10
"""How much text a page holds, unless its one message has more (L-READ-02)."""

_MOST = 100
_STEP = 1_000
_LONGEST_QUERY = 200
_FOLD = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@frozen
class Asked:
    """Where a page begins, how much it holds, and when it is asked for."""

    after: int
    limit: int
    max_bytes: int
    now: datetime | None

    @classmethod
    def of(cls, after: Any, limit: Any, max_bytes: Any, now: datetime | None) -> Asked:
        """A page as a caller asks for it; `InvalidInput` names what is wrong."""
        if now is not None:
            values.micros("now", now)
        return cls(
            values.whole_number("after", after, at_least=0),
            values.whole_number("limit", limit, at_least=1, at_most=_MOST),
            values.whole_number("max_bytes", max_bytes, at_least=1),
            now,
        )

    def every(self, fetch: Fetch) -> Iterator[Letter]:
        """What rows name behind the page's beginning: first as many as it may hold."""
        after, step = self.after, self.limit + 1
        while True:
            letters = fetch(after=after, limit=step)
            yield from letters
            if len(letters) < step:
                return
            after, step = letters[-1].place, _STEP

    def cut(
        self, letters: Iterable[Letter], shown: Callable[[Letter], Mail | None]
    ) -> InboxPage:
        """The page of what these name; what is shown as None is not on it."""
        items: list[Mail] = []
        size, last = 0, 0
        for letter in letters:
            mail = shown(letter)
            if mail is None:
                continue
            size += size_of(mail.message)
            if items and (len(items) == self.limit or size > self.max_bytes):
                return InboxPage(tuple(items), last)
            items.append(mail)
            last = letter.place
        return InboxPage(tuple(items), None)


@frozen
class Wanted:
    """
    What has to be so of a message.

    Attributes:
        words: What it says, folded; None for anything.
        ids: What its id begins with, one of these; None for anything.
    """

    words: str | None
    ids: tuple[str, ...] | None

    @classmethod
    def of(cls, query: Any, ids: Any) -> Wanted:
        """What a caller wants; `InvalidInput` names what is wrong."""
        return cls(
            None if query is None else _folded(query),
            None if ids is None else checked_ids(ids),
        )

    def fits(self, message: Message) -> bool:
        """Whether a message, as its reader may read it, is wanted."""
        named = self.ids is None or message.id.startswith(self.ids)
        return named and (self.words is None or _says(message, self.words))


ANYTHING = Wanted(None, None)
"""No filter."""


def _folded(query: Any) -> str:
    """A query as it is compared; of ASCII letters the case is no matter (L-READ-05)."""
    text = values.storable("query", values.text("query", query))
    if not 1 <= len(text) <= _LONGEST_QUERY:
        raise InvalidInput(
            "query",
            f"has {len(text)} characters",
            allowed=f"1 to {_LONGEST_QUERY} characters",
        )
    return text.translate(_FOLD)


def _says(message: Message, words: str) -> bool:
    """Whether a message's text, a field or a file's name has these words in it."""
    found = [message.content, *_texts(message.fields)]
    found += [file.path for file in message.attachments]
    return any(words in text.translate(_FOLD) for text in found)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
