"""S5: what is read is what was appended, and what cannot be kept is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.log.records import GENESIS, Commit, changed
from rooms.storage.protocol import Change, Head, Storage
from rooms.testing.conformance.records import (
    HOSTILE,
    OTHER,
    ROOM,
    commit_of,
    kept,
    placed,
    record_of,
)
from rooms.testing.conformance.subject import Subject

__all__ = ["Reading"]


class Reading(Subject):
    """S5: what is read is what was appended, and what cannot be kept is refused."""

    @pytest.mark.parametrize("text", HOSTILE)
    def test_s5_what_is_read_is_what_was_appended(
        self, storage: Storage, open_storage: Callable[[], Storage], text: str
    ) -> None:
        stream = f"room:{text}"
        record = record_of(stream, 1, text, seq=1)
        record = changed(record, header=bytes(range(256)), at=-5)
        storage.append(Commit((record,), add={text: text}))

        again = self.reopened(storage, open_storage)
        (found,) = again.read(stream)

        assert found == placed(record, 1)
        assert [type(value) for value in (found.critical, found.header)] == [
            bool,
            bytes,
        ]
        assert again.streams() == [stream]
        assert again.streams("room:") == [stream]
        assert again.find(text) == text

    def test_s5_what_folding_reads_needs_no_words(self, storage: Storage) -> None:
        storage.append(commit_of(storage, *"abc"))

        found = storage.read(ROOM, after=1, words=False)

        whole = storage.read(ROOM, after=1)
        assert [one[:7] for one in found] == [one[:7] for one in whole]
        assert [one.chain for one in found] == [one.chain for one in whole]

    def test_s5_pages_of_a_stream_join_to_the_whole(self, storage: Storage) -> None:
        storage.append(commit_of(storage, *"abcdefg"))
        storage.append(commit_of(storage, "other", stream=OTHER))

        whole = storage.read(ROOM)

        assert [record.version for record in whole] == [1, 2, 3, 4, 5, 6, 7]
        assert storage.read(ROOM, limit=3) == whole[:3]
        assert storage.read(ROOM, after=3, limit=3) == whole[3:6]
        assert storage.read(ROOM, after=7) == []
        assert storage.read("room:none") == []

    def test_s5_messages_come_by_their_seq(self, storage: Storage) -> None:
        storage.append(commit_of(storage, None, "a", None, "b", "c", None, "d"))

        def seqs(**page: Any) -> list[int | None]:
            return [record.seq for record in storage.messages(ROOM, **page)]

        assert seqs() == [1, 2, 3, 4]
        assert seqs(after=1, limit=2) == [2, 3]
        assert seqs(newest_first=True) == [4, 3, 2, 1]
        assert seqs(newest_first=True, limit=2) == [4, 3]
        assert seqs(newest_first=True, after=3) == [2, 1]
        assert storage.messages(OTHER) == []

    def test_s5_a_head_is_the_last_record(self, storage: Storage) -> None:
        assert storage.head(ROOM) == Head(0, GENESIS)

        commit = commit_of(storage, "a", "b")
        storage.append(commit)

        assert storage.head(ROOM) == Head(2, commit.records[-1].chain)

    def test_s5_streams_are_sorted_by_code_point(self, storage: Storage) -> None:
        names = [
            "agent:a",
            "lobby",
            "room:",
            "room:Z",
            "room:a",
            "room:é",
            "room:\U0001f600",
        ]
        for name in reversed(names):
            storage.append(commit_of(storage, "x", stream=name))

        assert storage.streams() == names
        assert storage.streams("room:") == names[2:]
        assert storage.streams("room:\U0001f600") == names[-1:]
        assert storage.streams("none") == []

    def test_s5_the_earliest_due_come_first(self, storage: Storage) -> None:
        for stream, due in (("room:c", 30), ("room:a", 10), ("room:b", 10)):
            storage.append(commit_of(storage, "x", stream=stream, due={stream: due}))
        storage.append(commit_of(storage, "x", stream="room:d"))

        assert storage.next_due() == 10
        assert storage.due(9) == []
        assert storage.due(10) == ["room:a", "room:b"]
        assert storage.due(99) == ["room:a", "room:b", "room:c"]
        assert storage.due(99, limit=1) == ["room:a"]

        storage.append(Commit((), due={"room:a": None, "room:b": 40}))

        assert storage.due(99) == ["room:c", "room:b"]
        assert storage.next_due() == 30

    @pytest.mark.parametrize(
        "commit",
        [
            Commit((changed(record_of(ROOM, 1), stream="room:\ud83d"),)),
            Commit((changed(record_of(ROOM, 1), type="\ud83d"),)),
            Commit((record_of(ROOM, 1),), add={"\ud83d": "x"}),
            Commit((record_of(ROOM, 1),), add={"x": "\ud83d"}),
            Commit((record_of(ROOM, 1),), release=("\ud83d",)),
            Commit((record_of(ROOM, 1),), guards={"\ud83d": 0}),
            Commit((record_of(ROOM, 1),), due={"\ud83d": 0}),
            Commit((record_of(ROOM, 1),), due={ROOM: 2**63}),
            Commit((changed(record_of(ROOM, 1), at=2**63),)),
            Commit((record_of(ROOM, 0),)),
            Commit((changed(record_of(ROOM, 1, "a", seq=1), body=b""),)),
            Commit((changed(record_of(ROOM, 1, "a", seq=1), body=b"\0"),)),
        ],
    )
    def test_s5_what_cannot_be_kept_is_refused(
        self, storage: Storage, commit: Commit
    ) -> None:
        with pytest.raises(InvalidInput):
            storage.append(commit)

        assert kept(storage) == [[], [], [None] * 3, [], None, [Head(0, GENESIS)] * 2]

    @pytest.mark.parametrize(
        "ask",
        [
            lambda it: it.read("\ud83d"),
            lambda it: it.read(ROOM, limit=0),
            lambda it: it.read(ROOM, limit=-1),
            lambda it: it.read(ROOM, after=-1),
            lambda it: it.read(ROOM, after=2**64),
            lambda it: it.scan(after=2**64),
            lambda it: it.scan(limit=0),
            lambda it: it.messages(ROOM, limit=2**64),
            lambda it: it.messages("\ud83d"),
            lambda it: it.head("\ud83d"),
            lambda it: it.streams("\ud83d"),
            lambda it: it.find("\ud83d"),
            lambda it: it.due(2**64),
            lambda it: it.erase(ROOM, [-1]),
            lambda it: it.erase("\ud83d", [1]),
            lambda it: it.remove("\ud83d"),
            lambda it: it.project("p", expected=0, position=2**64, changes=[]),
            lambda it: it.project(
                "p", expected=0, position=1, changes=[Change((2**63,), b"")]
            ),
            lambda it: it.project(
                "p", expected=0, position=1, changes=[Change(("\ud83d",), b"")]
            ),
            lambda it: it.range("p", low=(True,)),
            lambda it: it.range("p", limit=0),
            lambda it: it.search("x", "room:one"),
            lambda it: it.search("x", [ROOM], limit=0),
            lambda it: it.put_blob(b"bare bytes"),
            lambda it: it.put_blob(["text"]),
            lambda it: it.blob("\ud83d"),
        ],
    )
    def test_s5_a_bad_question_is_refused(
        self, storage: Storage, ask: Callable[[Storage], Any]
    ) -> None:
        with pytest.raises(InvalidInput):
            ask(storage)
