"""S6: several threads and handles are as good as one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from rooms.errors import VersionConflict
from rooms.log.records import Commit
from rooms.storage.protocol import Storage
from rooms.testing.conformance.records import OTHER, ROOM, commit_of, record_of
from rooms.testing.conformance.subject import Subject

__all__ = ["Sharing"]


class Sharing(Subject):
    """S6: several threads and handles are as good as one after the other."""

    def test_s6_threads_append_one_after_the_other(self, storage: Storage) -> None:
        def write(_: int) -> int:
            lost = 0
            for _ in range(25):
                while True:
                    try:
                        storage.append(commit_of(storage, "x"))
                    except VersionConflict:
                        lost += 1
                    else:
                        break
            return lost

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(4)))

        assert [record.version for record in storage.read(ROOM)] == list(range(1, 101))
        assert [r.seq for r in storage.messages(ROOM, limit=200)] == list(range(1, 101))

    def test_s6_nobody_else_commits_while_one_holds_the_lock(
        self, storage: Storage
    ) -> None:
        with ThreadPoolExecutor(1) as pool:
            with storage.writing():
                commit = commit_of(storage, "first")
                other = pool.submit(
                    storage.append, Commit((record_of(OTHER, 1),), guards={ROOM: 1})
                )
                storage.append(commit)
            assert other.result(timeout=60) == 2

    def test_s6_a_commit_is_noticed(self, storage: Storage) -> None:
        before = storage.position()
        assert storage.position() == before

        last = storage.append(commit_of(storage, "new"))

        assert storage.position() == last > before

    def test_s6_a_commit_by_another_handle_is_noticed(
        self, handles: tuple[Storage, Storage]
    ) -> None:
        one, two = handles
        before = one.position()

        last = two.append(commit_of(two, "new"))

        assert one.position() == last > before

    def test_s6_what_another_handle_waits_for_is_due(
        self, handles: tuple[Storage, Storage]
    ) -> None:
        one, two = handles
        two.append(commit_of(two, "later", due={ROOM: 70}))
        assert (one.next_due(), one.due(69)) == (70, [])

        two.append(Commit((), due={ROOM: 30}))
        assert (one.next_due(), one.due(69)) == (30, [ROOM])

        two.remove(ROOM)
        assert (one.next_due(), one.due(69)) == (None, [])
