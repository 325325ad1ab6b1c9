"""S1 to S4: commits are whole, expected, and in one order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress

import pytest

from rooms.errors import InvalidInput, KeyHeld, StorageError, VersionConflict
from rooms.log.records import GENESIS, Commit, Record
from rooms.storage.protocol import Change, Snapshot, Storage
from rooms.testing.conformance.records import (
    OTHER,
    ROOM,
    commit_of,
    kept,
    placed,
    record_of,
)
from rooms.testing.conformance.subject import Subject

__all__ = ["Commits"]


class Commits(Subject):
    """S1 to S4: commits are whole, expected, and in one order."""

    def test_s1_a_commit_can_be_read_after_it_returned(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        commit = Commit(
            (record_of(ROOM, 1), record_of(OTHER, 1, "hello", seq=1)),
            add={"k-1": "m-1"},
            due={ROOM: 70},
        )

        position = storage.append(commit)
        again = self.reopened(storage, open_storage)

        assert position == 2
        assert again.scan() == [
            placed(commit.records[0], 1),
            placed(commit.records[1], 2),
        ]
        assert again.find("k-1") == "m-1"
        assert again.next_due() == 70

    @pytest.mark.parametrize(
        "bad",
        [
            Commit((record_of(ROOM, 2), record_of(OTHER, 5)), add={"k-1": "x"}),
            Commit((record_of(ROOM, 2),), guards={OTHER: 9}, add={"k-1": "x"}),
            Commit((record_of(ROOM, 2),), add={"k-1": "x", "k-2": "x", "k-3": "x"}),
            Commit((record_of(ROOM, 2),), due={"room:none": 4}, add={"k-1": "x"}),
            Commit((record_of(ROOM, 2),), release=("k-3",), guards={ROOM: 2}),
        ],
    )
    def test_s1_a_commit_that_raised_left_nothing(
        self, storage: Storage, bad: Commit
    ) -> None:
        storage.append(Commit((record_of(ROOM, 1),), add={"k-3": "x"}, due={ROOM: 9}))
        before = kept(storage)

        with pytest.raises((StorageError, InvalidInput)):
            storage.append(bad)

        assert kept(storage) == before
        storage.append(commit_of(storage, "works on"))

    def test_s1_a_commit_may_hold_no_record(self, storage: Storage) -> None:
        first = storage.append(Commit((record_of(ROOM, 1),), add={"k-1": "x"}))

        position = storage.append(Commit((), release=("k-1",), due={ROOM: 5}))

        assert position == first
        assert storage.find("k-1") is None
        assert storage.due(5) == [ROOM]

    def test_s1_every_part_of_writing_stands_when_it_ends(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        with suppress(ZeroDivisionError), storage.writing():
            storage.append(commit_of(storage, "one"))
            with pytest.raises(VersionConflict):
                storage.append(Commit((record_of(ROOM, 1),), add={"k-1": "x"}))
            with storage.writing():
                storage.append(commit_of(storage, "two"))
            raise ZeroDivisionError

        again = self.reopened(storage, open_storage)
        assert [record.version for record in again.read(ROOM)] == [1, 2]
        assert again.find("k-1") is None

    @pytest.mark.parametrize("inside", [False, True])
    def test_s1_of_a_whole_context_all_stands_or_nothing(
        self, storage: Storage, open_storage: Callable[[], Storage], *, inside: bool
    ) -> None:
        digest = storage.put_blob([b"kept"])
        storage.append(commit_of(storage, "one", keys={"k-1": "x"}, due={ROOM: 5}))
        storage.append(commit_of(storage, "other", stream=OTHER))
        snapshot = Snapshot.sealed(OTHER, 1, chain=GENESIS, schema=1, state=b"s")
        storage.save_snapshot(snapshot)
        storage.project("p", expected=0, position=1, changes=[Change((1,), b"1")])
        assert storage.search("one", [ROOM])
        before = kept(storage)

        def change() -> str:
            storage.append(commit_of(storage, "two", release=("k-1",), due={ROOM: 6}))
            storage.erase(ROOM, [1])
            storage.remove(OTHER)
            storage.remove_blob(digest)
            storage.project("p", expected=1, position=2, changes=[Change((1,), None)])
            return storage.put_blob([b"new"])

        def undone() -> None:
            with storage.writing(whole=True):
                change()
                raise ZeroDivisionError

        with storage.writing() if inside else nullcontext():
            with suppress(ZeroDivisionError):
                undone()
            assert kept(storage) == before
            storage.append(commit_of(storage, "goes on"))

        again = self.reopened(storage, open_storage)
        assert [record.version for record in again.read(ROOM)] == [1, 2]
        assert again.find("k-1") == "x"
        assert again.load_snapshot(OTHER) == snapshot
        assert b"".join(again.blob(digest)) == b"kept"
        assert (again.projected_to("p"), len(again.range("p"))) == (1, 1)
        assert len(again.search("one", [ROOM])) == 1
        storage = again
        with storage.writing(whole=True):
            storage.erase(ROOM, [2])
            new = change()
        again = self.reopened(storage, open_storage)
        assert again.streams() == [ROOM]
        assert [one.body is None for one in again.read(ROOM)] == [True, True, False]
        assert (again.find("k-1"), again.next_due()) == (None, 6)
        assert b"".join(again.blob(new)) == b"new"

    # What a commit expects (S2).

    @pytest.mark.parametrize("version", [1, 2, 4])
    def test_s2_another_version_than_the_next_is_a_conflict(
        self, storage: Storage, version: int
    ) -> None:
        storage.append(Commit((record_of(ROOM, 1), record_of(ROOM, 2))))
        before = kept(storage)

        with pytest.raises(VersionConflict) as caught:
            storage.append(Commit((record_of(ROOM, version),)))

        assert caught.value.code == "version_conflict"
        assert caught.value.details["stream"] == ROOM
        assert caught.value.details["actual"] == 2
        assert caught.value.details["expected"] == version - 1
        assert kept(storage) == before

    def test_s2_a_new_stream_begins_at_1(self, storage: Storage) -> None:
        with pytest.raises(VersionConflict):
            storage.append(Commit((record_of(ROOM, 2),)))

        assert storage.streams() == []

    @pytest.mark.parametrize(("version", "fits"), [(0, False), (1, True), (2, False)])
    def test_s2_a_guard_that_moved_is_a_conflict(
        self, storage: Storage, version: int, fits: bool
    ) -> None:
        storage.append(Commit((record_of(OTHER, 1),)))
        commit = Commit((record_of(ROOM, 1),), guards={OTHER: version})

        if fits:
            storage.append(commit)
        else:
            with pytest.raises(VersionConflict):
                storage.append(commit)

        assert storage.head(ROOM).version == fits

    def test_s2_a_guard_of_0_holds_while_the_stream_is_empty(
        self, storage: Storage
    ) -> None:
        assert storage.append(Commit((record_of(ROOM, 1),), guards={OTHER: 0})) == 1

    @pytest.mark.parametrize("versions", [(1, 1), (1, 3), (2, 1)])
    def test_s2_a_run_with_a_gap_is_refused(
        self, storage: Storage, versions: tuple[int, ...]
    ) -> None:
        records = tuple(record_of(ROOM, version) for version in versions)

        with pytest.raises(InvalidInput):
            storage.append(Commit(records))

        assert storage.scan() == []

    def test_s2_the_other_handle_sees_a_version_that_moved(
        self, handles: tuple[Storage, Storage]
    ) -> None:
        one, two = handles
        for handle in (one, two, one, two):
            handle.append(commit_of(handle, "in turns"))
        stale = commit_of(one, "late")
        two.append(commit_of(two, "quicker"))

        with pytest.raises(VersionConflict):
            one.append(stale)

        assert [record.version for record in two.read(ROOM)] == [1, 2, 3, 4, 5]
        assert one.read(ROOM) == two.read(ROOM)

    def test_s2_a_stream_that_was_removed_elsewhere_is_a_conflict(
        self, handles: tuple[Storage, Storage]
    ) -> None:
        one, two = handles
        one.append(commit_of(one, "here"))
        two.remove(ROOM)

        with pytest.raises(VersionConflict):
            one.append(Commit((record_of(ROOM, 2),)))

    # How keys are held (S3).

    def test_s3_a_held_key_tells_what_holds_it(self, storage: Storage) -> None:
        storage.append(Commit((record_of(ROOM, 1),), add={"k-1": "m-1"}))
        before = kept(storage)

        with pytest.raises(KeyHeld) as caught:
            storage.append(
                Commit((record_of(ROOM, 2),), add={"k-2": "m-2", "k-1": "m-2"})
            )

        assert caught.value.code == "key_held"
        assert caught.value.holder == "m-1"
        assert caught.value.details["key"] == "k-1"
        assert kept(storage) == before

    def test_s3_a_held_key_is_told_before_a_version_that_moved(
        self, storage: Storage
    ) -> None:
        storage.append(Commit((record_of(ROOM, 1),), add={"k-1": "m-1"}))

        with pytest.raises(KeyHeld):
            storage.append(
                Commit((record_of(ROOM, 1),), add={"k-1": "x"}, guards={OTHER: 3})
            )

    def test_s3_a_released_key_can_be_added_in_the_same_commit(
        self, storage: Storage
    ) -> None:
        storage.append(Commit((record_of(ROOM, 1),), add={"k-1": "m-1", "k-2": "m-1"}))

        storage.append(
            Commit((record_of(ROOM, 2),), release=("k-1", "k-9"), add={"k-1": "m-2"})
        )

        assert storage.find("k-1") == "m-2"
        assert storage.find("k-2") == "m-1"
        assert storage.find("k-9") is None

    # In which order commits are seen (S4).

    def test_s4_positions_rise_over_all_streams(self, storage: Storage) -> None:
        for stream in (ROOM, OTHER, ROOM):
            storage.append(commit_of(storage, "a", "b", stream=stream))

        found = storage.scan()

        assert [record.position for record in found] == [1, 2, 3, 4, 5, 6]
        assert [record.stream for record in found] == [
            *[ROOM] * 2,
            *[OTHER] * 2,
            *[ROOM] * 2,
        ]
        assert storage.scan(after=2, limit=3) == found[2:5]
        assert storage.scan(after=6) == []

    def test_s4_the_position_of_what_was_removed_is_never_given_again(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        storage.append(commit_of(storage, "stays", stream=OTHER))
        storage.append(commit_of(storage, "goes", "goes"))
        storage.remove(ROOM)
        again = self.reopened(storage, open_storage)

        assert again.append(commit_of(again, "new", stream=OTHER)) == 4
        assert [record.position for record in again.scan()] == [1, 4]
        assert [record.position for record in again.scan(after=1)] == [4]

    def test_s4_a_scan_never_passes_by_what_others_commit(
        self, storage: Storage
    ) -> None:
        def write(stream: str) -> None:
            for _ in range(40):
                storage.append(commit_of(storage, "x", stream=stream))

        seen: list[Record] = []
        with ThreadPoolExecutor(3) as pool:
            writers = [pool.submit(write, f"room:{name}") for name in "abc"]
            while not all(writer.done() for writer in writers):
                seen += storage.scan(after=seen[-1].position if seen else 0)
        for writer in writers:
            writer.result()  # what it raised, if it did
        seen += storage.scan(after=seen[-1].position if seen else 0)

        assert seen == storage.scan()
        assert len(seen) == 120
