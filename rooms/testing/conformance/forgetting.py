"""S7: what was erased or removed is gone, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

from rooms.log.records import GENESIS, erased
from rooms.storage.protocol import Head, Hit, Snapshot, Storage
from rooms.testing.conformance.records import OTHER, ROOM, commit_of
from rooms.testing.conformance.subject import Subject

__all__ = ["Forgetting"]


class Forgetting(Subject):
    """S7: what was erased or removed is gone, and nothing else is."""

    def test_s7_erasing_removes_words_and_salt_and_nothing_else(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        storage.append(commit_of(storage, "stays", "canary", "stays too"))
        before = storage.scan()

        storage.erase(ROOM, [2, 99])
        storage.erase(ROOM, [2])
        storage.erase("room:none", [1])

        again = self.reopened(storage, open_storage)
        assert again.scan() == [before[0], erased(before[1]), before[2]]
        assert again.read(ROOM) == again.scan()
        assert again.messages(ROOM) == again.scan()

    def test_s7_erased_words_are_not_found(self, storage: Storage) -> None:
        storage.append(commit_of(storage, "early canary", "canary and more"))
        assert len(storage.search("canary", [ROOM])) == 2

        storage.erase(ROOM, [1])
        storage.append(commit_of(storage, "late canary"))
        storage.erase(ROOM, [3, 3, 1])  # in any order, and each as often as one likes

        assert storage.search("canary", [ROOM]) == [Hit(ROOM, 2)]
        assert storage.search("early", [ROOM]) == []
        assert storage.search("late", [ROOM]) == []

    def test_s7_removing_a_stream_removes_all_of_it(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        for stream in (ROOM, OTHER):
            storage.append(
                commit_of(storage, "the canary", stream=stream, due={stream: 5})
            )
            storage.save_snapshot(
                Snapshot.sealed(stream, 1, chain=GENESIS, schema=1, state=b"s")
            )
        assert len(storage.search("canary", [ROOM, OTHER])) == 2
        other = storage.read(OTHER)

        storage.remove(ROOM)
        storage.remove(ROOM)

        again = self.reopened(storage, open_storage)
        assert again.scan() == other
        assert again.read(ROOM) == []
        assert again.messages(ROOM) == []
        assert again.head(ROOM) == Head(0, GENESIS)
        assert again.streams() == [OTHER]
        assert again.due(99) == [OTHER]
        assert again.load_snapshot(ROOM) is None
        assert again.load_snapshot(OTHER) is not None
        assert again.search("canary", [ROOM, OTHER]) == [Hit(OTHER, 1)]

    def test_s7_a_stream_may_begin_anew(self, storage: Storage) -> None:
        storage.append(commit_of(storage, "old words", due={ROOM: 5}))
        storage.search("old", [ROOM])
        storage.remove(ROOM)

        storage.append(commit_of(storage, "new"))

        assert [record.version for record in storage.read(ROOM)] == [1]
        assert storage.search("old", [ROOM]) == []
        assert storage.search("new", [ROOM]) == [Hit(ROOM, 1)]
        assert storage.next_due() is None
