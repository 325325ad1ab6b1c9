"""
What several processes saw, held against each other: the anomalies that Jepsen seeks.

An operation is what one call gave, in the order of its process:

    ("post", content, seq)              it was acknowledged under that number
    ("refused", content)                it was refused, so nobody ever sees it
    ("asked", content)                  its process ended before it had an answer
    ("read", after, [(seq, content)], position)
                                        a page behind a number, and where the room stood
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rooms import Conversation, Message, Person, Room

__all__ = ["anomalies", "messages_of"]

Said = Sequence[tuple[int, str]]


def anomalies(processes: Sequence[Sequence[Any]], transcript: Said) -> list[str]:
    """What no order of these calls, one after the other, could have given."""
    return [
        *_in_the_end(processes, transcript),
        *(problem for one in processes for problem in _in_one(one, dict(transcript))),
    ]


def messages_of(room: Room, reader: Person | Conversation) -> Iterator[Message]:
    """All of a transcript, page by page."""
    after: int | None = 0
    while after is not None:
        page = room.read(by=reader, after=after, limit=1_000)
        yield from page
        after = page.next_cursor


def _in_the_end(processes: Sequence[Sequence[Any]], said: Said) -> Iterator[str]:
    numbers, contents = [seq for seq, _ in said], Counter(text for _, text in said)
    if numbers != list(range(1, len(said) + 1)):
        yield "gap"
    if max(contents.values(), default=1) > 1:
        yield "duplicate"
    every = [one for process in processes for one in process]
    posted = {(one[2], one[1]) for one in every if one[0] == "post"}
    refused = {one[1] for one in every if one[0] == "refused"}
    if posted - {*said}:
        yield "lost"
    if refused & contents.keys():
        yield "aborted read"
    asked = {one[1] for one in every if one[0] == "asked"}
    if contents.keys() - {text for _, text in posted} - refused - asked:
        yield "phantom"


def _in_one(process: Sequence[Any], said: Mapping[int, str]) -> Iterator[str]:
    stood, own = 0, 0
    for what, *told in process:
        if what == "post":
            if told[1] <= own:
                yield "order"
            own = told[1]
        elif what == "read":
            after, page, position = told
            seqs = [seq for seq, _ in page]
            if seqs != list(range(after + 1, after + 1 + len(seqs))):
                yield "skipped"
            if any(said.get(seq) != text for seq, text in page):
                yield "inconsistent"
            if position < stood:
                yield "non-monotonic"
            if position < own:
                yield "stale own read"
            if page and seqs[-1] > position:
                yield "ahead"
            stood = max(stood, position)
