"""S13 and S14: one kind of error, also after the end."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from rooms.errors import InvalidInput, NotFound, StorageError
from rooms.log.records import Commit
from rooms.storage.protocol import Snapshot, Storage
from rooms.testing.conformance.records import OTHER, ROOM, commit_of, record_of
from rooms.testing.conformance.subject import Subject

__all__ = ["Closing"]


class Closing(Subject):
    """S13 and S14: one kind of error, also after the end."""

    def test_s13_after_a_refusal_the_storage_works_as_before(
        self, storage: Storage
    ) -> None:
        storage.append(commit_of(storage, "first", keys={"k-1": "x"}))
        refused: list[Callable[[], object]] = [
            lambda: storage.append(Commit((record_of(ROOM, 1),))),
            lambda: storage.append(Commit((record_of(ROOM, 2),), add={"k-1": "y"})),
            lambda: storage.read(ROOM, limit=0),
            lambda: storage.search("x", [ROOM], limit=0),
            lambda: storage.blob("none"),
        ]

        for number, call in enumerate(refused, 2):
            with pytest.raises((StorageError, InvalidInput, NotFound)):
                call()
            assert storage.append(commit_of(storage, "next")) == number

    def test_s13_no_call_raises_anything_else(self, storage: Storage) -> None:
        storage.close()

        for call in _CALLS:
            with pytest.raises(StorageError) as caught:
                call(storage)
            assert caught.value.code == "closed"

    def test_s14_closing_twice_is_no_fault(self, storage: Storage) -> None:
        storage.append(commit_of(storage, "a"))

        storage.close()
        storage.close()

        with pytest.raises(StorageError) as caught:
            storage.read(ROOM)
        assert caught.value.code == "closed"

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
    def test_s14_a_storage_belongs_to_the_process_that_opened_it(
        self, storage: Storage
    ) -> None:
        storage.append(commit_of(storage, "by the parent"))

        child = os.fork()
        if not child:  # leave without pytest's own end
            code = 1
            with suppress(BaseException):  # the code tells that it did not end well
                try:
                    storage.append(Commit((record_of(OTHER, 1),)))
                except StorageError as error:
                    code = 0 if error.code == "closed" else 2
                storage.close()
            os._exit(code)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0
        assert storage.streams() == [ROOM]
        storage.append(commit_of(storage, "the parent goes on"))


_CALLS: tuple[Callable[[Storage], Any], ...] = (
    lambda it: it.append(Commit((record_of(ROOM, 1),))),
    lambda it: it.read(ROOM),
    lambda it: it.scan(),
    lambda it: it.messages(ROOM),
    lambda it: it.head(ROOM),
    lambda it: it.streams(),
    lambda it: it.find("k-1"),
    lambda it: it.position(),
    lambda it: it.due(1),
    lambda it: it.next_due(),
    lambda it: it.load_snapshot(ROOM),
    lambda it: it.save_snapshot(
        Snapshot.sealed(ROOM, 1, chain=b"", schema=1, state=b"")
    ),
    lambda it: it.erase(ROOM, [1]),
    lambda it: it.remove(ROOM),
    lambda it: it.projected_to("p"),
    lambda it: it.project("p", expected=0, position=1, changes=[]),
    lambda it: it.forget_projection("p"),
    lambda it: it.range("p"),
    lambda it: it.search("word", [ROOM]),
    lambda it: it.put_blob([b"x"]),
    lambda it: it.blob("00"),
    lambda it: it.remove_blob("00"),
    lambda it: it.writing().__enter__(),
    lambda it: it.writing(whole=True).__enter__(),
)
